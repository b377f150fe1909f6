"""Grades that were paid for, kept until the report that holds them is written.

A grading that is stopped, or lost with its machine, is carried on by asking for it again: what
was graded by then is found here. Once its report stands they are forgotten, so that whoever
asks after that is given new verdicts.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from jobs.datasets.results import CaseResult
from jobs.datasets.saved import Saved
from jobs.ports import BlobStore

FOLDER = "dataset-grades"


@dataclass(frozen=True, slots=True)
class KeptGrades:
    """Grades by what was graded and who judged it. Raises `Transient` where the store fails."""

    blobs: BlobStore

    async def get(self, one: Saved, judge: str) -> CaseResult | None:
        """What this judge said of this dialogue; None where it has not been graded."""
        stored = await self.blobs.get(_key(one, judge))
        return CaseResult.model_validate_json(stored) if stored else None

    async def put(self, one: Saved, judge: str, result: CaseResult) -> None:
        """Keep a grade; what could not be graded is tried again, and is not kept."""
        if result.grade.outcome != "ungraded":
            await self.blobs.put(_key(one, judge), result.model_dump_json().encode())

    async def forget(self, graded: Iterable[tuple[Saved, str]]) -> None:
        """Forget the grades that a report holds by now."""
        for one, judge in graded:
            await self.blobs.delete(_key(one, judge))


def _key(one: Saved, judge: str) -> str:
    # when the turns of answers from elsewhere were read says nothing about them
    said = [(turn.said.text, turn.reply.text if turn.reply else None) for turn in one.turns]
    parts = (one.case.model_dump_json(), repr(said), judge)
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{FOLDER}/{digest[:40]}.json"
