"""`skillbench dataset BENCHMARK DATASET`: a run in this process, from the plan to its report."""

import asyncio
import shlex
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.cli.dataset_sources import LocalDataset, make_dataset_worlds, open_dataset
from bot.cli.one_at_a_time import one_at_a_time
from bot.cli.stopping import STOPPED, until_stopped
from bot.worlds import utc_now
from config.settings import Settings
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.finishing import Finisher
from jobs.datasets.live import LiveState
from jobs.datasets.plan import RunPlan, Wanted, make_run_plan
from jobs.datasets.ready import DatasetWorld, Ready, make_ready
from jobs.datasets.report import RunHead
from jobs.datasets.report_files import report_path
from jobs.datasets.results import CaseResult
from jobs.datasets.resuming import rerun_errors, resume
from jobs.datasets.running import run_dataset
from jobs.datasets.summary import render_text
from jobs.errors import Refused
from jobs.reporting import numbers

DONE, TOO_LOW = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalDatasetRun:
    """What the command line asks for."""

    wanted: Wanted
    data: str | None
    """Where the dataset is read from, as typed."""
    resume: bool = False
    rerun_errors: bool = False
    output: Path | None = None
    fail_under: float | None = None


def run_local_dataset(asked: LocalDatasetRun, settings: Settings, scratch: Path) -> int:
    """Run the dataset, print its summary, write its report.

    Gives 0, or 1 where nothing was graded or the average is below `fail_under`, or 130 where it
    was stopped. Raises `Refused` before anything is spent.
    """
    ended = until_stopped(_run(asked, settings, scratch))
    return STOPPED if ended is None else ended


async def _run(asked: LocalDatasetRun, settings: Settings, scratch: Path) -> int:
    wanted = asked.wanted
    found = await open_dataset(asked.data, wanted.benchmark, wanted.dataset, settings, scratch)
    worlds = await make_dataset_worlds(settings, scratch)
    own = wanted.typed.get("command", "")
    async with worlds.open(found.suite, True, own) as world:
        plan = await _make_plan(asked, found, settings, world)
        ready = await make_ready(plan, found.dataset, world)
        # a file, so that a report can still be kept when everything has been paid for
        path = asked.output or _usual_path(ready.plan, ready, settings)
        await asyncio.to_thread(check_writable, path)
        console = Console(stderr=True)
        with one_at_a_time(settings.data_dir, plan.run_id):
            await world.keeping.put_plan(ready.plan)
            _tell_begin(ready, console)
            return await _carry_out(_Local(asked, ready, world, path, console))


async def _make_plan(
    asked: LocalDatasetRun, found: LocalDataset, settings: Settings, world: DatasetWorld
) -> RunPlan:
    wanted = asked.wanted
    if asked.rerun_errors:
        return await rerun_errors(wanted, found.dataset, world.keeping, utc_now())
    if asked.resume:
        return await resume(wanted, found.dataset, world.keeping)
    limit = settings.max_usd_per_run if wanted.max_usd is None else wanted.max_usd
    wanted = wanted.model_copy(update={"max_usd": limit})
    return make_run_plan(wanted, found.dataset, utc_now())


@dataclass(frozen=True, slots=True)
class _Local:
    """A run that can begin."""

    asked: LocalDatasetRun
    ready: Ready
    world: DatasetWorld
    path: Path
    console: Console


async def _carry_out(run: _Local) -> int:
    plan = run.ready.plan
    shown = _Shown(total=len(plan.cases))
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    try:
        with Progress(*columns, TimeElapsedColumn(), console=run.console) as progress:
            shown.show_on(progress, f"{plan.benchmark}/{plan.dataset}")
            is_whole = await run_dataset(run.ready, run.world, shown)
    except asyncio.CancelledError:
        # what has ended is paid for: it is reported, and the run can go on
        await _finish(run, "cancelled")
        run.console.print(
            f"Stopped after {shown.done} of {numbers.plural(shown.total, 'case')}. To go on:\n"
            f"  {again(plan, run.asked)}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
        raise
    summary = await _finish(run, "complete" if is_whole else "out_of_money")
    if not is_whole:
        run.console.print(
            f"The limit of {plan.max_usd:.2f} USD is reached. To go on with a higher one:\n"
            f"  {again(plan, run.asked)} --max-usd {_doubled(plan.max_usd)}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    return exit_code(summary, run.asked.fail_under)


async def _finish(run: _Local, state: LiveState) -> dict[str, Any]:
    """Write the report and print what it says in short."""
    finisher = Finisher(run.ready, run.world.keeping, utc_now)
    summary = await finisher.finish(run.path, state)
    print_summary(summary, run.path)
    return summary


def print_summary(summary: dict[str, Any], path: Path) -> None:
    typer.echo(render_text(summary))
    typer.echo(f"Report: {path}")


def exit_code(summary: dict[str, Any], fail_under: float | None) -> int:
    """1 where nothing was graded, or less than was asked for."""
    average = summary.get("avg_score")
    if average is None or (fail_under is not None and average < fail_under):
        return TOO_LOW
    return DONE


def again(plan: RunPlan, asked: LocalDatasetRun) -> str:
    """The command that carries a run on."""
    words = ["skillbench", "dataset", plan.benchmark, plan.dataset]
    words += ["--target-type", plan.target_type, "--resume"]
    if asked.data:
        words += ["--data", asked.data]
    return shlex.join(words)


@dataclass(slots=True)
class _Shown:
    """Keeps the terminal up with a run; a `jobs.datasets.running.Watcher`."""

    total: int
    done: int = 0
    graded: int = 0
    score: float = 0.0
    _turns: dict[str, int] = field(default_factory=dict)
    _progress: Progress | None = None
    _name: str = ""

    def show_on(self, progress: Progress, name: str) -> None:
        self._progress, self._name = progress, name
        progress.add_task(name, total=self.total)

    async def began(self, case: DatasetCase) -> None:
        self._turns[case.id] = 0
        self._show()

    async def turned(self, case_id: str, dialogue: Dialogue) -> None:
        self._turns[case_id] = len(dialogue.turns)

    async def ended(self, result: CaseResult) -> None:
        self._turns.pop(result.id, None)
        self.done += 1
        if (value := result.grade.averaged) is not None:
            self.graded += 1
            self.score += value
        self._show()

    def _show(self) -> None:
        if self._progress is None:
            return
        average = f"average {self.score / self.graded:.0%}" if self.graded else "nothing graded"
        text = f"{self._name}: {average}, {len(self._turns)} in flight"
        task = self._progress.task_ids[0]
        self._progress.update(task, completed=self.done, description=text)


def _tell_begin(ready: Ready, console: Console) -> None:
    plan, estimate = ready.plan, ready.estimate
    basis = (
        f"from {estimate.rests_on} cases of the last such run" if estimate.rests_on else "a guess"
    )
    cases = numbers.plural(len(plan.cases), "case")
    words = [f"Run {plan.run_id}: {cases} against {plan.target_type}."]
    if not ready.unpriced:
        words.append(f"It may cost about {estimate.usd:.2f} USD ({basis}).")
    if plan.max_usd is not None:
        words.append(f"It stops at {plan.max_usd:.2f} USD (--max-usd).")
    if ready.unpriced:
        names = ", ".join(ready.unpriced)
        words.append(f"The price of {names} is not known: no limit in USD holds for it.")
    console.print(" ".join(words), markup=False, highlight=False, soft_wrap=True)


def _usual_path(plan: RunPlan, ready: Ready, settings: Settings) -> Path:
    """Where the report belongs: named by its target, below the data folder."""
    common = ready.specs[0].fields.model_dump(mode="json", exclude_none=True)
    head = RunHead(
        run_id=plan.run_id,
        benchmark=plan.benchmark,
        dataset=plan.dataset,
        digest=plan.digest,
        source=plan.source,
        target_type=plan.target_type,
        target_fields=common,
        judge=plan.judge,
        max_concurrency=plan.parallel,
        started_at=plan.started_at,
        ended_at=plan.started_at,
        selected=len(plan.cases),
    )
    return report_path(settings.data_dir, head)


def check_writable(path: Path) -> None:
    """Raise `Refused` where a report could not be kept, before it has cost anything."""
    try:
        is_folder = path.is_dir()
        if not is_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
            probe = path.with_name(f".{path.name[:100]}.probe")
            probe.touch()
            probe.unlink()
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise Refused(f"`{str(path)[:300]}` cannot be written: {reason}.") from None
    if is_folder:
        raise Refused(f"`{path}` is a folder; --output names a file.")


def _doubled(limit: Decimal | None) -> str:
    return f"{(limit or Decimal(1)) * 2:.2f}"
