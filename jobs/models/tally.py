"""What a conversation has used so far, and which of its limits that reaches.

Tokens are counted once for each request, from the request's own final report.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from jobs.conversation import ConversationEnd
from jobs.models.door import Tokens
from jobs.models.prices import find_price, price_known
from jobs.values import Limits, Model, Usage

End = Literal[
    "completed", "max_turns", "timeout", "max_cost", "max_tokens",
    "refused", "stalled", "rate_limited", "error",
]  # fmt: skip


_LEAST_ANSWER = 256
"""Tokens of an answer that is worth sending the whole conversation for once more."""
_CHARACTERS_PER_TOKEN = 4
"""Of English; most other texts need more tokens, so that an estimate is rarely too high."""
_SAMPLE = 1_000
"""Output tokens by which their price is found."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens the next answer may have, and what bounds it so."""

    tokens: int
    ended_by: tuple[End, str]
    """How the conversation ends if the answer is cut there."""


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
        # also loads the price list, before the clock of the conversation runs
        self._is_priced = price_known(model.sent, model.provider)
        self._context = Tokens()
        """What the next request sends again, as it will be billed."""
        self.retries = 0

    def expect(self, characters: int) -> tuple[End, str] | None:
        """Count beforehand what the first request will send.

        Gives how the conversation ends where that alone would pass a limit: nothing is sent
        then. Ends like a prompt that the model cannot read, which it is not the agent's doing.
        """
        limits = self._limits
        self._context = Tokens(input=characters // _CHARACTERS_PER_TOKEN)
        about = f"the prompt alone is about {self._context.input:,} tokens"
        if self._context.input > limits.total_tokens:
            return "max_tokens", f"{about}, of {limits.total_tokens:,}; nothing was sent"
        cost = self._price(self._context) if self._is_priced else None
        if cost is not None and cost > limits.cost_usd:
            return "max_tokens", (
                f"{about} and costs {cost:.2f} USD, of {limits.cost_usd:.2f} USD; nothing was sent"
            )
        return None

    def find_room(self, most: int) -> Room:
        """The room for the next answer: `most`, or what the limits leave; at least 1 token."""
        cut: tuple[End, str] = ("max_tokens", "the answer was cut at the output limit")
        rooms = [
            Room(most, cut),
            Room(self._limits.output_tokens - self._usage.output_tokens, cut),
            *self._affordable(),
        ]
        room = min(rooms, key=lambda one: one.tokens)
        return Room(max(1, room.tokens), room.ended_by)

    @property
    def context_tokens(self) -> int:
        """About how many tokens the next request sends."""
        return self._context.input + self._context.cache_read

    def turn(self, served_model: str) -> None:
        """Count an answer, and remember who gave it."""
        self._turns += 1
        if served_model and served_model not in self._served:
            self._served.append(served_model)

    def tool_call(self, *, failed: bool, text: str) -> None:
        """Count a call, whose answer the next request sends."""
        self._tool_calls += 1
        self._failed_tool_calls += failed
        more = len(text) // _CHARACTERS_PER_TOKEN
        self._context = replace(self._context, input=self._context.input + more)

    def spend(self, tokens: Tokens) -> dict[str, object]:
        """Count one request, priced for itself; gives what it was, for the transcript."""
        used = self._usage
        cost = self._price(tokens)
        so_far = used.cost_usd
        self._usage = Usage(
            requests=used.requests + 1,
            input_tokens=used.input_tokens + tokens.input,
            output_tokens=used.output_tokens + tokens.output,
            cache_read_tokens=used.cache_read_tokens + tokens.cache_read,
            cache_write_tokens=used.cache_write_tokens + tokens.cache_write,
            cost_usd=None if cost is None or so_far is None else so_far + cost,
        )
        sent = tokens.input + tokens.cache_read + tokens.cache_write + tokens.output
        is_cached = bool(tokens.cache_read or tokens.cache_write)
        self._context = Tokens(cache_read=sent) if is_cached else Tokens(input=sent)
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
        # the answer that would pass a limit is not asked for: what it costs is known too late
        for room in self._affordable():
            if room.tokens < _LEAST_ANSWER:
                return room.ended_by
        return None

    def _affordable(self) -> list[Room]:
        """What the limits on all tokens and on money leave for an answer, once it is asked for."""
        limits, usage, again = self._limits, self._usage, self._context
        left = limits.total_tokens - usage.total_tokens - again.input - again.cache_read
        detail = f"the limit of {limits.total_tokens:,} tokens leaves no room for more"
        rooms = [Room(left, ("max_cost", detail))]
        if usage.cost_usd is None or not self._is_priced:
            return rooms
        asking = self._price(again)
        answering = self._price(replace(again, output=_SAMPLE))
        if asking is not None and answering is not None and answering > asking:
            money = limits.cost_usd - usage.cost_usd - asking
            affordable = int(money / (answering - asking) * _SAMPLE)
            detail = f"the limit of {limits.cost_usd:.2f} USD leaves no room for more"
            rooms.append(Room(affordable, ("max_cost", detail)))
        return rooms

    def _price(self, tokens: Tokens) -> Decimal | None:
        return find_price(self._model.sent, self._model.provider, tokens)

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
