"""How a run begins: with a look at what has ended, and one case after another."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.blobs import Blobs
from jobs.conversation import ConversationSpec
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.plan import Wanted, make_run_plan
from jobs.datasets.ready import make_ready
from jobs.datasets.running import run_dataset
from tests.builders import NOON
from tests.jobs.datasets.running import RuledAgent, Seen, dataset_world, right, write_suite

SAMPLE = Wanted(benchmark="demo", dataset="sample")


async def test_a_new_run_reads_no_case_and_one_that_goes_on_only_those_that_have_ended(
    tmp_path: Path,
) -> None:
    class Noting(Blobs):
        async def get(self, key: str) -> bytes | None:
            read.append(key)
            return await super().get(key)

    read: list[str] = []
    dataset, seen = write_suite(tmp_path / "data"), Seen()
    async with dataset_world(tmp_path, RuledAgent(right)) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        keeping = DatasetKeeping(Noting((tmp_path / "blobs").as_uri()))
        noting = replace(world, keeping=keeping)
        assert await run_dataset(ready, noting, Seen(), only=["c1"])
        assert read == []
        assert await run_dataset(ready, noting, seen)
    assert len(read) == 1
    assert seen.results[0].id == "c1"
    assert sorted(seen.began_ids) == ["c0", "c2", "c3"]


async def test_a_run_that_is_cancelled_as_it_begins_has_not_begun_every_case(
    tmp_path: Path,
) -> None:
    """The first cases begin one after another, so that they are not all answered at once."""

    async def cancel(_: ConversationSpec) -> str:
        going.cancel()
        await asyncio.Event().wait()
        raise AssertionError

    dataset, agent = write_suite(tmp_path / "data", cases=200), RuledAgent(cancel)
    async with dataset_world(tmp_path, agent) as world:
        ready = await make_ready(make_run_plan(SAMPLE, dataset, NOON), dataset, world)
        going = asyncio.create_task(run_dataset(ready, world, Seen()))
        with pytest.raises(asyncio.CancelledError):
            await going
    assert "say c0" in agent.asked
    assert len(agent.asked) < 200
