"""A day's money in numbers: what is spent, what is set aside, what is left, when it is all back.

Days are those of UTC. What is set aside is the ceiling of runs under way; what they do not use
is free again as soon as they end.
"""

from datetime import datetime
from decimal import Decimal

from jobs.errors import OverBudget
from jobs.requests import Value


class DaySpending(Value):
    """What became of one day's money, of the bot's or of one repository's."""

    limit: Decimal | None
    """None: there is none."""
    spent: Decimal
    set_aside: Decimal
    free_at: datetime
    """When the next day begins."""

    @property
    def free(self) -> Decimal | None:
        """What is left today; None where there is no limit."""
        if self.limit is None:
            return None
        return max(self.limit - self.spent - self.set_aside, Decimal(0))

    def holds(self, usd: Decimal) -> bool:
        """Whether so much may still be spent."""
        return self.free is None or usd <= self.free


class Day(Value):
    """Both limits that hold for a repository today."""

    bot: DaySpending
    repository: DaySpending


def over_bot(day: DaySpending, usd: Decimal, needs: str, repo: str) -> OverBudget:
    """The refusal for a day that the operator limits; `needs` is `usd` in a sentence's words."""
    more = "" if usd > (day.limit or 0) else f" {_again(day)}"
    return OverBudget(
        f"today's limit of this bot is {day.limit:.2f} USD, for all repositories: {_used(day)}, "
        f"and {needs} in {repo}.{more} The operator can raise `SKILLBENCH_MAX_USD_PER_DAY`."
    )


def over_repository(day: DaySpending, usd: Decimal, needs: str, repo: str) -> OverBudget:
    """The refusal for a day that the repository's own file limits."""
    never = "That is more than a whole day's: `budgets.per_run` can lower what a run may cost."
    return OverBudget(
        f"today's budget of {repo} is {day.limit:.2f} USD (`budgets.per_day` in "
        f"`.github/skillbench.yml`): {_used(day)}, and {needs}. "
        f"{never if usd > (day.limit or 0) else _again(day)} A maintainer can let it pass with "
        "`--override-budget`."
    )


def _used(day: DaySpending) -> str:
    return (
        f"{day.spent:.2f} USD are spent, {day.set_aside:.2f} USD are set aside for runs under way"
    )


def _again(day: DaySpending) -> str:
    tomorrow = f"The next day begins at {day.free_at:%Y-%m-%d %H:%M} UTC."
    if not day.set_aside:
        return tomorrow
    return f"What those runs do not use is free again when they end. {tomorrow}"
