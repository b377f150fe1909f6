"""Finds a run of a repository: its record, and what the blob store still keeps of it."""

import asyncio
import zipfile
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from bot.blobs import Blobs
from bot.store.seen_repos import SeenRepo
from bot.web.figures import Figures
from bot.web.run_bundles import Checked, Damaged, SessionFiles, Source
from bot.web.run_cache import WebCache
from bot.web.run_details import describe_record, describe_run
from bot.web.run_parsed import ParsedResults
from bot.web.run_values import KeptWhere, RunDetails
from bot.web.runs import RUN_ID
from config.settings import Settings
from jobs.again.kept_runs import (
    RESULT,
    bundle_key,
    find_kept_result,
    find_stored_archive,
    read_result,
    session_keys_of,
)
from jobs.broken_zip import BROKEN_ZIP
from jobs.calibration.people import RunVerdicts, find_verdicts
from jobs.errors import Transient
from jobs.planning.dedup import record_of
from jobs.reporting.archive import session_folder
from jobs.results import RunRecord, RunResult
from jobs.steps import SessionKey
from jobs.values import SessionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRun:
    """A run, as much of it as is known."""

    record: RunRecord
    result: RunResult | None = None
    """None where only the record is left."""
    kept: KeptWhere = "nowhere"
    sources: Mapping[SessionKey, Source] = field(default_factory=dict)
    """Where the sessions' files lie; without those that were swept."""
    archive: str = ""
    """Blob of the archive; empty where there is none here."""

    def find_session(self, arm: str, trial: int) -> SessionResult | None:
        sessions = self.result.sessions if self.result else ()
        return next((one for one in sessions if (one.arm, one.trial) == (arm, trial)), None)


class RunReader:
    """All runs, for one server. Raises `Transient` where Redis or the blob store is away."""

    def __init__(self, settings: Settings, figures: Figures) -> None:
        self._settings = settings
        self._figures = figures
        self._cache = WebCache(settings.data_dir / "web-cache")
        self._checked = Checked()
        self._parsed = ParsedResults()

    @property
    def scratch(self) -> Path:
        """A folder for what is made to be downloaded."""
        return self._settings.data_dir / "web-scratch"

    @cached_property
    def blobs(self) -> Blobs:
        return Blobs(self._settings.blobs)

    async def find(self, repo: SeenRepo, run_id: str) -> FoundRun | None:
        """A run of this repository, and of no other; None where nothing is known of it."""
        if not RUN_ID.fullmatch(run_id):
            return None
        record = await self._figures.record(repo, run_id)
        result = await find_kept_result(run_id, self.blobs, repo.full_name, self._parsed.read)
        archive = await find_stored_archive(run_id, self.blobs) or ""
        if result is not None:
            sources = await self._find_bundles(result)
            is_whole = len(sources) == len(result.sessions)
            if is_whole or not archive:
                return FoundRun(
                    record=record or record_of(result),
                    result=result,
                    kept="store",
                    sources=sources,
                    archive=archive,
                )
        # whose it is stands in it: none is fetched for whoever only tries an id
        is_asked = bool(archive) and record is not None
        archived = await self._read_archived(archive, repo) if is_asked else None
        if archived is not None:
            sources = {
                key: Source(archive, f"{session_folder(key.arm, key.trial, archived.spec)}/")
                for key in session_keys_of(archived)
            }
            return FoundRun(
                record=record or record_of(archived),
                result=archived,
                kept="archive",
                sources=sources,
                archive=archive,
            )
        if result is not None:
            return FoundRun(record=record or record_of(result), result=result, kept="store")
        return FoundRun(record=record) if record else None

    async def details(self, repo: SeenRepo, run_id: str, *, trial: int = 0) -> RunDetails | None:
        """Everything that is shown of a run that has ended; None where nothing is known of it."""
        found = await self.find(repo, run_id)
        return None if found is None else await self.describe(found, repo, trial=trial)

    async def describe(self, found: FoundRun, repo: SeenRepo, *, trial: int = 0) -> RunDetails:
        """The same of a run that was found."""
        if found.result is None:
            return describe_record(found.record)
        people = await self._find_people(found.record.run, repo)
        details = await asyncio.to_thread(
            describe_run, found.result, found.record, people, trial=trial
        )
        return details.model_copy(update={"kept": found.kept, "has_files": bool(found.sources)})

    async def open_files(
        self, found: FoundRun, session: SessionResult
    ) -> AbstractContextManager[SessionFiles] | None:
        """A session's files, to be opened and read in a thread; None where they were swept.

        Opening them raises `Damaged`.
        """
        source = found.sources.get(SessionKey(session.arm, session.trial))
        file = await self._open(source.key) if source else None
        if source is None or file is None:
            return None
        return self._checked.open(file, source.inside, session)

    async def _open(self, key: str) -> BinaryIO | None:
        try:
            return await self._cache.open(key, self.blobs)
        except ValueError as problem:
            raise Damaged("what is kept of the session is too large") from problem
        except OSError as problem:
            raise Transient("the folder for what is looked at cannot be written to") from problem

    async def _find_bundles(self, result: RunResult) -> dict[SessionKey, Source]:
        keys = {key: bundle_key(result.spec.run_id, key) for key in session_keys_of(result)}
        there = await asyncio.gather(*map(self.blobs.exists, keys.values()))
        return {
            key: Source(blob)
            for (key, blob), is_there in zip(keys.items(), there, strict=True)
            if is_there
        }

    async def _read_archived(self, key: str, repo: SeenRepo) -> RunResult | None:
        """What stands in an archive, if it is one of this repository that can be read."""
        try:
            file = await self._open(key)
            result = await asyncio.to_thread(self._read_result, key, file) if file else None
        except Damaged:
            return None
        is_ours = result and result.spec.repo.full_name.casefold() == repo.full_name.casefold()
        return result if is_ours else None

    def _read_result(self, key: str, file: BinaryIO) -> RunResult:
        """The result in an archive, whose name has the digest of all of it."""
        with file:
            return self._parsed.get(key.encode(), lambda: _read_result(file))

    async def _find_people(self, run_id: str, repo: SeenRepo) -> RunVerdicts | None:
        try:
            return await find_verdicts(run_id, repo.full_name, self.blobs)
        except ValidationError:  # of another version
            return None


def _read_result(file: BinaryIO) -> tuple[int, RunResult]:
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.getinfo(RESULT).file_size, read_result(archive)
    except (OSError, ValueError, KeyError, RecursionError, *BROKEN_ZIP) as problem:
        raise Damaged("the archive cannot be read") from problem
