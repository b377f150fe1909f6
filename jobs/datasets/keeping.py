"""What a run leaves in the blob store: its plan, each case as soon as it has ended, its report.

A case's key is a digest of its id, since an id is somebody else's text.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Protocol

from jobs.datasets.plan import RunPlan
from jobs.datasets.results import CaseResult
from jobs.ports import BlobStore
from jobs.requests import Value

FOLDER = "datasets"
INDEX = "dataset-runs"
"""A blob for each run whose name begins with its time, so that a list needs no look at cases."""
PAST = "dataset-past"
"""What cases took, by benchmark, dataset, target and models."""
READ_AT_ONCE = 50


class ListedBlob(Protocol):
    """A blob as a list shows it."""

    @property
    def key(self) -> str: ...


class ListingStore(BlobStore, Protocol):
    """A store that can tell what it holds."""

    def walk(self, folder: str, /) -> AsyncIterator[ListedBlob]:
        """Everything below a folder, in no order."""


class PastRun(Value):
    """What the cases of a run cost, for the estimate of the next one."""

    cases: int
    """Those whose whole price is known."""
    usd: Decimal
    most_usd: Decimal
    """The dearest case."""
    seconds: float
    """Sum over the cases."""


@dataclass(frozen=True, slots=True)
class DatasetKeeping:
    """The runs of datasets in one store. Raises `Transient` where it fails."""

    blobs: ListingStore

    async def put_plan(self, plan: RunPlan) -> None:
        content = plan.model_dump_json().encode()
        await self.blobs.put(f"{FOLDER}/{plan.run_id}/plan.json", content)
        began = plan.started_at.astimezone(UTC)
        await self.blobs.put(f"{INDEX}/{began:%Y%m%dT%H%M%S.%f}-{plan.run_id}", b"")

    async def get_plan(self, run_id: str) -> RunPlan | None:
        """The plan of a run; None where there is no such run."""
        stored = await self.blobs.get(f"{FOLDER}/{run_id}/plan.json")
        return RunPlan.model_validate_json(stored) if stored else None

    async def put_case(self, run_id: str, result: CaseResult) -> None:
        content = result.model_dump_json().encode()
        await self.blobs.put(_case_key(run_id, result.id), content)

    async def get_case(self, run_id: str, case_id: str) -> CaseResult | None:
        """What became of a case; None where it has not ended."""
        stored = await self.blobs.get(_case_key(run_id, case_id))
        return CaseResult.model_validate_json(stored) if stored else None

    async def find_ended(self, run_id: str, case_ids: Iterable[str]) -> set[str]:
        """Which of these cases have ended: by one list, since most of a new run's have not."""
        folder = f"{FOLDER}/{run_id}/cases"
        kept = {blob.key async for blob in self.blobs.walk(folder)}
        return {one for one in case_ids if _case_key(run_id, one) in kept}

    async def is_taken_over(self, plan: RunPlan, case_id: str) -> bool:
        """Whether the run that a plan repeats has paid for a case."""
        if not plan.again_of:
            return False
        earlier = await self.get_case(plan.again_of, case_id)
        return earlier is not None and earlier.grade.outcome != "ungraded"

    async def cases(self, plan: RunPlan) -> AsyncIterator[CaseResult]:
        """The cases that have ended, in the order of the plan, a few in memory at a time."""
        for start in range(0, len(plan.cases), READ_AT_ONCE):
            part = plan.cases[start : start + READ_AT_ONCE]
            for one in await asyncio.gather(*(self.get_case(plan.run_id, name) for name in part)):
                if one is not None:
                    yield one

    async def runs(self) -> list[str]:
        """The ids of all runs, the one that began last first."""
        starts = await self.starts()
        return sorted(starts, key=lambda run_id: (starts[run_id], run_id), reverse=True)

    async def starts(self) -> dict[str, datetime]:
        """When each run began, by its id."""
        names = [blob.key.rpartition("/")[2] async for blob in self.blobs.walk(INDEX)]
        parts = [name.rpartition("-") for name in names]
        return {
            run_id: datetime.fromisoformat(began).replace(tzinfo=UTC) for began, _, run_id in parts
        }

    async def put_state(self, run_id: str, state: str) -> None:
        """Note how a run ended: `complete`, or why some of its cases were not run."""
        await self.blobs.put(f"{FOLDER}/{run_id}/state", state.encode())

    async def get_state(self, run_id: str) -> str | None:
        """How a run ended; None where it has not."""
        stored = await self.blobs.get(f"{FOLDER}/{run_id}/state")
        return stored.decode() if stored else None

    async def put_past(self, key: str, past: PastRun) -> None:
        await self.blobs.put(f"{PAST}/{key}.json", past.model_dump_json().encode())

    async def get_past(self, key: str) -> PastRun | None:
        """What such cases took the last time; None where none were run."""
        stored = await self.blobs.get(f"{PAST}/{key}.json")
        return PastRun.model_validate_json(stored) if stored else None


def _case_key(run_id: str, case_id: str) -> str:
    return f"{FOLDER}/{run_id}/cases/{hashlib.sha256(case_id.encode()).hexdigest()[:32]}.json"
