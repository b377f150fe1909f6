"""`make soak`: a steady load for a long time, and what it does to the memory of web and worker.

Deliveries that mean nothing, and small runs one after another; nothing breaks. What counts
is the memory a process holds for itself alone and its part of what it shares (PSS): after a
warm-up it must stay flat.
"""

import asyncio
import itertools
import logging
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from redis.asyncio import Redis

from demo.github import LocalGitHub, RepositoryHandle, make_private_key
from demo.model_api.behaviour import behave
from demo.play import HERE as DEMO
from tests.chaos.askings import FIRST_ISSUE, LABEL, MARKER, PERSON, TASK
from tests.chaos.checks import check_logs
from tests.chaos.fleet import Fleet, remove
from tests.chaos.game import staged

REPOSITORIES = 40
"""Each of an installation of its own, so that GitHub's pace of writes leaves room for all."""
DELIVERIES_A_SECOND = 5
RUN_EVERY_S = 4.0
SAMPLE_S = 1.0
WARM_UP_SHARE = 0.4
"""Of the time: caches fill, and the interpreter's heaps find their size."""
MOST_GROWTH = 0.10
MIB = 1 << 20


@dataclass(eq=False, slots=True)
class Load:
    """What was asked of the bot."""

    repositories: list[RepositoryHandle]
    comments: int = 0
    issues: list[tuple[RepositoryHandle, int]] = field(default_factory=list)
    """Issues that were labelled."""

    @property
    def reports(self) -> int:
        """How many of them have their report."""
        return sum(
            any(MARKER in body for body in repository.comments(issue))
            for repository, issue in self.issues
        )


@dataclass(frozen=True, slots=True)
class Curve:
    """The memory of one process after the warm-up, in bytes."""

    name: str
    samples: Sequence[int]

    @property
    def first(self) -> float:
        return statistics.median(self.samples[: self._part])

    @property
    def last(self) -> float:
        return statistics.median(self.samples[-self._part :])

    @property
    def growth(self) -> float:
        """From the first quarter to the last one, as a fraction."""
        return self.last / self.first - 1

    @property
    def _part(self) -> int:
        return max(1, len(self.samples) // 4)


def main(
    minutes: Annotated[float, typer.Option(help="How long the load lasts.")] = 60.0,
) -> None:
    """Load the bot steadily; exit code 1 where memory grew or a request was lost."""
    logging.getLogger("uvicorn.error").addFilter(lambda _: False)  # left connections are no news
    raise typer.Exit(asyncio.run(_soak(minutes * 60)))


async def _soak(seconds: float) -> int:
    folder = Path(tempfile.mkdtemp(prefix="soak-"))
    async with staged(folder, behave, make_private_key()) as (fleet, github, _):
        load = Load(_seed(github))
        await fleet.start(1)
        began = time.monotonic()
        asking = [
            asyncio.create_task(_chat(load)),
            asyncio.create_task(_label(load)),
        ]
        curves = await _measure(fleet, began, seconds)
        for task in asking:
            task.cancel()
        lost = await _wait_for_reports(load)
        async with Redis.from_url(fleet.redis_url) as redis:
            redis_bytes = int((await redis.info("memory"))["used_memory"])
        await fleet.stop()
    findings = [
        *(
            f"the memory of {curve.name} grew by {curve.growth:.1%}"
            for curve in curves
            if curve.growth > MOST_GROWTH
        ),
        *([f"{lost} requests have no report"] if lost else []),
        *check_logs(fleet),
        *fleet.left_by_themselves(),
    ]
    _tell(load, curves, redis_bytes, seconds)
    for finding in findings:
        typer.echo(f"FAILED: {finding} (logs: {folder})")
    if not findings:
        remove(folder)
    return int(bool(findings))


def _seed(github: LocalGitHub) -> list[RepositoryHandle]:
    github.add_person(PERSON)
    repositories = []
    for number in range(REPOSITORIES):
        repository = github.add_repository(f"owner-{number}", "skills", folder=DEMO / "sample")
        github.add_person(PERSON, {repository.full_name: "write"})
        repository.open_issue(author=PERSON, title="Talk", body="Talk.", number=FIRST_ISSUE)
        repositories.append(repository)
    return repositories


async def _chat(load: Load) -> None:
    """Comments that ask for nothing."""
    for repository in itertools.cycle(load.repositories):
        repository.comment(FIRST_ISSUE, by=PERSON, body=f"Remark {load.comments}. " * 20)
        load.comments += 1
        await asyncio.sleep(1 / DELIVERIES_A_SECOND)


async def _label(load: Load) -> None:
    """Runs, each on an issue of its own."""
    for number, repository in enumerate(itertools.cycle(load.repositories)):
        body = TASK.format(number=number)
        issue = repository.open_issue(author=PERSON, title=f"Task {number}", body=body)
        repository.label(issue.number, LABEL, by=PERSON)
        load.issues.append((repository, issue.number))
        await asyncio.sleep(RUN_EVERY_S)


async def _measure(fleet: Fleet, began: float, seconds: float) -> list[Curve]:
    """Both processes once a second; what the warm-up shows is left out."""
    watched = [one for one in fleet.processes if one.name != "redis"]
    samples: dict[str, list[int]] = {one.name: [] for one in watched}
    while (passed := time.monotonic() - began) < seconds:
        for one in watched:
            if passed > seconds * WARM_UP_SHARE:
                samples[one.name].append(await asyncio.to_thread(memory_of, one.running.pid))
        await asyncio.sleep(SAMPLE_S)
    return [Curve(name, found) for name, found in samples.items()]


def memory_of(pid: int) -> int:
    """A process's own memory and its part of what it shares (PSS), in bytes."""
    for line in Path("/proc", str(pid), "smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise LookupError(f"the kernel does not tell the memory of process {pid}")


async def _wait_for_reports(load: Load) -> int:
    """How many requests got no report, though they had time enough."""
    end = time.monotonic() + 120
    while load.reports < len(load.issues) and time.monotonic() < end:
        await asyncio.sleep(0.2)
    return len(load.issues) - load.reports


def _tell(load: Load, curves: list[Curve], redis_bytes: int, seconds: float) -> None:
    typer.echo(
        f"{seconds / 60:.1f} minutes, {load.comments} comments, "
        f"{len(load.issues)} runs, {load.reports} reports"
    )
    for curve in curves:
        typer.echo(
            f"{curve.name:<8} {curve.first / MIB:6.1f} MiB after the warm-up, "
            f"{curve.last / MIB:6.1f} MiB at the end: {curve.growth:+.1%}"
        )
    typer.echo(f"redis    {redis_bytes / MIB:6.1f} MiB at the end")


if __name__ == "__main__":
    typer.run(main)
