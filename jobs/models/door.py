"""What the agent loop and the catalog need of a vendor, in words that are no vendor's.

A door opens a talk (one conversation) and looks models up. Whatever a vendor's SDK raises
or returns stays behind the door: out come answers, sightings and trouble.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from jobs.conversation import Tool, ToolOutcome

Stop = Literal["finished", "tools", "max_tokens", "context_full", "refused", "paused"]
TroubleKind = Literal["rate_limited", "stalled", "error", "context_full"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one request was billed for; `input` excludes what the cache served or took."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    """Of `cache_write`, what is kept for an hour, which costs more than five minutes."""
    reported: bool = True
    """False: the provider said nothing and the figures are an estimate from lengths."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call as the model wrote it."""

    id: str
    name: str
    arguments: dict[str, object]
    problem: str = ""
    """Why the arguments cannot be used; the call is answered with it and not carried out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model, whole."""

    text: str
    calls: tuple[ToolCall, ...]
    stop: Stop
    served_model: str
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class SeenModel:
    """A model as its provider lists it."""

    id: str
    created_at: datetime
    line: str | None = None
    """Family, where the provider names one."""
    retired: bool = False


@dataclass(eq=False)
class Trouble(Exception):  # noqa: N818 -- reads as what it is
    """The platform failed to answer."""

    kind: TroubleKind
    detail: str
    """Safe to show: it never holds a vendor's own words."""
    status: int | None = None
    """HTTP status, where there was an answer."""
    retry: bool = False
    """Whether asking again can help."""
    retry_after_s: float | None = None
    spent: Tokens | None = None
    """What the broken request was billed for, as far as the provider said."""

    def __str__(self) -> str:
        return self.detail


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkSpec:
    """What a talk starts from."""

    model: str
    system: str
    earlier: Sequence[tuple[str, str]]
    prompt: str
    tools: Sequence[Tool]
    idle_s: float
    """How long the model may send nothing."""
    heard: Callable[[], None]
    """Called for each sign of life."""
    temperature: float | None = None
    """Asked for until the model refuses one; None: never."""


class Talk(Protocol):
    """One conversation, with its history in the vendor's own form."""

    async def answer(self, *, max_tokens: int) -> Answer:
        """Ask for the next answer and keep it in the history. Raises `Trouble`, after which
        the history is as before, so that the same call may be made again.
        """

    def give_results(self, results: Sequence[tuple[ToolCall, ToolOutcome]]) -> None:
        """Add the outcomes of every call of the last answer, in their order."""


class Door(Protocol):
    """A vendor's API at one endpoint."""

    def load(self) -> None:
        """Import the vendor's SDK, which takes a second; else the first request does."""

    def open(self, spec: TalkSpec) -> AbstractAsyncContextManager[Talk]: ...
    async def find(self, model: str) -> SeenModel | None:
        """Ask for a model by its id; None where the provider says there is none."""

    async def list(self) -> Sequence[SeenModel] | None:
        """All models the provider lists; None where it has no such list. Raises `Trouble`."""
