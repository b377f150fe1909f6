"""A run does every case once, within its limits, and goes on where it was left."""

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest

from jobs.conversation import ConversationSpec
from jobs.datasets.finishing import Finisher
from jobs.datasets.plan import Wanted, make_run_plan
from jobs.datasets.ready import USUAL_CASE_USD, make_ready
from jobs.datasets.resuming import rerun_errors, resume
from jobs.datasets.running import run_dataset
from jobs.errors import Refused, Transient
from tests.builders import NOON
from tests.jobs.datasets.running import (
    Catalog,
    RuledAgent,
    Seen,
    dataset_world,
    right,
    write_suite,
)

SAMPLE = Wanted(benchmark="demo", dataset="sample")


async def test_every_case_runs_once_and_is_stored(tmp_path: Path) -> None:
    dataset, agent, seen = write_suite(tmp_path / "data"), RuledAgent(right), Seen()
    async with dataset_world(tmp_path, agent) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        assert await run_dataset(ready, world, seen)
        stored = [one async for one in world.keeping.cases(ready.plan)]
    assert [one.id for one in stored] == ["c0", "c1", "c2", "c3"]
    assert {one.grade.outcome for one in stored} == {"pass"}
    assert sorted(agent.asked) == ["say c0", "say c1", "say c2", "say c3"]
    assert sorted(seen.began_ids) == sorted(one.id for one in seen.results)


@pytest.mark.parametrize(("asked", "of_suite", "most"), [(2, 0, 2), (None, 3, 3), (0, 3, 6)])
async def test_no_more_cases_are_in_flight_than_was_said(
    tmp_path: Path, asked: int | None, of_suite: int, most: int
) -> None:
    """`-p`, else what the suite says; 0 is no limit."""
    gate = asyncio.Event()

    async def wait(spec: ConversationSpec) -> str:
        if agent.in_flight == most:
            gate.set()
        await gate.wait()
        return await right(spec)

    agent = RuledAgent(wait)
    dataset = write_suite(tmp_path / "data", cases=6, max_concurrency=of_suite)
    wanted = SAMPLE.model_copy(update={"parallel": asked})
    async with dataset_world(tmp_path, agent) as world, asyncio.timeout(30):
        ready = await make_ready(make_run_plan(wanted, dataset, NOON), dataset, world)
        assert await run_dataset(ready, world, Seen())
    assert agent.most_in_flight == most


async def test_what_has_ended_is_never_run_again(tmp_path: Path) -> None:
    """The third case is in flight when its worker goes; the first two are not paid for again."""
    reached = asyncio.Event()

    async def stuck(spec: ConversationSpec) -> str:
        if spec.prompt == "say c2":
            reached.set()
            await asyncio.Event().wait()
        return await right(spec)

    dataset = write_suite(tmp_path / "data")
    plan = make_run_plan(SAMPLE.model_copy(update={"parallel": 1}), dataset, NOON)
    async with dataset_world(tmp_path, RuledAgent(stuck)) as world:
        ready = await make_ready(plan, dataset, world)
        await world.keeping.put_plan(ready.plan)
        going = asyncio.create_task(run_dataset(ready, world, Seen()))
        await reached.wait()
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
    agent, seen = RuledAgent(right), Seen()
    async with dataset_world(tmp_path, agent) as world:
        plan = await resume(SAMPLE, dataset, world.keeping)
        assert await run_dataset(await make_ready(plan, dataset, world), world, seen)
    assert sorted(agent.asked) == ["say c2", "say c3"]
    assert sorted(one.id for one in seen.results) == ["c0", "c1", "c2", "c3"]
    assert seen.began_ids == ["c2", "c3"]


async def test_no_case_is_begun_once_money_could_run_out(tmp_path: Path) -> None:
    """A case costs one cent, and is first taken to cost what is usual."""
    agent = RuledAgent(right)
    dataset = write_suite(tmp_path / "data", cases=20)
    wanted = SAMPLE.model_copy(update={"max_usd": USUAL_CASE_USD})
    async with dataset_world(tmp_path, agent) as world:
        ready = await make_ready(make_run_plan(wanted, dataset, NOON), dataset, world)
        assert not await run_dataset(ready, world, Seen())
        summary = await Finisher(ready, world.keeping, lambda: NOON).finish(
            tmp_path / "report.json", "out_of_money"
        )
    assert len(agent.asked) == 5
    assert summary["graded_count"] == 5
    assert summary["missing_count"] == 15
    assert any("limit of 0.05 USD was reached" in note for note in summary["notes"])


async def test_what_was_spent_is_known_before_more_of_it_is(tmp_path: Path) -> None:
    """The first cases were in flight when their worker died; all others had cost five cents."""
    dataset = write_suite(tmp_path / "data", cases=8)
    wanted = SAMPLE.model_copy(update={"max_usd": USUAL_CASE_USD, "parallel": 3})
    agent = RuledAgent(right)
    async with dataset_world(tmp_path, agent) as world:
        plan = make_run_plan(wanted, dataset, NOON)
        later = plan.model_copy(update={"cases": plan.cases[3:]})
        assert await run_dataset(await make_ready(later, dataset, world), world, Seen())
        assert not await run_dataset(await make_ready(plan, dataset, world), world, Seen())
    assert len(agent.asked) == 5


async def test_without_room_for_one_case_nothing_is_begun(tmp_path: Path) -> None:
    agent = RuledAgent(right)
    dataset = write_suite(tmp_path / "data")
    wanted = SAMPLE.model_copy(update={"max_usd": Decimal("0.001")})
    async with dataset_world(tmp_path, agent) as world:
        ready = await make_ready(make_run_plan(wanted, dataset, NOON), dataset, world)
        assert not await run_dataset(ready, world, Seen())
    assert not agent.asked


async def test_the_next_run_expects_what_the_last_one_took(tmp_path: Path) -> None:
    dataset = write_suite(tmp_path / "data")
    async with dataset_world(tmp_path, RuledAgent(right)) as world:
        plan = make_run_plan(SAMPLE, dataset, NOON)
        ready = await make_ready(plan, dataset, world)
        assert (ready.estimate.rests_on, ready.estimate.usd) == (0, 4 * USUAL_CASE_USD)
        await run_dataset(ready, world, Seen())
        await Finisher(ready, world.keeping, lambda: NOON).finish(tmp_path / "r.json", "complete")
        again = await make_ready(plan, dataset, world)
    assert (again.estimate.rests_on, again.estimate.usd) == (4, Decimal("0.04"))


async def test_a_store_that_fails_ends_the_run_as_a_platform_does(tmp_path: Path) -> None:
    dataset = write_suite(tmp_path / "data")
    async with dataset_world(tmp_path, RuledAgent(right)) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        folder = tmp_path / "blobs" / "datasets" / ready.plan.run_id
        folder.mkdir(parents=True)
        (folder / "cases").write_text("a file where a folder must be")
        with pytest.raises(Transient):
            await run_dataset(ready, world, Seen())


async def test_models_are_found_once_and_an_alias_that_moves_splits_no_run(
    tmp_path: Path,
) -> None:
    dataset, catalog = write_suite(tmp_path / "data"), Catalog()
    catalog.sent["m"] = "m-1"
    async with dataset_world(tmp_path, RuledAgent(right), catalog) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        assert catalog.asked == ["m"], "what is compared by rule needs no judge"
        await world.keeping.put_plan(ready.plan)
    catalog.sent["m"] = "m-2"
    agent = RuledAgent(right)
    async with dataset_world(tmp_path, agent, catalog) as world:
        plan = await resume(SAMPLE, dataset, world.keeping)
        await run_dataset(await make_ready(plan, dataset, world), world, Seen())
    assert set(agent.models) == {"m-1"}


async def test_what_is_unknown_is_refused_by_name_before_anything_is_asked(tmp_path: Path) -> None:
    dataset, agent = write_suite(tmp_path / "data"), RuledAgent(right)
    with pytest.raises(Refused, match="has no case `x1`, `x2`"):
        make_run_plan(SAMPLE.model_copy(update={"ids": ("x1", "c0", "x2")}), dataset, NOON)
    async with dataset_world(tmp_path, agent) as world:
        typed = SAMPLE.model_copy(update={"typed": {"model": "nobody"}})
        with pytest.raises(Refused, match="no provider knows `nobody`"):
            await make_ready(make_run_plan(typed, dataset, NOON), dataset, world)
    assert not agent.asked


async def test_a_file_that_has_changed_is_not_carried_on(tmp_path: Path) -> None:
    dataset = write_suite(tmp_path / "data")
    async with dataset_world(tmp_path, RuledAgent(right)) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        await world.keeping.put_plan(ready.plan)
        changed = write_suite(tmp_path / "data", cases=5)
        with pytest.raises(Refused) as refused:
            await resume(SAMPLE, changed, world.keeping)
    assert dataset.digest in str(refused.value)
    assert changed.digest in str(refused.value)


async def test_options_that_contradict_the_run_are_refused_by_name(tmp_path: Path) -> None:
    dataset = write_suite(tmp_path / "data")
    async with dataset_world(tmp_path, RuledAgent(right)) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        await world.keeping.put_plan(ready.plan)
        other = SAMPLE.model_copy(update={"typed": {"model": "z"}, "judge": "j", "limit": 2})
        with pytest.raises(Refused) as refused:
            await resume(other, dataset, world.keeping)
        for part in ("`--model z`", "`--eval-model j`", "`--limit 2`"):
            assert part in str(refused.value)
        new = SAMPLE.model_copy(update={"parallel": 7, "max_usd": Decimal(3), "limit": 4})
        plan = await resume(new, dataset, world.keeping)
        assert (plan.parallel, plan.max_usd) == (7, Decimal(3))
        with pytest.raises(Refused, match="no run `ffffffffffff`"):
            await resume(SAMPLE, dataset, world.keeping, run_id="ffffffffffff")


async def test_only_the_ungraded_cases_are_run_again_and_the_report_is_whole(
    tmp_path: Path,
) -> None:
    async def sick(spec: ConversationSpec) -> str:
        return "!stalled" if spec.prompt in {"say c1", "say c3"} else await right(spec)

    dataset = write_suite(tmp_path / "data")
    async with dataset_world(tmp_path, RuledAgent(sick)) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        await world.keeping.put_plan(ready.plan)
        with pytest.raises(Refused, match="no finished run"):
            await rerun_errors(SAMPLE, dataset, world.keeping, NOON)
        await run_dataset(ready, world, Seen())
        await Finisher(ready, world.keeping, lambda: NOON).finish(tmp_path / "r.json", "complete")
        with pytest.raises(Refused, match="no unfinished run"):
            await resume(SAMPLE, dataset, world.keeping)
    agent = RuledAgent(right)
    async with dataset_world(tmp_path, agent) as world:
        plan = await rerun_errors(SAMPLE, dataset, world.keeping, NOON)
        ready = await make_ready(plan, dataset, world)
        await world.keeping.put_plan(ready.plan)
        await run_dataset(ready, world, Seen())
        stored = [one async for one in world.keeping.cases(plan)]
        await Finisher(ready, world.keeping, lambda: NOON).finish(tmp_path / "s.json", "complete")
        with pytest.raises(Refused, match="a grade for each of its 4 cases"):
            await rerun_errors(SAMPLE, dataset, world.keeping, NOON, run_id=plan.run_id)
    assert sorted(agent.asked) == ["say c1", "say c3"]
    assert [one.attempts for one in stored] == [1, 2, 1, 2]
    assert {one.grade.outcome for one in stored} == {"pass"}


async def test_what_another_run_has_paid_for_is_no_spending_of_this_one(tmp_path: Path) -> None:
    """It is run again, its worker dies once all but one are taken over, and money is left."""
    is_sick = True

    async def sick(spec: ConversationSpec) -> str:
        return "!stalled" if is_sick and spec.prompt == "say c7" else await right(spec)

    dataset = write_suite(tmp_path / "data", cases=8)
    agent = RuledAgent(sick)
    async with dataset_world(tmp_path, agent) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        await world.keeping.put_plan(ready.plan)
        await run_dataset(ready, world, Seen())
        await Finisher(ready, world.keeping, lambda: NOON).finish(tmp_path / "r.json", "complete")
        plan = await rerun_errors(SAMPLE, dataset, world.keeping, NOON)
        plan = plan.model_copy(update={"max_usd": USUAL_CASE_USD})
        again = await make_ready(plan, dataset, world)
        is_sick = False
        assert await run_dataset(again, world, Seen(), only=plan.cases[:7])
        assert await run_dataset(again, world, Seen())
    assert agent.asked.count("say c7") == 2
