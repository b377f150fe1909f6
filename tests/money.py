"""What a budget tells of today's money."""

from decimal import Decimal

from bot.store.budget import RedisBudget
from tests.builders import a_repo


async def spent_today(budget: RedisBudget) -> Decimal:
    """What is spent or set aside today, in USD, of all repositories."""
    day = (await budget.day(a_repo())).bot
    return day.spent + day.set_aside
