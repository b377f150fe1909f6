"""`skillbench calibrate`: how far the judge agrees with people, and with itself over time."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import typer

from bot.blobs import Blobs
from bot.cli.calibrate_words import print_calibration, print_histories
from bot.cli.rebuilding import FULL_NAME
from bot.cli.serving import with_redis
from bot.redis_clients import connect_patiently
from bot.store.ledger import RedisLedger
from config.settings import Settings
from jobs.calibration.agreement import Calibration, Pair, calibrate
from jobs.calibration.history import JudgeHistory, find_histories
from jobs.calibration.judged import (
    JudgedRuns,
    add_kept,
    pair_all,
    pair_people,
    read_archives,
)
from jobs.calibration.labels import read_labels
from jobs.calibration.people import RunVerdicts, verdicts_folder
from jobs.errors import Error
from jobs.requests import Value
from jobs.results import leave_out_pulls

DONE, NOTHING = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedCalibration:
    """What was typed after `calibrate`."""

    file: Path | None = None
    archive: Path | None = None
    repository: str | None = None
    as_json: bool = False


class Found(Value):
    """What there is to tell; the JSON output is this value."""

    calibrations: tuple[Calibration, ...] = ()
    """One for each judge."""
    histories: tuple[JudgeHistory, ...] = ()
    """One for each series of the repository, where one was named."""


@dataclass(slots=True)
class _Gathered:
    pairs: list[Pair] = field(default_factory=list)
    histories: list[JudgeHistory] = field(default_factory=list)


def run_calibrate(wanted: WantedCalibration, settings: Settings) -> int:
    """Print what is found; gives 0, or 1 where there is nothing to hold the judge against.

    Raises `Error` where the file, the folder or the repository's name cannot be used.
    """
    if wanted.file is None and wanted.repository is None:
        raise Error(
            "name a file with people's verdicts, or a repository by --repo OWNER/REPO; what a "
            "line of the file holds stands in docs/calibration.md."
        )
    gathered = asyncio.run(_gather(wanted, settings))
    found = Found(
        calibrations=tuple(calibrate(gathered.pairs)), histories=tuple(gathered.histories)
    )
    if wanted.as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        for one in found.calibrations:
            print_calibration(one)
        print_histories(found.histories)
    if not found.calibrations and not found.histories:
        typer.echo("There is no verdict of a person to hold the judge against yet.", err=True)
        return NOTHING
    return DONE


async def _gather(wanted: WantedCalibration, settings: Settings) -> _Gathered:
    gathered = _Gathered()
    if wanted.file is not None:
        gathered.pairs += await _pairs_of_file(wanted.file, wanted.archive, settings)
    if wanted.repository is not None:
        if not FULL_NAME.fullmatch(wanted.repository):
            raise Error(f"{wanted.repository} is no repository; write OWNER/REPO.")
        blobs = Blobs(settings.blobs)
        gathered.pairs += pair_people(await _read_people(wanted.repository, blobs))
        gathered.histories += await _read_history(wanted.repository, settings)
    return gathered


async def _pairs_of_file(file: Path, archive: Path | None, settings: Settings) -> list[Pair]:
    labels = read_labels(file)
    runs = read_archives(archive) if archive else JudgedRuns()
    if any(label.run and not label.judge and not runs.knows(label.run) for label in labels):
        await add_kept(labels, runs, Blobs(settings.blobs))
    return pair_all(labels, runs, file)


async def _read_people(repository: str, blobs: Blobs) -> list[RunVerdicts]:
    """What people said of a repository's runs, as the store has it."""
    found = []
    async for stored in blobs.walk(verdicts_folder(repository)):
        content = await blobs.get(stored.key)
        if content is not None:
            found.append(RunVerdicts.model_validate_json(content))
    return found


async def _read_history(repository: str, settings: Settings) -> list[JudgeHistory]:
    async with with_redis(settings) as complete:
        redis = connect_patiently(complete.redis_url)
        try:
            records = await RedisLedger(redis).records(repository)
        finally:
            await redis.aclose()
    return find_histories(leave_out_pulls(records))
