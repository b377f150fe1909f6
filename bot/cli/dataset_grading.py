"""`skillbench dataset grade` and `regrade`: judges are asked, and no target."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bot.cli.dataset_run import check_writable, exit_code, print_summary
from bot.cli.dataset_sources import LocalDataset, make_dataset_worlds, open_dataset
from bot.cli.stopping import STOPPED, until_stopped
from bot.worlds import utc_now
from config.settings import Settings
from jobs.datasets.kept_grades import KeptGrades
from jobs.datasets.ready import DatasetWorld
from jobs.datasets.regrade import AT_ONCE, Grader, head_of_given, head_of_regraded, judges_of
from jobs.datasets.report import EVAL_ONLY, RunHead
from jobs.datasets.report_files import read_report, report_path, write_report
from jobs.datasets.results import CaseResult
from jobs.datasets.saved import Given, read_answers, read_saved
from jobs.errors import Refused
from jobs.reporting import numbers

_STOPPED = "Stopped. What was graded is kept: the same command goes on from there."


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalGrading:
    """What the command line asks for."""

    judge: str
    data: str | None
    parallel: int
    output: Path | None
    fail_under: float | None

    @property
    def at_once(self) -> int:
        return self.parallel or AT_ONCE


def run_grade(
    benchmark: str, name: str, answers: Path, asked: LocalGrading, settings: Settings, scratch: Path
) -> int:  # fmt: skip
    """Grade answers that came from elsewhere. Exit codes as of a run. Raises `Refused`."""

    async def work() -> int:
        found = await open_dataset(asked.data, benchmark, name, settings, scratch)
        content = await asyncio.to_thread(_read, answers)
        given = read_answers(content, found.dataset, file=answers.name, now=utc_now())
        began = utc_now()

        def head() -> RunHead:
            return head_of_given(
                given,
                found.dataset,
                judge=asked.judge,
                at_once=asked.at_once,
                clock=utc_now,
                started_at=began,
            )

        async with _world(settings, scratch, found) as world:
            return await _grade(given, head, EVAL_ONLY, asked, world, settings)

    ended = until_stopped(work())
    return STOPPED if ended is None else ended


def run_regrade(report: Path, asked: LocalGrading, settings: Settings, scratch: Path) -> int:
    """Judge the dialogues of a report again. Exit codes as of a run. Raises `Refused`."""

    async def work() -> int:
        old = await asyncio.to_thread(read_report, report)
        found = await _find_dataset(old, asked, settings, scratch)
        dataset = found.dataset if found else None
        given = read_saved(old, dataset)
        began = utc_now()

        def head() -> RunHead:
            return head_of_regraded(
                old,
                given,
                dataset,
                name=report.name,
                judge=asked.judge,
                at_once=asked.at_once,
                clock=utc_now,
                started_at=began,
            )

        async with _world(settings, scratch, found) as world:
            return await _grade(given, head, head().target_type, asked, world, settings)

    ended = until_stopped(work())
    return STOPPED if ended is None else ended


async def _find_dataset(
    old: dict[str, object], asked: LocalGrading, settings: Settings, scratch: Path
) -> LocalDataset | None:
    """The dataset of a report as it is now; None where it is not at hand and nobody named it."""
    names = old.get("benchmark_name"), old.get("dataset_name")
    try:
        return await open_dataset(asked.data, str(names[0]), str(names[1]), settings, scratch)
    except Refused:
        if asked.data:
            raise
        return None


@asynccontextmanager
async def _world(
    settings: Settings, scratch: Path, found: LocalDataset | None
) -> AsyncIterator[DatasetWorld]:
    worlds = await make_dataset_worlds(settings, scratch)
    async with worlds.open(found.suite if found else None, True) as world:
        yield world


async def _grade(
    given: Given,
    make_head: Callable[[], RunHead],
    target_type: str,
    asked: LocalGrading,
    world: DatasetWorld,
    settings: Settings,
) -> int:
    names: Sequence[str] = judges_of(given, asked.judge, world.default_judge)
    grader = Grader(
        world=world.cases,
        models={name: await world.catalog.resolve(name) for name in names},
        asked=asked.judge,
        default=world.default_judge,
        kept=KeptGrades(world.keeping.blobs),
        target_type=target_type,
        at_once=asked.at_once,
    )
    path = asked.output or report_path(settings.data_dir, make_head())
    await asyncio.to_thread(check_writable, path)
    console = Console(stderr=True)
    console.print(f"Grading {numbers.plural(len(given.saved), 'case')} …", markup=False)
    try:
        results = [one async for one in grader.grade(given)]
    except asyncio.CancelledError:
        console.print(_STOPPED, markup=False, soft_wrap=True)
        raise

    async def graded() -> AsyncIterator[CaseResult]:
        for one in results:
            yield one

    summary = await write_report(path, make_head(), graded())
    await grader.forget(given)
    print_summary(summary, path)
    return exit_code(summary, asked.fail_under)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise Refused(f"`{path}` cannot be read: {problem.strerror}.") from None
