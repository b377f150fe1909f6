"""How often and how long: bounded, backing off, never shorter than GitHub says."""

import pytest

from bot.github.failures import Forbidden, Limited, ServerTrouble
from bot.github.retry import LONGEST_WAIT_S, TRIES_ON_LIMIT, TRIES_ON_TROUBLE, run_with_retries
from jobs.errors import Transient
from tests.bot.github.clocks import StoppedClock


class Script:
    """An attempt that fails as told, then succeeds; knows which waits it was told of."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.tries = 0
        self.announced: list[float] = []

    async def attempt(self) -> str:
        self.tries += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"

    async def on_limit(self, seconds: float) -> None:
        self.announced.append(seconds)

    async def run(self, clock: StoppedClock) -> str:
        return await run_with_retries(self.attempt, timing=clock.timing, on_limit=self.on_limit)


async def test_trouble_is_retried_with_growing_pauses():
    script, clock = Script(*[ServerTrouble("502")] * 4), StoppedClock()
    assert await script.run(clock) == "done"
    assert clock.waits == [0.375, 0.75, 1.5, 3.0]
    assert script.announced == []


async def test_lasting_trouble_ends_as_transient_after_a_few_tries():
    script, clock = Script(*[ServerTrouble("502")] * 99), StoppedClock()
    with pytest.raises(Transient, match="502"):
        await script.run(clock)
    assert script.tries == TRIES_ON_TROUBLE
    assert sum(clock.waits) < 10


async def test_a_limit_without_a_time_waits_a_minute_at_least_and_then_longer():
    script, clock = Script(*[Limited("limit", wait_s=None)] * 3), StoppedClock()
    assert await script.run(clock) == "done"
    assert 60 <= clock.waits[0] < 62
    assert 120 <= clock.waits[1] < 122
    assert 240 <= clock.waits[2] < 242
    assert script.announced == clock.waits


async def test_a_limit_with_a_time_waits_that_long_and_hardly_longer():
    script, clock = Script(Limited("limit", wait_s=7)), StoppedClock()
    assert await script.run(clock) == "done"
    assert 7 <= clock.waits[0] < 8


async def test_a_limit_of_an_hour_is_handed_back_with_the_time_to_come_again():
    script, clock = Script(Limited("limit", wait_s=3000)), StoppedClock()
    with pytest.raises(Transient) as caught:
        await script.run(clock)
    assert clock.waits == []
    assert caught.value.retry_after is not None
    assert 3000 <= caught.value.retry_after.total_seconds() < 3002


async def test_limits_that_never_end_are_waited_for_in_bounded_time():
    script, clock = Script(*[Limited("limit", wait_s=None)] * 99), StoppedClock()
    with pytest.raises(Transient):
        await script.run(clock)
    assert sum(clock.waits) <= LONGEST_WAIT_S


async def test_limits_that_name_no_real_wait_end_too():
    script, clock = Script(*[Limited("limit", wait_s=0)] * 99), StoppedClock()
    with pytest.raises(Transient):
        await script.run(clock)
    assert script.tries == TRIES_ON_LIMIT
    assert clock.waits == sorted(clock.waits)


async def test_what_is_final_is_not_tried_again():
    script, clock = Script(Forbidden("no")), StoppedClock()
    with pytest.raises(Forbidden):
        await script.run(clock)
    assert script.tries == 1
