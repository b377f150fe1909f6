"""What is to be measured of a pull request, and what became of it: values, and where they lie.

The list is kept before anything of it is asked for, and each run's end beside it, so that
whoever shows it shows it whole, however often and from wherever.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from jobs.ports import BlobStore
from jobs.requests import Request, Value

CHILD = "pulled:"
"""Begins the key of a benchmark that is a part of a comparison of a pull request."""
State = Literal["done", "unsound", "ungraded", "refused", "superseded", "cancelled"]
"""How a run or a row ends; `unsound`: a false answer passes its eval case, so it counts nowhere."""


class PullSkill(Value):
    """A skill that the head has otherwise than the base."""

    path: str
    name: str
    sha: str
    is_new: bool
    """Whether the base has no skill in that place, so that it is compared with none."""


class PullRow(Value):
    """One eval case with one changed skill; each of its models is a run."""

    eval_id: str
    skill: PullSkill
    is_of_head: bool = False
    """Whether the case is one that the skill brings itself, in the head."""
    key: str
    """Of the request that measures it."""


class PullPlan(Value):
    """All that one asking on a pull request leads to."""

    request: Request
    """Whoever asked, with the head that is run."""
    rules: str
    """The commit of the default branch that eval cases and settings come from."""
    base: str
    """The commit that the head is compared with."""
    changed: tuple[PullSkill, ...]
    rows: tuple[PullRow, ...]
    broken: tuple[str, ...] = ()
    """Skills that cannot be used as the head has them, and why, as sentences of ours."""
    left_out: tuple[str, ...] = ()
    """What is not measured, and why, as sentences of ours."""
    expected: str = ""
    """What it is expected to take, as half a sentence (`jobs.estimates.describe`)."""
    runs: tuple[()] = ()
    """It has none of its own: each row is a request (`jobs.keeping.Planned`)."""


class RunEnd(Value):
    """How one run of a row ended."""

    model: str
    state: State
    scores: tuple[float, float] | None = None
    """Fractions of the head and of the base."""
    url: str = ""
    is_known: bool = False
    """Whether it was measured before."""


class RowEnd(Value):
    """How a row ended: its runs, or why there is none."""

    runs: tuple[RunEnd, ...] = ()
    state: State = "refused"
    """Of a row without a run."""
    reason: str = ""
    """Markdown of ours."""


async def keep_plan(plan: PullPlan, blobs: BlobStore) -> None:
    """Keep the list where the request itself and its parts find it."""
    await blobs.put(_family_key(name_family(plan.request)), plan.model_dump_json().encode())


async def find_plan(request: Request, blobs: BlobStore) -> PullPlan | None:
    """The list that a request led to before; None where there is none."""
    return await _read(name_family(request), blobs)


async def find_family(child: Request, blobs: BlobStore) -> PullPlan | None:
    """The list that a benchmark is a part of; None where it is of none, or none is kept."""
    return await _read(child.key.split(":")[-2], blobs) if is_child(child) else None


def is_child(request: Request) -> bool:
    """Whether a request is a part of a comparison of a pull request."""
    return request.origin == "pull_request" and request.key.startswith(CHILD)


def name_child(request: Request, eval_id: str, skill: str) -> str:
    """The key of one row's request."""
    digest = hashlib.sha256(f"{eval_id}|{skill}".encode("utf-8", "replace")).hexdigest()[:12]
    place = f"{request.repo.full_name}#{request.issue}"
    return f"{CHILD}{place}:{name_family(request)}:{digest}"


def name_family(request: Request) -> str:
    """What all requests of one asking have in their keys."""
    return _name_family(request.key, request.asked_at)


def pull_folder(key: str, asked_at: datetime) -> str:
    """Where an asking on a pull request keeps its list, by its key and time."""
    return f"pulls/{_name_family(key, asked_at)}"


async def keep_end(plan: PullPlan, key: str, end: RowEnd, blobs: BlobStore) -> None:
    """Keep how a row ended."""
    await blobs.put(_end_key(plan, key), end.model_dump_json().encode())


async def find_ends(plan: PullPlan, blobs: BlobStore) -> Mapping[str, RowEnd]:
    """How the rows ended that have, by the key of their request."""
    ends = {}
    for row in plan.rows:
        if stored := await blobs.get(_end_key(plan, row.key)):
            ends[row.key] = RowEnd.model_validate_json(stored)
    return ends


def runs_of(ends: Sequence[RowEnd]) -> list[RunEnd]:
    """Every run of these rows."""
    return [run for end in ends for run in end.runs]


async def _read(family: str, blobs: BlobStore) -> PullPlan | None:
    stored = await blobs.get(_family_key(family))
    return PullPlan.model_validate_json(stored) if stored else None


def _name_family(key: str, asked_at: datetime) -> str:
    return hashlib.sha256(f"{key}|{asked_at.isoformat()}".encode()).hexdigest()[:16]


def _family_key(family: str) -> str:
    return f"pulls/{family}/plan.json"


def _end_key(plan: PullPlan, key: str) -> str:
    return f"pulls/{name_family(plan.request)}/{hashlib.sha256(key.encode()).hexdigest()}.json"
