"""What a conversation has used so far, and which of its limits that reaches.

Tokens are counted once for each request, from the request's own final report.
"""

from decimal import Decimal
from typing import Literal

from jobs.models.door import Tokens
from jobs.models.prices import find_price
from jobs.ports import ConversationEnd
from jobs.values import Limits, Model, Usage

End = Literal[
    "completed", "max_turns", "timeout", "max_cost", "max_tokens",
    "refused", "stalled", "rate_limited", "error",
]  # fmt: skip


class Tally:
    """Counts for one conversation."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits
        self._usage = Usage(cost_usd=Decimal(0))
        self._served: list[str] = []
        self._turns = 0
        self._tool_calls = 0
        self._failed_tool_calls = 0
        self.retries = 0

    @property
    def output_tokens_left(self) -> int:
        """At least 1, which is the least a provider can be asked for."""
        return max(1, self._limits.output_tokens - self._usage.output_tokens)

    def turn(self, served_model: str) -> None:
        """Count an answer, and remember who gave it."""
        self._turns += 1
        if served_model and served_model not in self._served:
            self._served.append(served_model)

    def tool_call(self, *, failed: bool) -> None:
        self._tool_calls += 1
        self._failed_tool_calls += failed

    def spend(self, tokens: Tokens) -> dict[str, object]:
        """Count one request, priced for itself; gives what it was, for the transcript."""
        used = self._usage
        cost = find_price(self._model.sent, self._model.provider, tokens)
        so_far = used.cost_usd
        self._usage = Usage(
            requests=used.requests + 1,
            input_tokens=used.input_tokens + tokens.input,
            output_tokens=used.output_tokens + tokens.output,
            cache_read_tokens=used.cache_read_tokens + tokens.cache_read,
            cache_write_tokens=used.cache_write_tokens + tokens.cache_write,
            cost_usd=None if cost is None or so_far is None else so_far + cost,
        )
        return {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cache_read_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
            "reported": tokens.reported,
            "cost_usd": None if cost is None else str(cost),
        }

    def limit_reached(self) -> tuple[End, str] | None:
        """The first limit that is used up, and how to say so; None while there is room."""
        limits, usage = self._limits, self._usage
        if self._turns >= limits.turns:
            return "max_turns", f"the limit of {limits.turns} turns was reached"
        if usage.output_tokens >= limits.output_tokens:
            return "max_tokens", f"the limit of {limits.output_tokens:,} output tokens was reached"
        if usage.total_tokens >= limits.total_tokens:
            return "max_cost", f"the limit of {limits.total_tokens:,} tokens was reached"
        if usage.cost_usd is not None and usage.cost_usd >= limits.cost_usd:
            return "max_cost", f"the limit of {limits.cost_usd:.2f} USD was reached"
        return None

    def end(self, end: End, detail: str, last_text: str) -> ConversationEnd:
        return ConversationEnd(
            end=end,
            detail=detail,
            last_text=last_text,
            turns=self._turns,
            tool_calls=self._tool_calls,
            failed_tool_calls=self._failed_tool_calls,
            retries=self.retries,
            usage=self._usage,
            served_models=tuple(self._served),
        )
