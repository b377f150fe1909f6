"""Canaries are paid for once whatever ends the worker, and hold up no result."""

import asyncio
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import ConversationSpec
from jobs.errors import Refused, Transient
from jobs.side_purse import MOST_BEGINNINGS
from jobs.weak_evals.canaries import (
    check_canaries,
    find_newest_check,
    with_canaries,
)
from jobs.weak_evals.canary_check import CanaryCheck
from tests.builders import (
    a_result,
    a_run_spec,
)
from tests.jobs.judging.scripted_agent import (
    Reply,
    an_end,
)
from tests.jobs.weak_evals.canary_scene import (
    ALL_FAIL,
    CASE,
    FOOLED,
    PRICE,
    SHARE,
    Killed,
    Purse,
    Scene,
    another_run,
)


async def test_two_runs_at_once_pay_for_one_reading(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])
    one, other = await asyncio.gather(scene.check(), scene.check(another_run()))
    assert one == other
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_a_run_carried_out_again_is_told_the_same_and_pays_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED, ALL_FAIL])
    first = await scene.check()
    shutil.rmtree(tmp_path / "blobs" / "canaries")
    assert await scene.check() == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_a_reading_that_was_kept_and_not_told_is_found(tmp_path: Path) -> None:
    """The worker died between the two."""
    scene = Scene(tmp_path, [FOOLED])
    first = await scene.check()
    spec = a_run_spec()
    await scene.blobs.delete(f"runs/{spec.run_id}/canaries.json")
    scene.purse.taken = dict.fromkeys(scene.purse.taken, SHARE)
    assert await scene.check() == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_what_a_lost_worker_had_asked_is_counted_whole(tmp_path: Path) -> None:
    def die(_: ConversationSpec) -> str:
        raise Killed

    scene = Scene(tmp_path, [die, FOOLED])
    with pytest.raises(Killed):
        await scene.check()
    assert (await scene.check() or CanaryCheck(judge="", prompt_version="")).satisfied
    assert sorted(scene.paid) == [PRICE, SHARE]


async def test_a_reading_is_not_lost_for_ever(tmp_path: Path) -> None:
    def die(_: ConversationSpec) -> str:
        raise Killed

    scene = Scene(tmp_path, [die])
    for _ in range(MOST_BEGINNINGS):
        with pytest.raises(Killed):
            await scene.check()
    check = await scene.check()
    assert check is not None
    assert check.problem == "the reading was begun 3 times and never ended"
    assert len(scene.agent.asked) == MOST_BEGINNINGS


async def test_a_worker_that_is_told_to_leave_settles_what_it_knows(tmp_path: Path) -> None:
    def leave(_: ConversationSpec) -> str:
        raise asyncio.CancelledError

    scene = Scene(tmp_path, [leave, FOOLED])
    with pytest.raises(asyncio.CancelledError):
        await scene.check()
    assert scene.paid == [Decimal(0)]
    assert list((tmp_path / "scratch").iterdir()) == []
    assert await scene.check() is not None


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (an_end(end="rate_limited"), "kept refusing requests for their rate"),
        (an_end(end="refused"), "declined to answer"),
        ("No verdict of mine.", "gave no readable answer"),
    ],
)
async def test_a_judge_that_fails_is_no_verdict_on_the_case(
    tmp_path: Path, reply: Reply, problem: str
) -> None:
    scene = Scene(tmp_path, [reply])
    check = await scene.check()
    assert check is not None
    assert problem in check.problem
    assert (check.assertions, check.satisfied, check.lets_one_pass) == ((), (), False)
    assert sum(scene.paid) == PRICE * len(scene.agent.asked)
    assert await find_newest_check(CASE.digest, scene.blobs) is None


async def test_what_failed_for_one_run_is_read_for_the_next(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [an_end(end="error"), FOOLED])
    failed = await scene.check()
    assert await scene.check() == failed
    assert len(scene.agent.asked) == 1
    check = await scene.check(another_run())
    assert check is not None
    assert check.passed_assertions == ("A2",)
    assert await find_newest_check(CASE.digest, scene.blobs) == check


async def test_a_spent_day_leaves_the_case_unchecked(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED], Purse(per_day=Decimal("0.1")))
    check = await scene.check()
    assert check is not None
    assert check.problem == "today's money is spent"
    assert (scene.agent.asked, scene.paid) == ([], [])


async def test_inputs_that_are_gone_leave_the_case_unchecked(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def refuse(_: Path) -> None:
        raise Refused("`data.csv` is no file at commit 0123456789ab.")

    await check_canaries(a_result(), refuse, scene.hold, scene.world)
    found = (await with_canaries(a_result(), scene.world.blobs)).canaries
    assert found is not None
    assert found.problem == "`data.csv` is no file at commit 0123456789ab"
    assert (scene.agent.asked, scene.paid) == ([], [Decimal(0)])


async def test_a_defect_of_ours_costs_the_check_and_not_the_result(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def broken(_: Path) -> None:
        raise ValueError("ours")

    await check_canaries(a_result(), broken, scene.hold, scene.world)
    assert (await with_canaries(a_result(), scene.world.blobs)).canaries is None
    assert scene.paid == [Decimal(0)]


async def test_a_store_that_is_away_is_waited_for(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def away(_: Path) -> None:
        raise Transient("the store is away")

    with pytest.raises(Transient):
        await check_canaries(a_result(), away, scene.hold, scene.world)
