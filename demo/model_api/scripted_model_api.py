"""The API as one object: what it serves, what it was told to do, what it was asked.

Both protocols have one set of models and one script, so that a test can be run against
either. Nothing here knows what an answer says: that is the scripts' or the behaviour's.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from demo.github.serving import open_socket, serving
from demo.model_api.asked import Asked
from demo.model_api.behaviour import behave
from demo.model_api.endpoints import Endpoints
from demo.model_api.models import DEMO_MODELS, ServedModel
from demo.model_api.scripts import Failure, Script, Scripts, When, always
from demo.model_api.steps import HttpError, Move, Step


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Where the API is reached."""

    anthropic_url: str
    """For `ANTHROPIC_BASE_URL`."""
    openai_url: str
    """For `OPENAI_BASE_URL`."""


class ScriptedModelApi:
    """A model API of our own.

    Where a request fits no script, `behaviour` answers: by default work and judging as the
    demo needs them. With a `key`, any other key is refused as the real APIs refuse it.
    """

    def __init__(
        self,
        *,
        models: Sequence[ServedModel] = DEMO_MODELS,
        behaviour: Callable[[Asked], Step] = behave,
        key: str | None = None,
    ) -> None:
        self._scripts = Scripts()
        self._endpoints = Endpoints(models, self._scripts, behaviour, key)

    @property
    def requests(self) -> Sequence[Asked]:
        """Every well-formed request for an answer, in order of arrival."""
        return self._endpoints.requests

    @property
    def look_ups(self) -> Sequence[str]:
        """Every request for a list of models (`""`) or for one (its id)."""
        return self._endpoints.look_ups

    def script(self, *moves: Move, when: When = always, forever: bool = False) -> None:
        """Tell what each conversation that fits is answered, one step a request.

        After the last step the conversation is refused; with `forever` it is repeated.
        """
        self._scripts.add(Script(moves, when, forever))

    def fail(self, move: Move, *, times: int = 1, when: When = always) -> None:
        """Let the next requests that fit fail, before any script or behaviour is asked."""
        self._scripts.fail(Failure(move, when, times))

    def fail_look_ups(self, error: HttpError | None) -> None:
        """Answer every request about models with an error, until told None."""
        self._endpoints.look_up_error = error

    @contextlib.asynccontextmanager
    async def serve(self, *, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[ModelServer]:
        """Serve on a real socket; port 0 finds a free one."""
        bound = open_socket(host, port)
        address = f"http://{host}:{bound.getsockname()[1]}"
        async with serving(self._endpoints.app, bound):
            yield ModelServer(anthropic_url=address, openai_url=f"{address}/v1")
