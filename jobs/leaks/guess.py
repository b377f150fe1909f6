"""What was guessed about a run: did its outputs give their arms away?"""

from typing import Literal

from jobs.requests import Value
from jobs.values import Usage


class Guess(Value):
    """One guess about a run, or why there is none."""

    model: str
    """The id that was sent; as it was asked for where no provider knows it."""
    served: str = ""
    """The snapshot that answered."""
    version: str
    """The wording of the question."""
    trial: int = 1
    """The one whose outputs were shown."""
    right: bool | None = None
    """Whether it named the output with the skill; None: not guessed."""
    reason: str = ""
    """The guesser's one sentence; hostile text, which names the arms by candidate."""
    shown_as: Literal[1, 2] = 1
    """The reading in whose order the outputs stood."""
    problem: str = ""
    """Why nothing was guessed, in one sentence that is safe to show; empty: it was."""
    usage: Usage = Usage()

    @property
    def guesser(self) -> str:
        """Who guessed, under which wording: guesses of two are in no figure together."""
        return f"{self.served or self.model} {self.version}"
