"""Trigger evaluations and optimizations on a local folder, without GitHub.

What was seen is kept in the data folder until a measurement has ended in good order, so that
one which was killed goes on where it was, and the next one after it measures afresh.
"""

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bot.cli.local_run import NoDailyLimit
from bot.cli.stopping import STOPPED, until_stopped
from bot.cli.trigger_files import TriggerFiles
from bot.worlds import make_worlds
from config.settings import Settings
from jobs.content.skills import SKILL_FILE, find_skills
from jobs.content.snapshot import copy_folder
from jobs.errors import Error, Refused
from jobs.sessions.transcript import JsonlTranscript
from jobs.triggering.estimate import describe, make_purse
from jobs.triggering.eval_set import EvalSet, parse_eval_set
from jobs.triggering.installed import find_neighbours
from jobs.triggering.measuring import Measuring, Options
from jobs.triggering.optimization import Optimization
from jobs.triggering.purse import Purse
from jobs.triggering.report_page import REFRESH_S, render_page
from jobs.triggering.report_page import Progress as PageProgress
from jobs.triggering.result_json import make_evaluation_json, make_optimization_json
from jobs.triggering.scores import score_queries
from jobs.triggering.world import TriggerWorld
from jobs.values import Usage

DONE, NOTHING_SEEN = 0, 1
STOPPED_WORDS = "Stopped. The same command goes on where it was."
LARGEST_SET = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTrigger:
    """What the command line asks for."""

    eval_set: Path
    skill_path: Path
    options: Options
    alone: bool
    confirmed: bool
    optimizing: bool
    report: str = "none"
    """Where the page goes: a path, `auto` or `none`."""
    results: Path | None = None


def run_trigger(wanted: LocalTrigger, settings: Settings, scratch: Path) -> int:
    """Measure, print the result as JSON, write the files asked for.

    Gives 0, or 1 where nothing could be seen, or 130 where it was stopped. Raises `Refused`
    and `OverBudget` before anything is spent.
    """
    ended = until_stopped(_run(wanted, settings, scratch))
    return STOPPED if ended is None else ended


async def _run(wanted: LocalTrigger, settings: Settings, scratch: Path) -> int:
    console = Console(stderr=True)
    eval_set = await asyncio.to_thread(_read_eval_set, wanted.eval_set)
    place = await asyncio.to_thread(_find_place, wanted.skill_path)
    worlds = await make_worlds(settings, budget=NoDailyLimit(), scratch=scratch / "world")
    measuring = await _prepare(wanted, eval_set, place, worlds.triggers, scratch)
    kept = await _find_kept(wanted, measuring, place, worlds.triggers)
    measuring = replace(measuring, prefix=kept.prefix)
    estimate = await measuring.estimate(optimizing=wanted.optimizing)
    purse = make_purse(
        estimate,
        max_usd=settings.max_usd_per_run,
        max_tokens=settings.max_tokens_per_run,
        confirmed=wanted.confirmed,
        how="`--yes`",
    )
    console.print(f"This takes {describe(estimate)}.", markup=False)
    name = measuring.skill.name
    files = await asyncio.to_thread(
        TriggerFiles.make, wanted.report, wanted.results, name, optimizing=wanted.optimizing
    )
    if files.page:
        console.print(f"Watch it at {files.page}", markup=False, soft_wrap=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        bar = progress.add_task(name, total=estimate.sessions)
        show = _Show(measuring, files, estimate.sessions, lambda: progress.advance(bar))
        work = _optimize if wanted.optimizing else _evaluate
        result, is_seen = await work(measuring, purse, show)
        progress.update(bar, total=show.done)
    await worlds.triggers.blobs.delete(kept.key)
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
    return DONE if is_seen else NOTHING_SEEN


@dataclass(slots=True)
class _Show:
    """Keeps terminal and page up with what is going on."""

    measuring: Measuring
    files: TriggerFiles
    most: int
    advance: Callable[[], None]
    state: Optimization | None = None
    done: int = 0
    shown_at: float = 0.0

    def heard(self) -> None:
        """One session more."""
        self.done += 1
        self.advance()
        self._render()

    def changed(self, state: Optimization) -> None:
        """One iteration more."""
        self.state = state
        self.shown_at = 0.0
        self._render()

    def _render(self) -> None:
        if self.state is not None and time.monotonic() >= self.shown_at + REFRESH_S:
            self.shown_at = time.monotonic()
            self.files.show(self.page(self.state, PageProgress(self.done, self.most)))

    def end(self, why: str) -> None:
        """The search came to no end; its page must not look as if it went on."""
        if self.state is not None:
            self.files.show(self.page(self.state, stopped=why))

    def page(
        self, state: Optimization, progress: PageProgress | None = None, *, stopped: str = ""
    ) -> str:
        measuring = self.measuring
        return render_page(
            measuring.skill.name,
            f"{measuring.model.sent}, {measuring.launcher}",
            state,
            measuring.split(),
            progress=progress,
            stopped=stopped,
        )


async def _evaluate(measuring: Measuring, purse: Purse, show: _Show) -> tuple[dict[str, Any], bool]:
    results = await measuring.evaluate(purse, heard=lambda _: show.heard())
    result = make_evaluation_json(
        measuring.skill.name, measuring.description, results, measuring.remarks
    )
    await asyncio.to_thread(show.files.save, result, None)
    return result, score_queries(results).decided > 0


async def _optimize(measuring: Measuring, purse: Purse, show: _Show) -> tuple[dict[str, Any], bool]:
    train, test = measuring.split()
    state = Optimization(
        original=measuring.description,
        usage=Usage(cost_usd=Decimal(0)),
        holdout=measuring.options.holdout,
        train_size=len(train),
        test_size=len(test),
    )
    show.changed(state)
    log = show.files.log or measuring.scratch / "proposals.jsonl"
    try:
        with JsonlTranscript(log) as transcript:
            found = await measuring.optimize(
                purse, transcript, changed=show.changed, heard=lambda _, __: show.heard()
            )
    except BaseException as trouble:
        show.end(str(trouble) if isinstance(trouble, Error) else STOPPED_WORDS)
        raise
    result = make_optimization_json(found)
    await asyncio.to_thread(show.files.save, result, show.page(found))
    return result, any(one.train_scores.decided for one in found.iterations)


def _read_eval_set(path: Path) -> EvalSet:
    try:
        if path.stat().st_size > LARGEST_SET:
            raise Refused(f"`{path}` is larger than {LARGEST_SET:,} bytes.")
        return parse_eval_set(path.read_text("utf-8-sig"), str(path))
    except OSError as problem:
        raise Refused(f"`{path}` cannot be read: {problem.strerror}.") from None
    except UnicodeDecodeError as error:
        raise Refused(f"`{path}` is not UTF-8 (byte {error.start:,}).") from None


async def _prepare(
    wanted: LocalTrigger,
    eval_set: EvalSet,
    place: "_Place",
    world: TriggerWorld,
    scratch: Path,
) -> Measuring:
    """What is measured. Raises `Refused` where there is no such skill, model or launcher."""
    snapshot = await asyncio.to_thread(copy_folder, place.root, scratch / "folder")
    shelf = await asyncio.to_thread(find_skills, snapshot)
    skill = shelf.find(place.path)
    return Measuring(
        snapshot=snapshot,
        skill=skill,
        neighbours=() if wanted.alone else find_neighbours(shelf, skill),
        eval_set=eval_set,
        model=await world.catalog.resolve(world.settings.model),
        launcher=world.settings.launcher,
        options=wanted.options,
        world=world,
        scratch=scratch / "skills",
        prefix="",
    )


class _Place(NamedTuple):
    """A skill on this machine."""

    root: Path
    path: str
    """Of the skill's folder below the root."""


def _find_place(skill_path: Path) -> _Place:
    """The repository around a skill's folder; without one, the folder that the skill lies in.

    Raises `Refused` where there is no skill.
    """
    folder = skill_path.resolve()
    if not (folder / SKILL_FILE).is_file():
        raise Refused(f"`{skill_path}` holds no {SKILL_FILE}.")
    around = (folder, *folder.parents)
    root = next((one for one in around if (one / ".git").exists()), folder.parent)
    return _Place(root, folder.relative_to(root).as_posix())


class _Kept(NamedTuple):
    """Where a measurement keeps what it saw, and the blob that says so while it goes on."""

    prefix: str
    key: str


async def _find_kept(
    wanted: LocalTrigger, measuring: Measuring, place: _Place, world: TriggerWorld
) -> _Kept:
    """The place of a measurement like this one that was killed, or a new one."""
    like = {
        "set": measuring.eval_set.model_dump(mode="json"),
        "skill": [str(place.root), place.path, measuring.skill.sha],
        "neighbours": [[one.name, one.description] for one in measuring.neighbours],
        "options": asdict(wanted.options),
        "terms": [measuring.model.identity, measuring.launcher, wanted.optimizing],
    }
    digest = hashlib.sha256(json.dumps(like, sort_keys=True).encode()).hexdigest()[:32]
    key = f"triggering/local-{digest}"
    known = await world.blobs.get(key)
    if known is None:
        known = secrets.token_hex(8).encode()
        await world.blobs.put(key, known)
    return _Kept(f"triggering/{known.decode()}", key)
