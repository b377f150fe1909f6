"""What a push is to have measured, and what became of it: values, and where they are kept.

The list is stored before anything of it is asked for, and each request's end beside it, so
that whoever shows the push's check run shows it whole, however often and from wherever.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from jobs.ports import BlobStore
from jobs.requests import Repo, Request, Value
from jobs.results import RunRecord
from jobs.values import Launcher

EndState = Literal["done", "known", "unsound", "ungraded", "refused", "superseded", "cancelled"]
"""How a row ends: measured; measured before; on an eval case that a false answer passes, so that it
counts nowhere; without a score; not to be carried out; its skill was changed again before it began;
taken back by somebody."""


class ChangedSkill(Value):
    """A skill that is not what it was before the push."""

    path: str
    name: str
    sha: str


class PushRow(Value):
    """One eval case with one changed skill on one model."""

    eval_id: str
    issue: int
    """The issue that it is told on; 0 where there is none."""
    skill: ChangedSkill
    model: str
    """The id that is sent."""
    model_identity: str
    launcher: Launcher
    previous: RunRecord | None = None
    """The newest result of another version."""
    is_known: bool = False
    """Whether this very version was measured before the push."""
    known: RunRecord | None = None
    """That result; None, too, where only an older runner's report tells of it."""
    request: str = ""
    """Key of the request that measures it; empty where it is known."""


class RowEnd(Value):
    """What became of a row, by the identity of its model."""

    model_identity: str
    state: EndState
    record: RunRecord | None = None
    previous: RunRecord | None = None
    """What the record may be held against: the same eval, judge and model, another version."""
    reason: str = ""
    """Why there is no score, as Markdown of ours."""


class RequestEnd(Value):
    """What became of every row of a request."""

    rows: tuple[RowEnd, ...]


class PushPlan(Value):
    """All that a push asks for."""

    repo: Repo
    before: str
    after: str
    asked_at: datetime
    """When the push was taken in, or somebody asked for its check run again."""
    changed: tuple[ChangedSkill, ...]
    rows: tuple[PushRow, ...]
    left_out: tuple[str, ...] = ()
    """What was not asked for, and why, as sentences of ours."""


async def keep_plan(plan: PushPlan, blobs: BlobStore) -> None:
    """Keep the list; the same asking twice has the same place."""
    folder = _folder(plan)
    await blobs.put(f"{folder}/plan.json", plan.model_dump_json().encode())


async def find_plan(request: Request, blobs: BlobStore) -> PushPlan | None:
    """The list of the push that a request belongs to; None where it is not kept any more."""
    folder = _folder(request)
    stored = await blobs.get(f"{folder}/plan.json")
    return PushPlan.model_validate_json(stored) if stored else None


async def keep_end(request: Request, rows: Sequence[RowEnd], blobs: BlobStore) -> None:
    """Keep what became of one of the push's requests."""
    folder = _folder(request)
    end = RequestEnd(rows=tuple(rows))
    await blobs.put(f"{folder}/{_digest(request.key)}.json", end.model_dump_json().encode())


async def find_ends(plan: PushPlan, blobs: BlobStore) -> Mapping[str, Mapping[str, RowEnd]]:
    """What has ended so far: by key of the request, then by identity of the model."""
    folder = _folder(plan)
    ends = {}
    for key in {row.request for row in plan.rows if row.request}:
        if stored := await blobs.get(f"{folder}/{_digest(key)}.json"):
            rows = RequestEnd.model_validate_json(stored).rows
            ends[key] = {row.model_identity: row for row in rows}
    return ends


def _folder(asked: PushPlan | Request) -> str:
    """The same for the list, for the request that asked for it, and for those that it asks for."""
    push = f"{asked.before or ''}|{asked.after}|{asked.asked_at.isoformat()}"
    return f"pushes/{_digest(f'{asked.repo.full_name.casefold()}|{push}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
