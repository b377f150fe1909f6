"""Workers die with sessions under way: what that is counted as, and when it is given up."""

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.store.budget import RedisBudget
from config.settings import Settings
from jobs.comparison import Finished, Sources, run_comparison
from jobs.content.snapshot import Snapshot
from jobs.judging.judge import AgentJudge
from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.sessions.bundle import write_bundle
from jobs.sessions.prepared import Prepared, Proven
from jobs.sessions.session_spec import SessionSpec
from jobs.steps import SessionKey
from jobs.values import Arm, Mode, RunSpec, SessionEnd, SessionResult
from jobs.world import Launchers, RunWorld
from tests.builders import NOON, a_run_spec, a_session, a_skill, a_usage, an_eval_case
from tests.jobs.content.trees import WORD_COUNT, write_tree
from tests.money import spent_today

SHARE = Decimal(2)
"""Of a session, where a run may cost 5 USD."""
SPENT = Decimal("0.10")


class WorkerLost(Exception):  # noqa: N818
    """Stands for kill -9: whatever was under way is never heard of again."""


@dataclass
class Launcher:
    """Sessions that end as they are told; an end is a worker's loss where it is None."""

    ends: dict[Arm, SessionEnd | None]
    begun: list[Arm] = field(default_factory=list)

    def check(self, _: RunSpec) -> None:
        """Any run will do."""

    def tools(self, _: Mode) -> tuple[str, ...]:
        return ()

    async def prove(self, _: Prepared, __: Path) -> Proven:
        return Proven()

    async def run(self, session: SessionSpec) -> SessionResult:
        self.begun.append(session.arm)
        end = self.ends[session.arm]
        if end is None:
            raise WorkerLost
        usage = a_usage(cost_usd=SPENT)
        result = a_session(session.arm, end=end, outputs=(), usage=usage)
        write_bundle(session.bundle, result, session.scratch / "none", session.scratch)
        return result


@dataclass
class Scene:
    """One run, and the workers that try it one after another."""

    snapshot: Snapshot
    folder: Path
    budget: RedisBudget
    workers: int = 0

    async def attempt(self, launcher: Launcher) -> Finished:
        async def moved(state: str, detail: str = "", /) -> None:
            pass

        self.workers += 1
        world = RunWorld(
            launchers=Launchers({"api": launcher}, {}),
            environments=cast("object", None),  # type: ignore[arg-type]
            sandboxes=cast("object", None),  # type: ignore[arg-type]
            judge=cast("AgentJudge", None),
            catalog=cast("object", None),  # type: ignore[arg-type]
            blobs=Blobs(f"file://{self.folder}/blobs"),
            budget=self.budget,
            settings=Settings(_env_file=None, data_dir=self.folder, max_usd_per_run="5"),
            clock=lambda: NOON + timedelta(minutes=1),
            scratch=self.folder / f"worker-{self.workers}",
        )
        case = an_eval_case(inputs=())
        spec = a_run_spec(skill=a_skill(path="word-count"), eval_case=case)
        return await run_comparison(spec, Sources.of(spec, self.snapshot), world, moved)

    async def lose(self, **ends: SessionEnd) -> None:
        """A worker is lost, after the sessions that are named had ended."""
        chosen = {arm: ends.get(arm.value) for arm in Arm}
        with pytest.raises(WorkerLost):
            await self.attempt(Launcher(chosen))


@pytest.fixture
def scene(tmp_path: Path, redis: Redis) -> Scene:
    snapshot = write_tree(tmp_path / "tree", {"word-count/SKILL.md": WORD_COUNT})
    return Scene(snapshot, tmp_path, RedisBudget(redis, per_day=Decimal(50)))


def ending() -> Launcher:
    """Sessions that the platform ends, so that no judge is needed."""
    return Launcher(dict.fromkeys(Arm, SessionEnd.STALLED))


async def test_a_run_that_nothing_befell_is_settled_with_what_it_cost(scene) -> None:
    finished = await scene.attempt(ending())
    assert finished.result.lost_attempts == 0
    assert await spent_today(scene.budget) == 2 * SPENT


async def test_a_run_is_settled_with_the_sum_over_its_attempts(scene) -> None:
    """What was lost is counted whole, since nobody knows how much of it was spent."""
    await scene.lose()
    result = (await scene.attempt(ending())).result
    assert (result.lost_attempts, result.lost_usd) == (2, 2 * SHARE)
    assert result.known_cost_usd == 2 * SPENT
    assert await spent_today(scene.budget) == 2 * SPENT + 2 * SHARE
    assert "Up to 4.00 USD are counted for them" in result.remarks[0]


async def test_a_session_that_had_ended_is_no_loss(scene) -> None:
    await scene.lose(with_skill=SessionEnd.NO_OUTPUT)
    launcher = ending()
    result = (await scene.attempt(launcher)).result
    assert launcher.begun == [Arm.WITHOUT_SKILL]
    assert (result.lost_attempts, result.lost_usd) == (1, SHARE)


async def test_a_run_begun_three_times_in_vain_is_given_up_unpaid_and_says_why(scene) -> None:
    for _ in range(3):
        await scene.lose()
    launcher = ending()
    result = (await scene.attempt(launcher)).result
    assert launcher.begun == []
    assert not result.graded
    assert "was begun 3 times and never ended" in result.ungraded_reason
    assert await spent_today(scene.budget) == result.lost_usd == 6 * SHARE
    report = render_report(result, ReportContext(archive_absent="none here"))
    assert "Not graded" in report
    assert "begun 3 times" in report


async def test_what_had_ended_of_a_run_that_is_given_up_is_reported_and_counted(scene) -> None:
    await scene.lose(with_skill=SessionEnd.NO_OUTPUT)
    await scene.lose()
    await scene.lose()
    finished = await scene.attempt(ending())
    assert [session.arm for session in finished.result.sessions] == [Arm.WITH_SKILL]
    assert finished.bundles.keys() == {SessionKey(Arm.WITH_SKILL, 1)}
    assert await spent_today(scene.budget) == SPENT + 3 * SHARE


async def test_publishing_a_run_that_was_given_up_may_be_tried_again(scene) -> None:
    for _ in range(3):
        await scene.lose()
    first = await scene.attempt(ending())
    second = await scene.attempt(ending())
    assert second.result == first.result
    assert second.bundles == {}
    assert await spent_today(scene.budget) == 6 * SHARE
