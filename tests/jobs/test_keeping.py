"""What is known of a step that a lost worker had begun, and what that does to the day's money."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest

from bot.blobs import Blobs
from jobs.errors import OverBudget
from jobs.keeping import MOST_BEGINNINGS, GivenUp, begin, find_begun, note_begun, note_spent
from jobs.requests import Repo
from jobs.world import RunWorld
from tests.builders import NOON, a_request, a_result

SHARE = Decimal(2)


@dataclass
class Purse:
    """A day's money, by what it was set aside for."""

    per_day: Decimal
    taken: dict[str, Decimal] = field(default_factory=dict)

    async def reserve(self, run_id: str, _: Repo, usd: Decimal) -> None:
        taken = self.taken | {run_id: usd}
        if sum(taken.values()) > self.per_day:
            raise OverBudget("spent")
        self.taken = taken


@dataclass
class Keeping:
    """The two parts of a world that keeping needs."""

    blobs: Blobs
    budget: Purse


@pytest.fixture
def keep(tmp_path: Path) -> Callable[[Purse], RunWorld]:
    def make(purse: Purse) -> RunWorld:
        return cast("RunWorld", Keeping(Blobs(f"file://{tmp_path}/blobs"), purse))

    return make


async def test_a_step_that_begins_once_sets_nothing_more_aside(keep) -> None:
    await begin("with_skill-1", a_result().spec, SHARE, keep(purse := Purse(Decimal(10))))
    assert purse.taken == {}


async def test_each_worker_lost_with_a_session_is_counted_as_having_spent_it_whole(keep) -> None:
    world = keep(purse := Purse(Decimal(10)))
    for _ in range(3):
        await begin("with_skill-1", a_result().spec, SHARE, world)
    assert list(purse.taken.values()) == [SHARE, SHARE]


async def test_workers_that_were_told_to_leave_are_no_sign_of_a_broken_session(keep) -> None:
    """Four deployments within one session, then three workers that were lost with it."""
    world, spec = keep(Purse(Decimal(100))), a_result().spec
    for _ in range(4):
        await begin("with_skill-1", spec, SHARE, world)
        await note_spent("with_skill-1", spec, Decimal("0.1"), world)
    for _ in range(3):
        await begin("with_skill-1", spec, SHARE, world)
    with pytest.raises(GivenUp):
        await begin("with_skill-1", spec, SHARE, world)


async def test_interruptions_without_end_do_not_pay_without_end(keep) -> None:
    world, spec = keep(Purse(Decimal(100))), a_result().spec
    for _ in range(MOST_BEGINNINGS):
        await begin("with_skill-1", spec, SHARE, world)
        await note_spent("with_skill-1", spec, Decimal("0.1"), world)
    with pytest.raises(GivenUp):
        await begin("with_skill-1", spec, SHARE, world)


async def test_a_session_that_keeps_taking_workers_down_ends_at_the_days_limit(keep) -> None:
    world = keep(Purse(Decimal(3)))
    for _ in range(2):
        await begin("with_skill-1", a_result().spec, SHARE, world)
    with pytest.raises(OverBudget):
        await begin("with_skill-1", a_result().spec, SHARE, world)


async def test_a_request_has_begun_when_it_began_first(tmp_path: Path) -> None:
    """Not when its comment was posted, which may be before, nor when it was carried on."""
    blobs, request = Blobs(tmp_path.as_uri()), a_request()
    assert await find_begun(request, blobs) is None
    for later in range(2):
        await note_begun(request, NOON + timedelta(hours=later), blobs)
    assert await find_begun(request, blobs) == NOON
