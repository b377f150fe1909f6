"""A conversation with a model, as its callers see it: what it starts from, how it ends.

`jobs.models` carries conversations out; nothing here knows a vendor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from jobs.requests import Value
from jobs.values import Limits, Model, Usage


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool offered to a model: its description, JSON schema and what it does."""

    name: str
    description: str
    parameters: dict[str, object]
    """JSON Schema of the arguments."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """A tool's answer; a failure is text too, never an exception."""

    text: str
    failed: bool = False


class ToolBox(Protocol):
    """The tools of one conversation, bound to its sandbox. Calls run one after another."""

    tools: Sequence[Tool]

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome: ...


EventKind = Literal["prompt", "text", "tool_call", "tool_result", "retry", "usage", "end"]


@dataclass(frozen=True, slots=True)
class TranscriptEvent:
    """One line of a transcript."""

    at: datetime
    kind: EventKind
    content: dict[str, object]


class TranscriptSink(Protocol):
    """Takes the events of a conversation as they happen."""

    def write(self, event: TranscriptEvent) -> None: ...


class ConversationEnd(Value):
    """How a conversation with a model ended and what it used.

    `end` is one of `completed max_turns timeout max_cost max_tokens refused stalled
    rate_limited error`; whether there was output is the launcher's to know.
    """

    end: Literal[
        "completed", "max_turns", "timeout", "max_cost", "max_tokens",
        "refused", "stalled", "rate_limited", "error",
    ]  # fmt: skip
    detail: str = ""
    last_text: str
    """The last text the model wrote, also where a tool call followed it; may be empty."""
    turns: int
    """Answers of the model."""
    tool_calls: int
    failed_tool_calls: int
    retries: int
    usage: Usage
    served_models: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSpec:
    """Everything a conversation with a model starts from."""

    model: Model
    system: str
    prompt: str
    toolbox: ToolBox | None
    limits: Limits
    max_answer_tokens: int
    """Cap on one answer."""
    earlier: Sequence[tuple[str, str]] = ()
    """Previous (prompt, answer) turns, oldest first."""
    temperature: float | None = None
    """Asked for where the model takes one; None: the provider's own."""


class Agent(Protocol):
    """A conversation with a model that may use tools: the one door to the vendors' SDKs."""

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        """Converse until the model answers without a tool call or a limit is reached.

        Platform failures are retried inside, in bounded time, and end as `rate_limited`,
        `stalled` or `error`; nothing is raised but `CancelledError`.
        """


class ModelCatalog(Protocol):
    """Which models the providers serve."""

    async def resolve(self, asked: str) -> Model:
        """Pin a model as typed to the id that is sent. Raises `Refused` with the nearest ids
        where no provider knows it, `Transient` where a provider cannot be asked.
        """

    def price_known(self, model: Model) -> bool: ...
