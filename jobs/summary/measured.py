"""The runs that a summary rests on: of each eval case and model the latest with a score.

Only comparisons with no skill count, since those with another version answer another question.
Pure: ledger records in, rows out; what does not count is named with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jobs.results import SAME_SCORE, RunRecord
from jobs.values import Arm

Word = Literal["win", "tie", "loss"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The latest run with a score of one eval case on one model."""

    record: RunRecord
    with_skill: float
    without_skill: float
    """Scores as fractions."""

    @property
    def difference(self) -> float:
        return self.with_skill - self.without_skill

    @property
    def word(self) -> Word:
        if abs(self.difference) < SAME_SCORE:
            return "tie"
        return "win" if self.difference > 0 else "loss"

    @property
    def is_trivial(self) -> bool:
        """Whether both arms met every assertion, so that it tells nothing apart."""
        return min(self.with_skill, self.without_skill) > 1 - SAME_SCORE


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCounted:
    """A run that no row rests on, and why."""

    record: RunRecord
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """All that is known of one skill."""

    rows: tuple[Measured, ...]
    """By eval case, then by model."""
    not_counted: tuple[NotCounted, ...] = ()


def find_measurements(records: Sequence[RunRecord], skill: str) -> Measurements:
    """What the records, the one that ended first at the beginning, say of a skill's path."""
    latest: dict[tuple[str, str], Measured] = {}
    incomplete: dict[tuple[str, str], RunRecord] = {}
    left_out: list[NotCounted] = []
    for record in records:
        if record.skill != skill:
            continue
        key = (record.eval_id, record.model_identity)
        if record.vs != "none":
            reason = "its other arm had a version of the skill"
            if record.vs == "self":
                reason = "it held a version against itself, for A/A"
            left_out.append(NotCounted(record=record, reason=reason))
        elif record.canary_passed:
            reason = "a false answer passes every assertion of its eval case"
            left_out.append(NotCounted(record=record, reason=reason))
        elif not record.should_load:
            left_out.append(NotCounted(record=record, reason=_tell_dormant(record)))
        elif (row := _measured(record)) is None:
            incomplete[key] = record
        else:
            latest[key] = row
            incomplete.pop(key, None)  # it was measured since
    rows = sorted(latest.values(), key=lambda row: (_order(row.record), row.record.model))
    missing = [
        NotCounted(record=record, reason="was invalid" if record.invalid else "came to no score")
        for record in incomplete.values()
    ]
    return Measurements(rows=tuple(rows), not_counted=(*missing, *left_out))


def _tell_dormant(record: RunRecord) -> str:
    """Why an eval case that is no task for the skill is counted apart, and how it came out."""
    reason = "its task is none for the skill"
    if record.loaded is None:
        return reason
    loaded, sessions = (record.loaded.get(name, 0) for name in ("loaded", "all"))
    return f"{reason}, which stayed dormant in {sessions - loaded} of {sessions} sessions"


def _measured(record: RunRecord) -> Measured | None:
    score = record.score or {}
    having, lacking = score.get(Arm.WITH_SKILL), score.get(Arm.WITHOUT_SKILL)
    if record.state != "complete" or having is None or lacking is None:
        return None
    return Measured(record=record, with_skill=having, without_skill=lacking)


def _order(record: RunRecord) -> tuple[int, str]:
    """Issues by their number, then everything else by name."""
    number = record.eval_id.removeprefix("github-issue-")
    return (
        (int(number), "") if number.isdecimal() and len(number) < 12 else (10**12, record.eval_id)
    )
