"""What became of the sessions and readings that were expected, and why a run may be invalid.

Every one that was expected must have been carried out and must count. Where one is missing,
what is left is a choice among the others; where it hit one arm, a choice among that arm's.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from jobs.health.conditions import find_unlike
from jobs.health.counts import Counts, Health
from jobs.health.manifest import Manifest
from jobs.matched import ARM_NAMES, find_mismatch
from jobs.readings import JudgePass, LostReading
from jobs.results import RunResult
from jobs.values import RunSpec, SessionResult

_READINGS = 2
"""Of one trial."""
_MOST_NAMED = 4


def find_health(result: RunResult) -> Health:
    """As it was weighed when the run ended; of older results the counts alone."""
    if result.health is not None:
        return result.health
    due = find_due(result)
    return Health(
        sessions=_count_sessions(result.spec, due, result.sessions),
        readings=_count_readings(due, result.passes, result.lost_readings),
    )


def find_due(result: RunResult) -> Collection[int]:
    """The trials that a run was to have: all of them, but for those that its rule spared it."""
    return [one.number for one in result.trials] or range(1, result.spec.trials + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a run came to: its sessions and readings, however they ended."""

    spec: RunSpec
    due: Collection[int]
    """Numbers of the trials that it was to have."""
    sessions: Sequence[SessionResult]
    passes: Sequence[JudgePass]
    lost: Sequence[LostReading]


def weigh(seen: Seen, manifest: Manifest | None, *, judged_later: bool = False) -> Health:
    """Counts and findings; without a manifest, as older runs are, nothing was written down.

    Another judge is expected to differ from the one of the manifest (`judged_later`).
    """
    spec, due, sessions = seen.spec, seen.due, seen.sessions
    readings = _count_readings(due, seen.passes, seen.lost)
    findings = [*_tell_sessions(spec, due, sessions), *_tell_lopsided(spec, due, sessions)]
    counted = [one for one in sessions if one.scored]
    if not findings and not readings.agree:
        findings += _tell_readings(spec, readings, seen.lost)
    if manifest is not None:
        findings += find_unlike(manifest, counted, () if judged_later else seen.passes)
        findings += _tell_unproven(spec, counted)
    if reason := find_mismatch(spec, counted):
        findings.append(reason.rstrip("."))
    return Health(
        sessions=_count_sessions(spec, due, sessions),
        readings=readings,
        findings=tuple(findings),
    )


def count_lost(
    spec: RunSpec, due: Collection[int], sessions: Sequence[SessionResult]
) -> dict[str, int]:
    """Sessions by arm that came to no output that counts, or to no end at all."""
    return {
        arm.value: len(due) - len({one.trial for one in sessions if one.arm is arm and one.scored})
        for arm in spec.arms
    }


def _count_sessions(
    spec: RunSpec, due: Collection[int], sessions: Sequence[SessionResult]
) -> Counts:
    return Counts(
        expected=len(spec.arms) * len(due),
        observed=len({(one.trial, one.arm) for one in sessions}),
        scored=len({(one.trial, one.arm) for one in sessions if one.scored}),
    )


def _count_readings(
    due: Collection[int], passes: Sequence[JudgePass], lost: Sequence[LostReading]
) -> Counts:
    given = {(one.trial, one.number) for one in passes}
    return Counts(
        expected=_READINGS * len(due),
        observed=len(given | {(one.trial, one.number) for one in lost}),
        scored=len(given),
    )


def _tell_sessions(
    spec: RunSpec, due: Collection[int], sessions: Sequence[SessionResult]
) -> list[str]:
    """What is missing, and what does not count."""
    there = {(one.trial, one.arm) for one in sessions}
    told = [
        f"the session {ARM_NAMES[arm]}{_of_trial(trial, spec)} came to no end"
        for trial in due
        for arm in spec.arms
        if (trial, arm) not in there
    ]
    told += [
        f"the session {ARM_NAMES[one.arm]}{_of_trial(one.trial, spec)} ended as {one.end}"
        + (f" ({one.detail})" if one.detail else "")
        for one in sessions
        if not one.scored
    ]
    return _shorten(told)


def _tell_lopsided(
    spec: RunSpec, due: Collection[int], sessions: Sequence[SessionResult]
) -> list[str]:
    """That more was lost in one arm than in the other."""
    lost = count_lost(spec, due, sessions)
    (tested, having), (other, lacking) = ((arm, lost[arm.value]) for arm in spec.arms)
    if having == lacking or spec.trials == 1:
        return []
    return [f"{having} were lost {ARM_NAMES[tested]} and {lacking} {ARM_NAMES[other]}"]


def _tell_readings(spec: RunSpec, counts: Counts, lost: Sequence[LostReading]) -> list[str]:
    told = [
        f"reading {one.number} of the judge{_of_trial(one.trial, spec)} gave no verdicts "
        f"({one.reason.rstrip('.')})"
        for one in lost
    ]
    if missing := counts.expected - counts.observed:
        told.append(f"{missing} of {counts.expected} readings of the judge came to no end")
    return _shorten(told)


def _tell_unproven(spec: RunSpec, sessions: Iterable[SessionResult]) -> list[str]:
    """Sessions without a skill through which nobody looked for it."""
    return [
        f"nobody looked whether the session {ARM_NAMES[one.arm]}{_of_trial(one.trial, spec)} was "
        "free of the skill"
        for one in sessions
        if spec.skill_of(one.arm) is None and one.skill_traces is None
    ][:1]


def _of_trial(trial: int, spec: RunSpec) -> str:
    return f" of trial {trial}" if spec.trials > 1 else ""


def _shorten(told: list[str]) -> list[str]:
    more = len(told) - _MOST_NAMED
    return [*told[:_MOST_NAMED], f"and {more} more"] if more > 0 else told
