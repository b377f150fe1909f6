"""A request to a model in words that are no vendor's: what scripts and behaviours read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Vendor = Literal["anthropic", "openai"]


class BadRequest(Exception):  # noqa: N818 -- reads as the answer it becomes
    """A request that the real API would not take; the message says why."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave."""

    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    text: str
    results: tuple[ToolResult, ...] = ()
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request: the conversation so far, and what may be used to answer it."""

    vendor: Vendor
    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[str, ...]
    max_tokens: int
    stream: bool
    body: Mapping[str, Any]
    """The request as it came."""

    @property
    def prompt(self) -> str:
        """The first message."""
        return self.messages[0].text

    @property
    def turn(self) -> int:
        """How many answers the conversation has had."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def last(self) -> Message:
        return self.messages[-1]

    @property
    def conversation(self) -> tuple[str, str, str]:
        """What all requests of one conversation have in common."""
        return self.model, self.system, self.prompt
