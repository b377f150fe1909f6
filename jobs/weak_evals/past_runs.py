"""The past runs of an eval case, as far as they are kept, and what is weak about it by them.

A run's result is kept for some weeks; of an older one its archive is read where that is allowed,
since each is a download.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import uuid4

from pydantic import ValidationError

from jobs.again.kept_runs import find_ended, find_kept_run
from jobs.checks.merge import list_scored
from jobs.errors import Refused
from jobs.ports import BlobStore
from jobs.requests import Value
from jobs.results import RunRecord, RunResult
from jobs.sessions.workspace import remove_tree
from jobs.values import Assertion
from jobs.weak_evals.canaries import find_newest_check
from jobs.weak_evals.canary_check import CanaryCheck
from jobs.weak_evals.weakness import Weakness, find_weak
from jobs.world import World

MOST_RUNS = 10
"""Past runs of one eval case that are looked at, the newest."""


class WeakEval(Value):
    """What is weak about one version of an eval case."""

    eval_id: str
    issue: int
    """The issue of its last run; 0: none."""
    runs: int
    """The past runs that were looked at."""
    assertions: int
    """How many the case has."""
    weaknesses: tuple[Weakness, ...]
    canaries: CanaryCheck | None = None
    """The last reading of its canaries."""


@dataclass(slots=True)
class ArchiveReader:
    """Reads results of past runs from their archives, so many at most: each is a download."""

    world: World
    most: int
    _read: int = field(default=0, init=False)

    async def find(self, record: RunRecord) -> RunResult | None:
        """The result of a run; None where it cannot be read, or no more may be downloaded."""
        if self._read >= self.most:
            return None
        self._read += 1
        folder = self.world.runs.scratch / f"weak-{uuid4().hex[:12]}"
        await asyncio.to_thread(folder.mkdir, parents=True)
        try:
            found = await find_kept_run(record.run, folder, self.world, record.repo)
        except (Refused, ValidationError):
            return None
        finally:
            await asyncio.to_thread(remove_tree, folder)
        return None if found is None else found.result


@dataclass(frozen=True, slots=True)
class ResultReader:
    """Reads the results of past runs; what cannot be read any more is left out."""

    blobs: BlobStore
    archives: ArchiveReader | None = None
    """Where those are read that the blob store has no more; None: they are not."""

    async def find_all(self, records: Sequence[RunRecord]) -> list[RunResult]:
        """The graded ones among them, in their order."""
        ended = [find_ended(record.run, self.blobs, record.repo) for record in records]
        kept = await asyncio.gather(*ended)
        found = [
            result or await self._read_archive(record)
            for record, result in zip(records, kept, strict=True)
        ]
        return [one for one in found if one is not None and one.graded]

    async def _read_archive(self, record: RunRecord) -> RunResult | None:
        return await self.archives.find(record) if self.archives else None


class PastRuns(NamedTuple):
    """What is kept of the past runs of one version of an eval case."""

    results: list[RunResult]
    """The graded ones, the newest first."""
    check: CanaryCheck | None
    """The last reading of its canaries."""

    @property
    def assertions(self) -> tuple[Assertion, ...]:
        """What the last of them scored."""
        return list_scored(self.results[0].spec.eval_case) if self.results else ()


async def read_past_runs(
    eval_digest: str, records: Sequence[RunRecord], reader: ResultReader
) -> PastRuns:
    """The last `MOST_RUNS` of these runs of an eval case's version, of which the newest is last."""
    results = await reader.find_all(records[::-1][:MOST_RUNS])
    return PastRuns(results, await find_newest_check(eval_digest, reader.blobs))


async def find_weak_eval(
    eval_id: str,
    eval_digest: str,
    records: Sequence[RunRecord],
    reader: ResultReader,
    assertions: Sequence[Assertion] = (),
) -> WeakEval | None:
    """What is weak about a version of an eval case; None where nothing is known of it.

    `records` are its repository's, the newest last. Without `assertions` they are those of its
    last run that is kept.
    """
    same = [one for one in records if (one.eval_id, one.eval_digest) == (eval_id, eval_digest)]
    if not same and not assertions:
        return None
    past = await read_past_runs(eval_digest, same, reader)
    asked = assertions or past.assertions
    if not asked:
        return None
    return WeakEval(
        eval_id=eval_id,
        issue=next((one.issue for one in reversed(same)), 0),
        runs=len(past.results),
        assertions=len(asked),
        weaknesses=find_weak(asked, past.results, past.check),
        canaries=past.check,
    )


async def find_weak_evals(
    records: Sequence[RunRecord], reader: ResultReader, eval_ids: Iterable[str]
) -> list[WeakEval]:
    """The weak ones among these eval cases, each in the version of its last run."""
    found = []
    for name in dict.fromkeys(eval_ids):
        digest = next((one.eval_digest for one in reversed(records) if one.eval_id == name), "")
        weak = await find_weak_eval(name, digest, records, reader)
        if weak is not None and weak.weaknesses:
            found.append(weak)
    return found
