"""What people say of a run's assertions, beside the judge: kept in the store and in the report.

The store has it first. The report's comment bears it, too, as hidden JSON: a comment of the App's
own survives an emptied store, and nobody else can write one. What is said twice is once, by the
command that said it; a correction takes the earlier one's place and the earlier one is kept.
"""

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from pydantic import Field, ValidationError

from jobs.planning.markers import find_comments, to_json
from jobs.ports import BlobStore, Comment
from jobs.requests import Value
from jobs.values import Arm, VerdictWord

MARKER = "skillbench:verdicts"
MOST_KEPT = 100
"""Verdicts of one run, corrected ones included; so many always fit a comment."""
MARKER_BYTES = 30_000
"""Of the hidden JSON in a report; reasons are cut before it grows larger."""
_LENGTHS = (500, 120, 40, 0)
"""Characters of a reason and of a group's title that are tried, from the longest."""
_FOLDER = "verdicts"


class About(NamedTuple):
    """What a verdict is about; of several on one thing the last counts."""

    assertion: str
    arm: Arm
    trial: int


class PersonVerdict(Value):
    """What one person says of one assertion for one arm's output."""

    asking: str = Field(max_length=40)
    """Stands for the command that said it."""
    assertion: str = Field(max_length=20)
    arm: Arm
    trial: int = 1
    verdict: VerdictWord
    reason: str = ""
    by: str = Field(max_length=100)
    """Login."""
    at: datetime
    issue: int = 0
    comment: int | None = None
    """The comment that holds the command, and where it stands."""
    group: str = ""
    """Title of the group that the assertion stands under."""
    judge: tuple[VerdictWord, ...] = ()
    """What the judge's readings had said of it; empty where they said nothing."""

    @property
    def about(self) -> About:
        return About(self.assertion, self.arm, self.trial)


class RunVerdicts(Value):
    """All that people said of one run, in the order in which they said it."""

    run: str = Field(pattern=r"^[0-9a-z]{1,40}$")
    eval_id: str
    series: tuple[str, str, str] = ("", "", "")
    """Which model and which judge they are held against (`jobs.calibration.series`)."""
    verdicts: tuple[PersonVerdict, ...] = ()

    @property
    def current(self) -> dict[About, PersonVerdict]:
        """The last word on each thing."""
        return {one.about: one for one in self.verdicts}

    @property
    def corrected(self) -> tuple[PersonVerdict, ...]:
        """Those that a later one took the place of."""
        current = {one.asking for one in self.current.values()}
        return tuple(one for one in self.verdicts if one.asking not in current)

    def joined(self, others: Iterable[PersonVerdict]) -> "RunVerdicts":
        """These and others; of one that is known twice the whole text is kept."""
        known: dict[str, PersonVerdict] = {}
        for one in (*self.verdicts, *others):
            before = known.get(one.asking)
            if before is None or len(one.reason) > len(before.reason):
                known[one.asking] = one
        # GitHub tells whole seconds; within one the later comment has the larger number
        ordered = sorted(known.values(), key=lambda one: (one.at, one.comment or 0))
        return self.model_copy(update={"verdicts": tuple(ordered)})


def verdicts_folder(repo: str) -> str:
    """Where the verdicts on a repository's runs lie; `repo` is `owner/name` in any case."""
    return f"{_FOLDER}/{hashlib.sha256(repo.casefold().encode()).hexdigest()[:32]}"


async def keep_verdicts(verdicts: RunVerdicts, repo: str, blobs: BlobStore) -> None:
    """Put them in place of what was kept of this run."""
    key = f"{verdicts_folder(repo)}/{verdicts.run}.json"
    await blobs.put(key, verdicts.model_dump_json().encode())


async def find_verdicts(run: str, repo: str, blobs: BlobStore) -> RunVerdicts | None:
    """What is kept of a run; None where nobody said anything."""
    stored = await blobs.get(f"{verdicts_folder(repo)}/{run}.json")
    return None if stored is None else RunVerdicts.model_validate_json(stored)


def render_verdicts_marker(verdicts: RunVerdicts) -> str:
    """The hidden line of a report; empty where nobody said anything."""
    if not verdicts.verdicts:
        return ""
    for length in _LENGTHS:
        text = f"<!-- {MARKER} {to_json(_cut(verdicts, length).model_dump(mode='json'))} -->"
        if len(text.encode()) <= MARKER_BYTES:
            break
    return text


def find_verdicts_marker(body: str) -> RunVerdicts | None:
    """What the hidden line of a comment says; who wrote the comment is for the caller to ask."""
    if MARKER not in body:
        return None
    for comment in find_comments(body):
        words = comment.strip().removeprefix(MARKER)
        if words == comment.strip():
            continue
        try:
            return RunVerdicts.model_validate(json.loads(words))
        except (ValidationError, ValueError, RecursionError):
            continue  # of another version
    return None


def read_comments(comments: Iterable[Comment], run: str) -> tuple[PersonVerdict, ...]:
    """What the App's own comments hold of a run."""
    found = [find_verdicts_marker(one.body) for one in comments if one.by_this_app]
    return tuple(
        verdict for one in found if one is not None and one.run == run for verdict in one.verdicts
    )


def _cut(verdicts: RunVerdicts, length: int) -> RunVerdicts:
    cut = [
        one.model_copy(update={"reason": _clip(one.reason, length), "group": one.group[:length]})
        for one in verdicts.verdicts
    ]
    return verdicts.model_copy(update={"verdicts": tuple(cut)})


def _clip(reason: str, length: int) -> str:
    if len(reason) <= length:
        return reason
    return f"{reason[: max(length - 1, 0)]}…"
