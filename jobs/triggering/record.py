"""What is remembered of a measurement of a description: for machines in the report, for us
in the blob store, so that nothing is measured twice.

A marker counts only in a comment that the App wrote itself; anybody can write one. Losing
the store loses no more than a look at the issue's own comments can find.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from jobs.planning.markers import find_comments, to_json
from jobs.ports import BlobStore, Comment
from jobs.requests import Value

VERSION = "skillbench:trigger:v1"
_OURS = re.compile(rf"\s*{VERSION}\s+(\{{.*\}})\s*", re.DOTALL)


class TriggerRecord(Value):
    """A measurement that has ended."""

    run: str
    kind: str
    repo: str
    skill: str
    """Path of its folder."""
    skill_sha: str
    eval_set: str
    """Digest of the queries."""
    model: str
    """The id that was sent."""
    launcher: str
    key: str
    queries: int
    missing: int
    """Queries of which no session could be seen; where there are any, it may be done again."""
    scores: dict[str, float | None]
    """Fractions: precision, recall, accuracy, f1; of an optimization, of what it chose."""
    improved: bool | None = None
    """Of an optimization: whether another description was shown to be better."""
    ended_at: datetime | None = None
    """None in older records."""
    url: str = ""
    """Address of the report; empty inside the marker itself."""


def render_marker(record: TriggerRecord) -> str:
    """The hidden line at the end of a report."""
    return f"<!-- {VERSION} {to_json(record.model_dump(mode='json', exclude={'url'}))} -->"


def find_records(body: str) -> list[TriggerRecord]:
    """The records in a comment's body, outside quotations and code."""
    if VERSION not in body:
        return []
    found = [
        read_record(match[1]) for text in find_comments(body) if (match := _OURS.fullmatch(text))
    ]
    return [record for record in found if record is not None]


async def find_known(
    key: str, comments: Sequence[Comment], blobs: BlobStore
) -> TriggerRecord | None:
    """The finished measurement with a key, from our store or a comment of ours; or None."""
    stored = await blobs.get(_blob(key))
    known = read_record(stored.decode()) if stored else None
    if known is not None:
        return known
    for comment in reversed(comments):
        for record in find_records(comment.body) if comment.by_this_app else ():
            if record.key == key and not record.missing:
                return record.model_copy(update={"url": comment.url})
    return None


async def remember(record: TriggerRecord, blobs: BlobStore) -> None:
    """Let a measurement be found by whoever asks for the same; not one with gaps."""
    if not record.missing:
        await blobs.put(_blob(record.key), record.model_dump_json().encode())


def read_record(text: str) -> TriggerRecord | None:
    """A record from its JSON; None where it is none of this version."""
    try:
        return TriggerRecord.model_validate(json.loads(text))
    except (ValidationError, ValueError, RecursionError):
        return None


def _blob(key: str) -> str:
    return f"triggering/known-{key}.json"
