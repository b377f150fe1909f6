"""One comparison on a local folder: the same road as on GitHub, without GitHub."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bot.cli.stopping import STOPPED, until_stopped
from bot.worlds import make_worlds
from config.settings import Settings
from config.tiers import TierName
from jobs.comparison import Finished, Sources, run_comparison
from jobs.content.cases import all_cases
from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot, copy_folder
from jobs.day_budget import Day, DaySpending
from jobs.errors import Refused
from jobs.planning.dedup import Known
from jobs.planning.plan import Plan, PlanInput, make_plan
from jobs.ports import Issue, Permission
from jobs.publishing import Report, write_report
from jobs.reporting import numbers
from jobs.requests import Repo, Request
from jobs.results import RunRecord, RunResult
from jobs.values import Launcher, Mode
from jobs.world import RunWorld

DONE, UNGRADED = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRun:
    """What the command line asks for."""

    path: Path
    skill: str | None
    eval_id: str | None
    environment: str | None
    mode: Mode | None
    trials: int | None
    until_sure: bool | None
    tier: TierName | None
    judge: str | None
    """None: what the folder's file says, else the settings; likewise the launcher."""
    launcher: Launcher | None
    output: Path


class NoLedger:
    """A local run asks nobody and remembers nothing."""

    async def find(self, _: str) -> RunRecord | None:
        return None

    async def record(self, record_key: str, record: RunRecord) -> None:
        pass

    async def note(self, record: RunRecord) -> None:
        pass

    async def records(self, _: str) -> tuple[RunRecord, ...]:
        return ()

    @asynccontextmanager
    async def hold(self, _: str) -> AsyncIterator[None]:
        yield


class NoDailyLimit:
    """A local run has the limit of a run, which its sessions keep; nobody else spends beside it."""

    def within(self, _: Decimal | None) -> Self:
        return self

    async def day(self, _: Repo) -> Day:
        none = DaySpending(
            limit=None, spent=Decimal(0), set_aside=Decimal(0), free_at=datetime.now(UTC)
        )
        return Day(bot=none, repository=none)

    async def reserve(self, run_id: str, repo: Repo, usd: Decimal) -> None:
        pass

    async def settle(self, run_id: str, usd: Decimal) -> None:
        pass


def run_locally(wanted: LocalRun, settings: Settings, scratch: Path) -> int:
    """Compare, write report, `result.json` and archive into the output folder.

    Gives 0 where the run is graded, else 1, or 130 where it was stopped. Raises `Refused`
    for anything that cannot be run, before anything is spent.
    """
    ended = until_stopped(_run(wanted, settings, scratch))
    return STOPPED if ended is None else ended


async def _run(wanted: LocalRun, settings: Settings, scratch: Path) -> int:
    console = Console(stderr=True)
    private = settings.model_copy(update={"blob_url": (scratch / "blobs").as_uri()})
    worlds = await make_worlds(private, budget=NoDailyLimit(), scratch=scratch / "runs")
    world = worlds.runs
    snapshot = await asyncio.to_thread(copy_folder, wanted.path, scratch / "folder")
    shelf = await asyncio.to_thread(find_skills, snapshot)
    eval_id = wanted.eval_id or await asyncio.to_thread(_only_case, snapshot, shelf, wanted.skill)
    plan_input = PlanInput(
        request=_request(wanted, eval_id, settings),
        issue=_no_issue(),
        snapshot=snapshot,
        shelf=shelf,
        check=world.launchers.check,
        known=Known(comments=(), permission=_nobody, ledger=NoLedger()),
    )
    plan = await make_plan(plan_input, world.catalog, settings)
    if not plan.runs:
        raise Refused("; ".join(f"{one.title}: {one.reason}" for one in plan.refused))
    if len(plan.runs) > 1:
        names = ", ".join(spec.skill.path for spec in plan.runs)
        raise Refused(f"this eval case has several skills ({names}); name one with --skill.")
    await asyncio.to_thread(_make_output_folder, wanted.output)
    finished = await _run_shown(plan, snapshot, world, console)
    await _write(finished, wanted.output, world, console)
    return DONE if finished.result.graded else UNGRADED


async def _run_shown(plan: Plan, snapshot: Snapshot, world: RunWorld, console: Console) -> Finished:
    """The run, with its state and time on the terminal."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        spec = plan.runs[0]
        title = f"{spec.eval_case.id}, {spec.skill.name}, {spec.model.sent}"
        task = progress.add_task(f"{title}: staging", total=None)

        async def moved(state: str, detail: str = "", /) -> None:
            shown = f"{state}, {detail}" if detail else state
            progress.update(task, description=f"{title}: {shown}")

        if plan.environment is not None:
            await moved(f"preparing the environment {plan.environment.name}")
        prepared = await world.environments.prepare(plan.environment)
        finished = await run_comparison(
            spec, Sources.of(spec, snapshot), world, moved, prepared=prepared
        )
        progress.update(task, description=f"{title}: ended", total=1, completed=1)
    return finished


async def _write(finished: Finished, output: Path, world: RunWorld, console: Console) -> None:
    report = await write_report(finished, world)
    await asyncio.to_thread(_write_files, finished.result, report, output)
    result = finished.result
    if result.with_skill and result.without_skill:
        console.print(
            f"with skill {numbers.percent(result.with_skill.score)}, "
            f"without {numbers.percent(result.without_skill.score)}"
        )
    else:
        console.print(f"ungraded: {result.ungraded_reason}")
    print(output / "report.md")


def _make_output_folder(output: Path) -> None:
    """Raises `Refused` where a report could not be kept, before it has cost anything."""
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refused(f"the folder `{output}` cannot be made: {problem.strerror}.") from None
    if not os.access(output, os.W_OK | os.X_OK):
        raise Refused(f"the folder `{output}` cannot be written to.")


def _write_files(result: RunResult, report: Report, output: Path) -> None:
    (output / "report.md").write_text(report.markdown, encoding="utf-8")
    (output / "result.json").write_text(result.model_dump_json(indent=1), encoding="utf-8")
    shutil.copyfile(report.archive.path, output / report.archive.name)


def _only_case(snapshot: Snapshot, shelf: SkillShelf, skill: str | None) -> str:
    """The folder's eval case, where there is one to choose. Raises `Refused` with the choices."""
    wanted = shelf.find(skill).path if skill else None
    cases = all_cases(snapshot, shelf)
    fitting = [
        case.id
        for case in cases
        if wanted is None or wanted in _paths(getattr(case, "target_skills", ()), shelf)
    ]
    if len(fitting) == 1:
        return fitting[0]
    if not cases:
        raise Refused("this folder holds no eval case; see docs/eval-cases.md.")
    names = ", ".join(f"`{case_id}`" for case_id in (fitting or [case.id for case in cases])[:20])
    if not fitting:
        raise Refused(
            f"no eval case is for the skill `{skill}`; name another with --eval: {names}."
        )
    raise Refused(f"name one of the eval cases with --eval: {names}.")


def _paths(names: Sequence[str], shelf: SkillShelf) -> set[str]:
    return {shelf.find(name).path for name in names if shelf.knows(name)}


def _request(wanted: LocalRun, eval_id: str | None, settings: Settings) -> Request:
    name = wanted.path.resolve().name or "folder"
    return Request(
        key=f"local:{name}"[:200],
        repo=Repo(owner="local", name=name, installation_id=0),
        issue=0,
        asker="you",
        origin="comment",
        models=(settings.model,),
        skill=wanted.skill,
        eval_id=eval_id,
        environment=wanted.environment,
        mode=wanted.mode,
        trials=wanted.trials,
        until_sure=wanted.until_sure,
        tier=wanted.tier,
        judge=wanted.judge,
        launcher=wanted.launcher,
        force=True,
        asked_at=datetime.now(UTC),
    )


def _no_issue() -> Issue:
    return Issue(
        number=0, title="", body="", author="", labels=(), is_pull_request=False,
        is_open=True, is_locked=False, url="",
    )  # fmt: skip


async def _nobody(_: str) -> Permission:
    return "none"
