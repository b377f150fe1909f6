"""What is worked out of a skill's records in the process beside the web process.

Records come and figures go as JSON: a thousand values would keep the loop for longer than the
bytes that they are read from. What is heavy is loaded by the functions themselves.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

import msgspec
from pydantic import TypeAdapter, ValidationError

from bot.blobs import Blobs
from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.values import AssertionNote
from jobs.results import RunRecord

NOTES = TypeAdapter(tuple[AssertionNote, ...])


class GivenRuns(NamedTuple):
    """A skill's newest records, as the ledger keeps them."""

    repo: str
    skill: str
    stored: Sequence[bytes]
    total: int
    """How many records there are."""
    digests: Mapping[str, str]
    """The text that each of their eval cases has now, by its digest."""


def work_out(given: GivenRuns, limits: Thresholds, now: datetime) -> tuple[str, str]:
    """A skill's card, and all its figures but what is noted of assertions and triggers."""
    from jobs.dashboard.skill import SkillRuns, make_skill_figures  # noqa: PLC0415

    records = read_records(given.stored)
    runs = SkillRuns(given.repo, given.skill, records, given.total, given.digests)
    figures = make_skill_figures(runs, limits, now)
    return figures.card.model_dump_json(), figures.model_dump_json()


def find_notes(given: GivenRuns, blob_url: str) -> str:
    """What past runs say of a skill's assertions. Raises `Transient` where the store is away."""
    from jobs.dashboard.assertions import find_assertion_notes  # noqa: PLC0415

    blobs = Blobs(blob_url)
    notes = asyncio.run(find_assertion_notes(read_records(given.stored), blobs))
    return NOTES.dump_json(notes).decode()


class _EvalId(msgspec.Struct):
    eval_id: str


def find_eval_ids(stored: Iterable[bytes]) -> list[str]:
    """The eval cases of records, read without the rest of them."""
    decode = msgspec.json.Decoder(_EvalId).decode
    found: set[str] = set()
    for one in stored:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            found.add(decode(one).eval_id)
    return sorted(found)


def read_records(stored: Sequence[bytes]) -> list[RunRecord]:
    """The records that this version can read."""
    found = []
    for one in stored:
        try:
            found.append(RunRecord.model_validate_json(one))
        except ValidationError:
            continue
    return found
