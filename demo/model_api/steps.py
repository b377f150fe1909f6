"""What the API does with one request: answers it, or fails in one of the ways APIs fail."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from demo.model_api.asked import Asked

Stop = Literal["end_turn", "tool_use", "max_tokens", "refusal"]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; arguments given as text are sent as they are, valid JSON or not."""

    name: str
    arguments: Mapping[str, object] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Token counts in an answer."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer of the model."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    stop: Stop | None = None
    """None: what the answer's own content means."""
    served_model: str | None = None
    """None: the model that was asked for."""
    tokens: Reported | None = None
    """None: estimated from lengths, with a cache that works."""
    pause_s: float = 0.0
    """Waited before each event of a stream: alive, but slow."""
    latency_s: float = 0.0
    """Waited before the answer begins."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Besides the usual ones, such as what is left of a rate limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpError:
    """An error answer, with the status that belongs to its type unless one is given."""

    status: int
    type: str = "api_error"
    message: str = "something failed"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInStream:
    """A stream that begins well, with status 200, and then reports an error."""

    type: str = "overloaded_error"
    message: str = "Overloaded"
    after_events: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """The connection breaks: before any answer, or after some events of a stream."""

    after_events: int = 0


class Gate:
    """Where a request waits, so that a test can act at that very moment."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.released = asyncio.Event()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """Silence, with the connection open: from the start, or after some events.

    It lasts until the client leaves or the gate is opened; then the answer goes on.
    """

    after_events: int = 0
    gate: Gate = field(default_factory=Gate)
    reply: Reply | None = None
    """What the answer is, if it goes on; None: a few words."""


Step = Reply | HttpError | ErrorInStream | Drop | Stall
Move = Step | Callable[[Asked], Step]
"""A step, or what makes one from the request."""
