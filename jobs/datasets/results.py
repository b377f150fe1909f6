"""What became of one case: stored as soon as it is known, and read again by whoever resumes."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field

from jobs.datasets.dialogue import Dialogue
from jobs.datasets.grades import Grade
from jobs.requests import Value
from jobs.values import Usage

Trouble = Literal["target", "user", "judge", "case", "cancelled", "defect"]
"""Whose fault it is that a case is ungraded."""


class CaseResult(Value):
    """One case, run and graded."""

    id: str
    title: str
    tags: tuple[str, ...] = ()
    user_type: str
    evaluator: str
    target_type: str
    target_fields: dict[str, Any] = Field(default_factory=dict)
    eval_fields: dict[str, Any] = Field(default_factory=dict)
    history: tuple[dict[str, str], ...] = ()
    dialogue: Dialogue
    grade: Grade
    trouble: Trouble | None = None
    """None where it is graded."""
    started_at: datetime
    ended_at: datetime
    target_usage: Usage | None = None
    """None where the target does not say what it used."""
    user_usage: Usage | None = None
    judge_usage: Usage | None = None
    judge: str = ""
    """The model that judged, as it was sent; empty where none was asked."""
    attempts: int = 1

    @property
    def seconds(self) -> float:
        return (self.ended_at - self.started_at).total_seconds()

    @property
    def usages(self) -> tuple[Usage, ...]:
        given = (self.target_usage, self.user_usage, self.judge_usage)
        return tuple(one for one in given if one is not None)

    @property
    def cost_usd(self) -> Decimal | None:
        """None as soon as one part has no known price."""
        costs = [one.cost_usd for one in self.usages]
        if any(cost is None for cost in costs):
            return None
        return sum((cost for cost in costs if cost is not None), Decimal(0))

    @property
    def known_cost_usd(self) -> Decimal:
        """The part of the cost whose price is known."""
        return sum((usage.cost_usd or Decimal(0) for usage in self.usages), Decimal(0))
