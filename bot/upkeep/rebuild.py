"""Reads the ledger back from GitHub: from the markers of our reports, and from archives.

Believes only comments and archives of the App itself. A run whose report could not be posted
(a locked issue, one that moved) has left its archive, and is known from that. Doing it twice,
or over a ledger that knows some of it, changes nothing.
"""

import asyncio
import json
import re
import zipfile
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from pydantic import ValidationError

from bot.github.kept_archives import KeptArchive
from bot.github.places import Place
from bot.github.repository import RepositoryClient
from bot.github.tags import find_tag
from bot.store.ledger import RedisLedger
from jobs.again.rejudge import REJUDGED
from jobs.broken_zip import BROKEN_ZIP
from jobs.calibration.people import find_verdicts, find_verdicts_marker, keep_verdicts
from jobs.calibration.series import series_key
from jobs.errors import Error
from jobs.planning.dedup import record_key
from jobs.planning.markers import find_markers
from jobs.ports import BlobStore, Comment
from jobs.results import RunRecord
from jobs.triggering.history import note_measurement
from jobs.triggering.record import find_records

MOST_PAGES = 999
"""Of comments; what lies behind a hundred thousand is no news."""
LARGEST_ARCHIVE = 500_000_000
LARGEST_RESULT = 50_000_000
"""Bytes of an archive, and of the `result.json` in it."""
RUN_IN_NAME = re.compile(r"-(?P<run>[0-9a-z]{1,20})-[0-9a-f]{12}\.zip$")
"""An archive's name ends in the run's id and a digest (`jobs.reporting.archive`)."""

_Place = tuple[bool, int]
"""Whether it tells of a later judging, and the number of the comment."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Rebuilt:
    """What was found in one repository."""

    from_comments: int = 0
    from_archives: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """How many markers and archives count for nothing, by reason."""
    verdicts: int = 0
    """Verdicts of people, put back where they lacked."""
    measurements: int = 0
    """Measurements of descriptions, whose history is put back."""


class Rebuild:
    """The rebuilding of one repository's ledger. Raises `Gone` and `Transient` as GitHub does."""

    def __init__(
        self, place: Place, repository: RepositoryClient, ledger: RedisLedger, blobs: BlobStore
    ) -> None:
        self._place = place
        self._repository = repository
        self._ledger = ledger
        self._blobs = blobs
        self._seen: set[str] = set()
        """Runs that a comment tells of."""
        self._names: dict[str, bool] = {}
        """Whether another name of a repository was this one's."""
        self._rebuilt = Rebuilt()

    async def run(self) -> Rebuilt:
        """Record every finished run that GitHub knows of."""
        async for record in self._records_in_comments():
            self._rebuilt.from_comments += await self._record(record)
        async for record in self._records_in_archives():
            self._rebuilt.from_archives += await self._record(record)
        for name, is_ours in self._names.items():
            if is_ours:
                await self._ledger.move(name, self._place.repo.full_name)
        await self._ledger.index(self._place.repo.full_name)
        return self._rebuilt

    async def _record(self, record: RunRecord) -> bool:
        """Record a finished run, unless a better one is known; whether it counts."""
        record = await self._with_present_name(record)
        if record.state != "complete" or record.score is None:
            await self._ledger.note(record)
            self._skip("not graded")
            return False
        key = record_key(record)
        known = await self._ledger.find(key)
        if known is None or known.trials < record.trials or _is_judged_otherwise(known, record):
            await self._ledger.record(key, record)
        else:
            await self._ledger.note(known if known.run == record.run else record)
        return True

    async def _records_in_comments(self) -> AsyncIterator[RunRecord]:
        """The last reports first, so that of two with one key the newer one is recorded.

        Of a run that was judged again it is the last judging, however often its report was brought
        up to date since.
        """
        told: dict[str, tuple[_Place, RunRecord]] = {}
        async for found in self._repository.listings.comments(most_pages=MOST_PAGES):
            if not found.comment.by_this_app:
                continue
            await self._keep_verdicts(found.comment.body)
            await self._keep_measurements(found.comment)
            markers = find_markers(found.comment.body)
            if markers.bears_ours and not markers.ours:
                self._skip("marker of another version")
            place = _place_of(found.comment)
            for record in markers.ours:
                self._seen.add(record.run)
                if record.run not in told or told[record.run][0] < place:
                    told[record.run] = (
                        place,
                        record.model_copy(update={"url": found.comment.url}),
                    )
        for _, record in told.values():
            yield record

    async def _keep_verdicts(self, body: str) -> None:
        """Put back what people said of a run, beside what is kept of it."""
        found = find_verdicts_marker(body)
        if found is None:
            return
        repo = self._place.repo.full_name
        known = await find_verdicts(found.run, repo, self._blobs)
        verdicts = known.joined(found.verdicts) if known else found
        if verdicts != known:
            await keep_verdicts(verdicts, repo, self._blobs)
            self._rebuilt.verdicts += len(verdicts.verdicts)

    async def _keep_measurements(self, comment: Comment) -> None:
        """Put back a skill's history of descriptions.

        Of an older record that does not say when it ended, its comment does. One that chose
        another description holds the scores of that one, which no version has.
        """
        for record in find_records(comment.body):
            if record.improved:
                self._skip("of a proposed description")
                continue
            told = {
                "repo": await self._find_present_name(record.repo),
                "ended_at": record.ended_at or comment.created_at,
                "url": comment.url,
            }
            await note_measurement(record.model_copy(update=told), self._blobs)
            self._rebuilt.measurements += 1

    async def _records_in_archives(self) -> AsyncIterator[RunRecord]:
        async for archive in self._repository.kept_archives.archives():
            named = RUN_IN_NAME.search(archive.name)
            if named is not None and named["run"] in self._seen:
                continue  # its report says it all
            record = await self._read(archive)
            if record is None:
                self._skip("unreadable archive")
            elif record.run not in self._seen:
                self._seen.add(record.run)
                yield record.model_copy(update={"url": archive.url})

    async def _read(self, archive: KeptArchive) -> RunRecord | None:
        if archive.size > LARGEST_ARCHIVE:
            return None
        with TemporaryDirectory(prefix="skillbench-rebuild-") as folder:
            target = Path(folder) / "archive.zip"
            try:
                await self._repository.kept_archives.fetch(archive, target)
                return await asyncio.to_thread(read_record, target)
            except (Error, OSError, ValueError, KeyError, *BROKEN_ZIP) as problem:
                log.warning("archive_unreadable", name=archive.name, problem=str(problem))
                return None

    async def _with_present_name(self, record: RunRecord) -> RunRecord:
        """The record under the repository's present name, if it was renamed meanwhile."""
        name = await self._find_present_name(record.repo)
        return record if name == record.repo else record.model_copy(update={"repo": name})

    async def _find_present_name(self, repo: str) -> str:
        """How a repository is called now, where it is this one; else as it was called."""
        name, full_name = repo.casefold(), self._place.repo.full_name
        if name == full_name.casefold():
            return repo
        if name not in self._names:
            found = await self._repository.listings.find_id(repo)
            self._names[name] = found == self._place.id
        return full_name if self._names[name] else repo

    def _skip(self, reason: str) -> None:
        self._rebuilt.skipped[reason] += 1


def _place_of(comment: Comment) -> _Place:
    """Where a comment stands among those that tell of one run; the last one counts."""
    return (find_tag(comment.body) or "").startswith(REJUDGED), comment.id


def _is_judged_otherwise(known: RunRecord, record: RunRecord) -> bool:
    return known.run == record.run and series_key(known) != series_key(record)


def read_record(archive: Path) -> RunRecord:
    """The record in an archive. Raises what zip, JSON and the record's own check raise."""
    with zipfile.ZipFile(archive) as content, content.open("result.json") as file:
        text = file.read(LARGEST_RESULT + 1)
    if len(text) > LARGEST_RESULT:
        raise ValueError("result.json is too large")
    try:
        return RunRecord.model_validate(json.loads(text)["record"])
    except (ValidationError, TypeError, RecursionError):
        raise ValueError("result.json holds no record of this version") from None
