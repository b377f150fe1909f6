"""What a measurement may spend in all, and what it has spent so far.

A session is not started once the purse is empty; those under way come to their end and are
kept, so that nothing paid for is thrown away.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from jobs.judging.reading import add_usage
from jobs.values import Usage


@dataclass(slots=True, kw_only=True)
class Purse:
    """Money and tokens of one measurement."""

    usd: Decimal
    tokens: int
    spent: Usage = field(default_factory=lambda: Usage(cost_usd=Decimal(0)))

    def take(self, usage: Usage) -> None:
        """Count what a session used."""
        self.spent = add_usage(self.spent, usage)

    @property
    def is_empty(self) -> bool:
        """Whether nothing more may be started; tokens count where the price is not known."""
        if self.spent.cost_usd is not None:
            return self.spent.cost_usd >= self.usd
        return self.spent.total_tokens >= self.tokens

    def describe(self) -> str:
        """What was spent and what may be, for people."""
        if self.spent.cost_usd is not None:
            return f"{self.spent.cost_usd:.2f} of {self.usd:.2f} USD"
        return f"{self.spent.total_tokens:,} of {self.tokens:,} tokens"
