"""What a run leaves in the blob store: its plan, each case as soon as it has ended, its report.

A case's key is a digest of its id, since an id is somebody else's text.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from jobs.datasets.plan import RunPlan
from jobs.datasets.results import CaseResult
from jobs.ports import BlobStore

FOLDER = "datasets"
READ_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class DatasetKeeping:
    """The runs of datasets in one store. Raises `Transient` where it fails."""

    blobs: BlobStore

    async def put_plan(self, plan: RunPlan) -> None:
        await self.blobs.put(f"{FOLDER}/{plan.run_id}/plan.json", plan.model_dump_json().encode())

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

    async def cases(self, plan: RunPlan) -> AsyncIterator[CaseResult]:
        """The cases that have ended, in the order of the plan, a few in memory at a time."""
        for start in range(0, len(plan.cases), READ_AT_ONCE):
            part = plan.cases[start : start + READ_AT_ONCE]
            for one in await asyncio.gather(*(self.get_case(plan.run_id, name) for name in part)):
                if one is not None:
                    yield one

    async def put_report(self, run_id: str, report: dict[str, Any]) -> None:
        content = json.dumps(report, ensure_ascii=False, allow_nan=False).encode()
        await self.blobs.put(f"{FOLDER}/{run_id}/report.json", content)

    async def get_report(self, run_id: str) -> dict[str, Any] | None:
        """The report of a run that has ended; None where there is none yet."""
        stored = await self.blobs.get(f"{FOLDER}/{run_id}/report.json")
        found: dict[str, Any] | None = json.loads(stored) if stored else None
        return found


def _case_key(run_id: str, case_id: str) -> str:
    return f"{FOLDER}/{run_id}/cases/{hashlib.sha256(case_id.encode()).hexdigest()[:32]}.json"
