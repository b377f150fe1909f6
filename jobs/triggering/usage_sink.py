"""Keeps what a conversation has used, also of one that is stopped before its end."""

from dataclasses import dataclass, field
from decimal import Decimal

from jobs.conversation import TranscriptEvent
from jobs.judging.reading import add_usage
from jobs.values import Usage

_COUNTS = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd",
)  # fmt: skip


@dataclass(slots=True)
class UsageSink:
    """Takes the events of a conversation, and of them the counts."""

    usage: Usage = field(default_factory=lambda: Usage(cost_usd=Decimal(0)))

    def write(self, event: TranscriptEvent) -> None:
        if event.kind == "usage":
            counts = {name: event.content.get(name) for name in _COUNTS}
            self.usage = add_usage(self.usage, Usage.model_validate({"requests": 1, **counts}))
