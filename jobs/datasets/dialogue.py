"""What was said between a user and a target, with what it took: kept whole for every case."""

from datetime import datetime
from typing import Any

from pydantic import Field

from jobs.datasets.cases import Attachment
from jobs.datasets.whole_text import Heard
from jobs.requests import Value
from jobs.values import Usage

SILENCE = "[silence]"
"""What a user says who says nothing."""


class Said(Heard):
    """What the user says in one turn."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    reason: str = ""
    """Why the one who plays the user says it; empty where it is scripted."""
    is_finished: bool = False
    """Whether the user ends the dialogue with it; it is not sent to the target then."""


class Chunk(Heard):
    """A piece of a target's answer that is not the answer itself: `annotation`, `latency` …"""

    type: str
    content: Any = None
    timestamp: float | None = None


class ToolUse(Heard):
    """A tool that the target used."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    result: str = ""


class Reply(Heard):
    """A target's answer to one turn."""

    text: str
    chunks: tuple[Chunk, ...] = ()
    tool_calls: tuple[ToolUse, ...] = ()
    usage: Usage | None = None
    """None where the target does not say."""
    model: str = ""
    """Which model answered, as it said itself; empty where it did not."""
    first_token_s: float | None = None


class Turn(Value):
    """One thing said and its answer."""

    said: Said
    said_at: datetime
    reply: Reply | None = None
    """None where the user ended the dialogue, or the target failed."""
    replied_at: datetime | None = None

    @property
    def seconds(self) -> float | None:
        """How long the target took."""
        return None if self.replied_at is None else (self.replied_at - self.said_at).total_seconds()


class Dialogue(Value):
    """All turns of a case, oldest first."""

    turns: tuple[Turn, ...] = ()
    user_usage: Usage | None = None
    """What the model took that played the user."""

    @property
    def replies(self) -> tuple[Reply, ...]:
        return tuple(turn.reply for turn in self.turns if turn.reply is not None)

    @property
    def last_answer(self) -> str:
        """What the target answered last; empty where it answered nothing."""
        return self.replies[-1].text if self.replies else ""

    @property
    def reply_text(self) -> str:
        """Everything the target answered, in order."""
        return "\n".join(reply.text for reply in self.replies)
