"""Nobody is refused for asking too fast where the provider has said how fast is too fast."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from demo.model_api import HttpError, Reply
from demo.model_api.asked import Asked
from demo.model_api.steps import Step
from jobs.conversation import ConversationEnd, ConversationSpec
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.pace import LOOK_S, SCARCE, Pace
from jobs.models.retries import RetryPolicy
from tests.builders import some_limits
from tests.jobs.models.talking import Talker


def anthropic(
    remaining: int, seconds: float, unit: str = "requests", limit: int = 1000
) -> dict[str, str]:
    reset = datetime.now(UTC) + timedelta(seconds=seconds)
    return {
        f"anthropic-ratelimit-{unit}-limit": str(limit),
        f"anthropic-ratelimit-{unit}-remaining": str(remaining),
        f"anthropic-ratelimit-{unit}-reset": reset.isoformat().replace("+00:00", "Z"),
    }


def openai(remaining: int, reset: str, unit: str = "requests", limit: int = 1000) -> dict[str, str]:
    return {
        f"x-ratelimit-limit-{unit}": str(limit),
        f"x-ratelimit-remaining-{unit}": str(remaining),
        f"x-ratelimit-reset-{unit}": reset,
    }


class Clock:
    """Time that passes only while somebody sleeps on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        self._real = asyncio.sleep
        monkeypatch.setattr(asyncio, "sleep", self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds
        await self._real(0)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def test_nobody_waits_while_much_is_left(clock: Clock) -> None:
    pace = Pace(clock=clock)
    assert await pace.turn() == 0
    pace.learn(anthropic(remaining=900, seconds=60))
    assert [await pace.turn() for _ in range(50)] == [0.0] * 50


@pytest.mark.parametrize(
    "told",
    [
        lambda: anthropic(remaining=0, seconds=60),
        lambda: openai(remaining=0, reset="1m0s"),
        lambda: openai(remaining=0, reset="60s"),
        lambda: openai(remaining=0, reset="60000ms"),
        lambda: {
            "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"
        },
    ],
)  # fmt: skip
async def test_where_nothing_is_left_requests_go_as_fast_as_it_comes_back(
    clock: Clock, told: Callable[[], dict[str, str]]
) -> None:
    """A thousand in a minute: one each 60 ms."""
    pace = Pace(clock=clock)
    await pace.turn()
    pace.learn(told())
    assert await pace.turn() == pytest.approx(0.06, rel=0.3)


async def test_it_slows_down_before_the_limit(clock: Clock) -> None:
    pace = Pace(clock=clock)
    await pace.turn()
    pace.learn(openai(remaining=int(1000 * SCARCE) + 2, reset="60s"))
    assert [await pace.turn(), await pace.turn()] == [0, 0]
    assert await pace.turn() > 0


async def test_tokens_are_counted_beside_requests(clock: Clock) -> None:
    pace = Pace(clock=clock)
    await pace.turn()
    pace.learn(anthropic(remaining=90, seconds=60) | openai(1000, "60s", "tokens", limit=10_000))
    pace = Pace(clock=clock)
    await pace.turn()
    pace.learn(anthropic(remaining=1_000, seconds=60, unit="input-tokens", limit=10_000))
    assert await pace.turn(tokens=100) == pytest.approx(60 * 100 / 9_000, rel=0.05)
    assert await pace.turn(tokens=2_000) > 10


async def test_after_the_reset_nobody_waits(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.learn(openai(remaining=0, reset="30s", limit=2))
    clock.now += 31
    assert await pace.turn() == 0


async def test_after_a_refusal_all_wait_as_long_as_was_asked_and_come_back_in_order(
    clock: Clock,
) -> None:
    pace = Pace(clock=clock)
    pace.slow_down(20.0)
    came: list[int] = []

    async def go(number: int) -> float:
        await pace.turn()
        came.append(number)
        return clock.now

    began = clock.now
    times = await asyncio.gather(*(go(number) for number in range(4)))
    assert came == [0, 1, 2, 3]
    assert min(times) - began >= 20
    assert all(later > earlier for earlier, later in pairwise(times))


async def test_many_refusals_at_once_slow_down_once_and_answers_ease_it(clock: Clock) -> None:
    pace = Pace(clock=clock)
    await pace.turn()
    for _ in range(100):
        pace.slow_down(None)
    waited = await pace.turn()
    assert 0 < waited <= LOOK_S
    for _ in range(100):
        pace.count_answer()
    assert await pace.turn() == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "1s"},
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"},
        {"x-ratelimit-remaining-requests": "0"},
        {"anthropic-ratelimit-requests-reset": "yesterday"},
        {"anthropic-ratelimit-": "", "x-ratelimit-": "1"},
        {"x-ratelimit-remaining-requests": "9" * 40, "x-ratelimit-reset-requests": "1s"},
    ],
)
async def test_what_cannot_be_read_says_nothing(clock: Clock, headers: dict[str, str]) -> None:
    pace = Pace(clock=clock)
    await pace.turn()
    pace.learn(headers)
    assert await pace.turn() == 0


async def test_a_provider_that_asks_for_a_day_does_not_stop_us_for_ever(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.slow_down(86_400.0)
    assert await pace.turn() < 1_000


async def test_of_many_who_ask_too_fast_nobody_fails(talker: Talker) -> None:
    """A provider that serves ten at a time and refuses the rest, who have few attempts."""
    agent = ModelAgent(
        Doors(talker.settings()), retries=RetryPolicy(attempts=3, first_s=0.02, most_s=0.05)
    )
    inside = 0

    async def leave(seconds: float) -> None:
        nonlocal inside
        await asyncio.sleep(seconds)
        inside -= 1

    leaving: set[asyncio.Task[None]] = set()

    def serve(_: Asked) -> Step:
        nonlocal inside
        if inside >= 10:
            return HttpError(status=429, type="rate_limit_error")
        inside += 1
        leaving.add(asyncio.ensure_future(leave(0.05)))
        return Reply(text="Done.")

    async def ask(number: int) -> ConversationEnd:
        spec = ConversationSpec(
            model=talker.model(),
            system="You work.",
            prompt=f"ask {number}",
            toolbox=None,
            limits=some_limits(),
            max_answer_tokens=100,
        )
        return await agent.converse(spec, talker.sink)

    talker.api.script(serve, forever=True)
    async with asyncio.timeout(60):
        ends = await asyncio.gather(*(ask(number) for number in range(60)))
    assert {end.end for end in ends} == {"completed"}
    assert sum(end.retries for end in ends) > 0
