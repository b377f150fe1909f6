"""The past runs of an eval case, as far as they are kept, and what is weak about it by them.

A run's result is kept for some weeks; of an older one its archive is read where that is allowed,
since each is a download.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from pydantic import ValidationError

from jobs.again.kept_runs import find_kept_run
from jobs.checks.merge import list_scored
from jobs.errors import Refused
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
class ResultReader:
    """Reads the results of past runs; what cannot be read any more is left out."""

    world: World
    most_archives: int = 0
    """That may be downloaded."""
    _archives: int = field(default=0, init=False)

    async def find_all(self, records: Iterable[RunRecord]) -> list[RunResult]:
        """The graded ones among them, in their order."""
        found = [await self._find(record) for record in records]
        return [one for one in found if one is not None and one.graded]

    async def _find(self, record: RunRecord) -> RunResult | None:
        stored = await self.world.runs.blobs.get(f"runs/{record.run}/ended.json")
        if stored is None:
            return await self._read_archive(record)
        try:
            result = RunResult.model_validate_json(stored)
        except ValidationError:  # of another version
            return None
        # the blob store is one for all repositories
        is_own = result.spec.repo.full_name.casefold() == record.repo.casefold()
        return result if is_own else None

    async def _read_archive(self, record: RunRecord) -> RunResult | None:
        if self._archives >= self.most_archives:
            return None
        self._archives += 1
        folder = self.world.runs.scratch / f"weak-{uuid4().hex[:12]}"
        await asyncio.to_thread(folder.mkdir, parents=True)
        try:
            found = await find_kept_run(record.run, folder, self.world, record.repo)
        except (Refused, ValidationError):
            return None
        finally:
            await asyncio.to_thread(remove_tree, folder)
        return None if found is None else found.result


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
    results = await reader.find_all(reversed(same[-MOST_RUNS:]))
    asked = assertions or (list_scored(results[0].spec.eval_case) if results else ())
    if not asked:
        return None
    check = await find_newest_check(eval_digest, reader.world.runs.blobs)
    return WeakEval(
        eval_id=eval_id,
        issue=next((one.issue for one in reversed(same)), 0),
        runs=len(results),
        assertions=len(asked),
        weaknesses=find_weak(asked, results, check),
        canaries=check,
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
