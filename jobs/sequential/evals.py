"""Eval cases of a skill one after the other, until it is sure whether the skill makes a difference.

What decides is read from the ledger: of every eval case of the set that has a result, whoever's
run it was. So a request that is carried on comes to the same decision, and what is there already
is evidence that need not be paid again. Eval cases that share their input files are one
observation, which is looked at once all of them are there.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jobs.conclusions.sets import SetKey, SetRow
from jobs.conclusions.verdict import Tosses
from jobs.planning.dedup import answers, record_key
from jobs.planning.plan import Plan
from jobs.ports import BlobStore, Ledger
from jobs.reporting.arm_words import get_scores
from jobs.results import RunRecord
from jobs.sequential.look import Look
from jobs.sequential.planning import Group, cluster_of, group_of
from jobs.statistics.sequential import decide
from jobs.values import RunSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Runs of a request that go on one after the other."""

    rows: tuple[int, ...]
    """Their places in the plan."""
    specs: tuple[RunSpec, ...]
    known: tuple[RunSpec, ...] = ()
    """Eval cases of the set that were measured before the request."""
    is_forced: bool = False
    """Whether only the request's own runs count for those that are planned."""

    @property
    def may_stop(self) -> bool:
        """Whether its runs are eval cases of a set that is measured until it is sure."""
        return self.specs[0].until_sure == "evals"

    async def look(self, done: int, ledger: Ledger) -> Look:
        """What the set says when the first `done` runs have ended; the rest has not begun."""
        waiting = {cluster_of(spec) for spec in self.specs[done:]}
        records = [
            *[await _find_record(one, ledger, is_forced=False) for one in self.known],
            *[
                await _find_record(one, ledger, is_forced=self.is_forced)
                for one in self.specs[:done]
            ],
        ]
        rows = [row for row in _rows(records) if row.cluster not in waiting]
        return await asyncio.to_thread(judge_rows, rows, len(waiting))


def find_lines(plan: Plan) -> list[Line]:
    """The runs of a plan: each by itself, those of one set in a line, in the order of the plan."""
    lines, sets = [], defaultdict[Group, list[int]](list)
    for row, spec in enumerate(plan.runs):
        if spec.until_sure == "evals":
            sets[group_of(spec)].append(row)
        else:
            lines.append(Line(rows=(row,), specs=(spec,)))
    known = [one.spec for one in plan.duplicates]
    for group, rows in sets.items():
        lines.append(
            Line(
                rows=tuple(rows),
                specs=tuple(plan.runs[row] for row in rows),
                known=tuple(spec for spec in known if group_of(spec) == group),
                is_forced=plan.request.force,
            )
        )
    return sorted(lines, key=lambda one: one.rows[0])


async def note_not_needed(spec: RunSpec, blobs: BlobStore) -> None:
    """Keep that a run was never begun, since its set was sure without it: it is no failure."""
    await blobs.put(_key(spec), b"")


async def was_not_needed(spec: RunSpec, blobs: BlobStore) -> bool:
    """Whether a run was never begun for that reason."""
    return await blobs.exists(_key(spec))


def _key(spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/not-needed"


async def _find_record(spec: RunSpec, ledger: Ledger, *, is_forced: bool) -> RunRecord | None:
    record = await ledger.find(record_key(spec))
    if record is None or (is_forced and record.run != spec.run_id):
        return None
    return record if answers(record, spec) else None


def _rows(records: Iterable[RunRecord | None]) -> list[SetRow]:
    """What may be counted together, as a set has it: with the run that ended last."""
    found = [
        SetRow(record, *scores)
        for record in records
        if record is not None and record.should_load and not record.canary_passed
        if (scores := get_scores(record.score)) is not None
    ]
    if not found:
        return []
    newest = max((row.record for row in found), key=lambda one: (one.ended_at, one.run))
    return [row for row in found if SetKey.of(row.record) == SetKey.of(newest)]


def judge_rows(rows: Sequence[SetRow], left: int) -> Look:
    """What these eval cases say, with so many observations to come. Blocks: loads statistics."""
    tosses = Tosses.of(rows)
    return Look(
        decision=decide(tosses.up, tosses.down, left=left),
        wins=tosses.up,
        ties=tosses.all - tosses.up - tosses.down,
        losses=tosses.down,
        left=left,
    )
