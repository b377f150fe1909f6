"""The day's limit holds to the cent, whoever reserves at once and whatever comes twice."""

import asyncio
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from bot.store.budget import RedisBudget
from jobs.errors import OverBudget
from tests.builders import NOON, a_repo


class Day:
    """A clock whose day can be turned."""

    now = NOON

    def __call__(self):
        return self.now


@pytest.fixture
def day() -> Day:
    return Day()


@pytest.fixture
def budget(redis: Redis, day: Day) -> RedisBudget:
    return RedisBudget(redis, per_day=Decimal(10), clock=day)


async def is_reserved(budget: RedisBudget, run: str, usd: str) -> bool:
    try:
        await budget.reserve(run, a_repo(), Decimal(usd))
    except OverBudget:
        return False
    return True


async def test_workers_that_reserve_at_once_never_pass_the_limit(
    redis_url: str, budget: RedisBudget, day: Day
) -> None:
    async with Redis.from_url(redis_url) as second:
        other = RedisBudget(second, per_day=Decimal(10), clock=day)
        taken = await asyncio.gather(
            *(
                is_reserved(one, f"{name}-{number}", "1.10")
                for number in range(40)
                for name, one in (("a", budget), ("b", other))
            )
        )
    assert sum(taken) == 9
    assert await budget.spent_today() == Decimal("9.90")


async def test_exactly_the_limit_is_within_it(budget: RedisBudget) -> None:
    assert await is_reserved(budget, "a", "9.999999")
    assert not await is_reserved(budget, "b", "0.000002")
    assert await is_reserved(budget, "b", "0.000001")
    assert await budget.spent_today() == 10


async def test_a_fraction_of_what_is_counted_is_not_free(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal("0.0000001"))
    assert await budget.spent_today() == Decimal("0.000001")
    await budget.settle("a", Decimal("1.0000001"))
    assert await budget.spent_today() == Decimal("1.000001")


async def test_a_refusal_holds_the_numbers_and_what_to_do(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal("7.5"))
    with pytest.raises(OverBudget) as refusal:
        await budget.reserve("b", a_repo(), Decimal(5))
    for word in ("10.00 USD", "7.50 USD", "5.00 USD", "acme/skills", "SKILLBENCH_MAX_USD_PER_DAY"):
        assert word in str(refusal.value)


async def test_a_run_that_is_carried_out_again_is_counted_once(budget: RedisBudget) -> None:
    """Also where the first reservation has used the limit up."""
    for _ in range(3):
        assert await is_reserved(budget, "a", "10")
    assert await budget.spent_today() == 10


async def test_what_a_run_did_not_use_is_free_again(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(10))
    assert not await is_reserved(budget, "b", "1")
    await budget.settle("a", Decimal("0.25"))
    assert await is_reserved(budget, "b", "9.75")
    assert await budget.spent_today() == 10


async def test_settling_twice_is_once_and_the_last_word_counts(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(5))
    for _ in range(2):
        await budget.settle("a", Decimal(2))
    assert await budget.spent_today() == 2
    await budget.settle("a", Decimal(3))
    assert await budget.spent_today() == 3


async def test_a_run_that_reserved_nothing_settles_nothing(budget: RedisBudget) -> None:
    await budget.settle("unknown", Decimal(5))
    assert await budget.spent_today() == 0


async def test_a_run_refused_before_may_reserve_when_there_is_room(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(10))
    assert not await is_reserved(budget, "b", "5")
    await budget.settle("a", Decimal(1))
    assert await is_reserved(budget, "b", "5")
    assert await budget.spent_today() == 6


async def test_the_next_day_begins_empty(budget: RedisBudget, day: Day) -> None:
    await budget.reserve("a", a_repo(), Decimal(10))
    day.now = NOON + timedelta(days=1)
    assert await is_reserved(budget, "b", "10")


async def test_a_run_over_midnight_belongs_to_the_day_it_began(
    budget: RedisBudget, day: Day
) -> None:
    await budget.reserve("a", a_repo(), Decimal(8))
    day.now = NOON + timedelta(days=1)
    await budget.settle("a", Decimal(3))
    assert await budget.spent_today() == 0
    day.now = NOON
    assert await budget.spent_today() == 3


async def test_days_are_forgotten_in_the_end(budget: RedisBudget, redis: Redis) -> None:
    await budget.reserve("a", a_repo(), Decimal(1))
    keys = await redis.keys("*")
    assert keys
    for key in keys:
        assert timedelta(days=2) < timedelta(seconds=await redis.ttl(key)) <= timedelta(days=3)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["reserve", "settle"]),
            st.sampled_from("abcdef"),
            st.integers(min_value=0, max_value=6_000_000),
        ),
        max_size=20,
    )
)
async def test_no_order_of_steps_reserves_beyond_the_limit(
    redis: Redis, steps: list[tuple[str, str, int]]
) -> None:
    """What is settled may lie above what was reserved; then nothing more is reserved."""
    await redis.flushall()
    budget = RedisBudget(redis, per_day=Decimal(10), clock=lambda: NOON)
    counted: dict[str, int] = {}
    for step, run, micros in steps:
        usd = Decimal(micros) / 1_000_000
        if step == "settle":
            await budget.settle(run, usd)
            if run in counted:
                counted[run] = micros
        elif await is_reserved(budget, run, str(usd)):
            counted.setdefault(run, micros)
        else:
            assert sum(counted.values()) + micros > 10_000_000
            assert run not in counted
        assert await budget.spent_today() == Decimal(sum(counted.values())) / 1_000_000
