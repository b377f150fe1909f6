"""What tests have told the API to do: scripts for conversations, failures for requests.

A script plays once for each conversation that it fits, step by step, one step a request;
so two sessions side by side each get all of it, and a step that fails is followed by the
next one when the client asks again. Failures come first and count over all conversations.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from demo.model_api.asked import Asked, BadRequest
from demo.model_api.steps import Move, Step

When = Callable[[Asked], bool]


def always(_: Asked) -> bool:
    """Fits every conversation."""
    return True


@dataclass(eq=False, slots=True)
class Script:
    """Steps for each conversation that `when` holds for."""

    moves: tuple[Move, ...]
    when: When
    forever: bool
    played: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """How far each conversation has come."""

    def get_next(self, asked: Asked) -> Move:
        """The next step. Raises `BadRequest` after the last one."""
        position = self.played.get(asked.conversation, 0)
        if position >= len(self.moves) and not self.forever:
            raise BadRequest(f"the script of this conversation ended after {position} steps")
        self.played[asked.conversation] = position + 1
        return self.moves[min(position, len(self.moves) - 1)]


@dataclass(eq=False, slots=True)
class Failure:
    """A step that the next requests get instead of an answer."""

    move: Move
    when: When
    times: int


class Scripts:
    """Everything that was told, in order; of several scripts that fit the newest plays."""

    def __init__(self) -> None:
        self._scripts: list[Script] = []
        self._failures: list[Failure] = []

    def add(self, script: Script) -> None:
        self._scripts.insert(0, script)

    def fail(self, failure: Failure) -> None:
        self._failures.append(failure)

    def find_step(self, asked: Asked) -> Step | None:
        """What was told for this request; None where nothing was."""
        move = self._find_move(asked)
        return move(asked) if callable(move) else move

    def _find_move(self, asked: Asked) -> Move | None:
        for failure in self._failures:
            if failure.times > 0 and failure.when(asked):
                failure.times -= 1
                return failure.move
        for script in self._scripts:
            if script.when(asked):
                return script.get_next(asked)
        return None
