"""The day's limit holds to the cent, whoever reserves at once and whatever comes twice."""

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from bot.store.budget import RedisBudget
from jobs.errors import OverBudget
from tests.builders import NOON, a_repo
from tests.money import spent_today


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
    assert await spent_today(budget) == Decimal("9.90")


async def test_exactly_the_limit_is_within_it(budget: RedisBudget) -> None:
    assert await is_reserved(budget, "a", "9.999999")
    assert not await is_reserved(budget, "b", "0.000002")
    assert await is_reserved(budget, "b", "0.000001")
    assert await spent_today(budget) == 10


async def test_a_fraction_of_what_is_counted_is_not_free(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal("0.0000001"))
    assert await spent_today(budget) == Decimal("0.000001")
    await budget.settle("a", Decimal("1.0000001"))
    assert await spent_today(budget) == Decimal("1.000001")


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
    assert await spent_today(budget) == 10


async def test_what_a_run_did_not_use_is_free_again(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(10))
    assert not await is_reserved(budget, "b", "1")
    await budget.settle("a", Decimal("0.25"))
    assert await is_reserved(budget, "b", "9.75")
    assert await spent_today(budget) == 10


async def test_settling_twice_is_once_and_the_last_word_counts(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(5))
    for _ in range(2):
        await budget.settle("a", Decimal(2))
    assert await spent_today(budget) == 2
    await budget.settle("a", Decimal(3))
    assert await spent_today(budget) == 3


async def test_a_run_that_reserved_nothing_settles_nothing(budget: RedisBudget) -> None:
    await budget.settle("unknown", Decimal(5))
    assert await spent_today(budget) == 0


async def test_a_run_refused_before_may_reserve_when_there_is_room(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(), Decimal(10))
    assert not await is_reserved(budget, "b", "5")
    await budget.settle("a", Decimal(1))
    assert await is_reserved(budget, "b", "5")
    assert await spent_today(budget) == 6


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
    assert await spent_today(budget) == 0
    day.now = NOON
    assert await spent_today(budget) == 3


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
        assert await spent_today(budget) == Decimal(sum(counted.values())) / 1_000_000


async def test_a_repository_has_a_budget_below_the_bots(budget: RedisBudget) -> None:
    """Its own file lowers its own day, and nobody else's."""
    small = budget.within(Decimal(2))
    assert await is_reserved(small, "a", "1.5")
    assert not await is_reserved(small, "b", "0.6")
    assert await is_reserved(small, "b", "0.5")
    other = a_repo(name="other")
    await small.reserve("c", other, Decimal(2))
    assert (await small.day(other)).repository.set_aside == 2
    assert await spent_today(budget) == 4


async def test_the_operators_limit_holds_whatever_a_repository_allows(budget: RedisBudget) -> None:
    large = budget.within(Decimal(1000))
    with pytest.raises(OverBudget, match="SKILLBENCH_MAX_USD_PER_DAY"):
        await large.reserve("a", a_repo(), Decimal("10.01"))


async def test_a_repositorys_name_is_the_same_in_any_case(budget: RedisBudget) -> None:
    small = budget.within(Decimal(2))
    await small.reserve("a", a_repo(name="Skills"), Decimal(2))
    assert not await is_reserved(small, "b", "0.01")


async def test_a_refusal_tells_spent_from_set_aside_and_when_it_is_free_again(
    budget: RedisBudget,
) -> None:
    small = budget.within(Decimal(4))
    await small.reserve("a", a_repo(), Decimal(1))
    await small.settle("a", Decimal("0.25"))
    await small.reserve("b", a_repo(), Decimal(3))
    with pytest.raises(OverBudget) as refusal:
        await small.reserve("c", a_repo(), Decimal(2))
    assert str(refusal.value) == (
        "today's budget of acme/skills is 4.00 USD (`budgets.per_day` in "
        "`.github/skillbench.yml`): 0.25 USD are spent, 3.00 USD are set aside for runs under "
        "way, and a run needs up to 2.00 USD. What those runs do not use is free again when they "
        "end. The next day begins at 2026-05-05 00:00 UTC. A maintainer can let it pass with "
        "`--override-budget`."
    )


async def test_what_a_day_holds_is_told_for_both(budget: RedisBudget) -> None:
    await budget.reserve("a", a_repo(name="other"), Decimal(2))
    await budget.reserve("b", a_repo(), Decimal(3))
    await budget.settle("b", Decimal(1))
    day = await budget.within(Decimal(5)).day(a_repo())
    assert (day.bot.spent, day.bot.set_aside, day.bot.free) == (1, 2, 7)
    assert (day.repository.spent, day.repository.set_aside, day.repository.free) == (1, 0, 4)
    assert (await budget.day(a_repo())).repository.free is None
    assert day.bot.free_at == datetime(2026, 5, 5, tzinfo=UTC)


async def test_a_day_that_was_begun_before_an_update_is_counted_on(
    budget: RedisBudget, redis: Redis
) -> None:
    """Amounts without an owner were reserved by an older version; they count for the bot."""
    await redis.hset("skillbench:budget:2026-05-04", "old", 9_000_000)
    await redis.set("skillbench:reservation:old", "skillbench:budget:2026-05-04")
    assert not await is_reserved(budget, "a", "2")
    await budget.settle("old", Decimal(1))
    assert await is_reserved(budget, "a", "9")


async def test_a_budget_survives_a_restart_and_begins_anew_with_an_emptied_redis(
    budget: RedisBudget, redis: Redis, day: Day
) -> None:
    """What still runs reserves once more; see `docs/design.md`, "Money is set aside whole"."""
    small = budget.within(Decimal(5))
    await small.reserve("a", a_repo(), Decimal(5))
    again = RedisBudget(redis, per_day=Decimal(10), clock=day, of_repository=Decimal(5))
    assert not await is_reserved(again, "b", "1")
    await redis.flushall()
    assert await is_reserved(again, "a", "5")
    assert not await is_reserved(again, "b", "1")
