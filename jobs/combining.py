"""What several trials of one run say together: means over the trials that have a score.

A trial in which a platform failed counts for nothing, and the others go on without it. Where
such failures hit one arm more than the other, what is left is a choice among that arm's
sessions, and the run has no score at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from jobs.matched import ARM_NAMES, find_mismatch
from jobs.results import ArmScore, AssertionScore, ScrubCount, TrialResult
from jobs.scoring import NOTHING_SCRUBBED
from jobs.trials import Trial
from jobs.values import RunSpec

MOST_LOPSIDED = 1
"""Sessions that one arm may lose more than the other: a single failure is always one arm's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """The scores of a run; without them there is a `reason`."""

    assertions: tuple[AssertionScore, ...] = ()
    with_skill: ArmScore | None = None
    without_skill: ArmScore | None = None
    reason: str | None = None
    trials: tuple[TrialResult, ...] = ()
    """Empty where one trial was wanted, since it is the run."""
    scrubbed: ScrubCount = NOTHING_SCRUBBED
    remarks: tuple[str, ...] = ()


def combine(spec: RunSpec, trials: Sequence[Trial]) -> Combined:
    """The result of a run from its trials, all of them."""
    if spec.trials == 1:
        return _alone(trials[0])
    results = tuple(_result_of(trial) for trial in trials)
    whole = [one for one in results if one.difference is not None]
    remarks = tuple(
        f"Trial {trial.number}: {remark}" for trial in trials for remark in trial.judged.remarks
    )
    scrubbed = ScrubCount(
        with_skill=sum(trial.judged.scrubbed.with_skill for trial in trials),
        without_skill=sum(trial.judged.scrubbed.without_skill for trial in trials),
    )
    combined = Combined(
        reason=_find_reason(spec, trials, whole),
        trials=results,
        scrubbed=scrubbed,
        remarks=remarks,
    )
    if combined.reason is not None:
        return combined
    return replace(
        combined,
        assertions=_join([one.assertions for one in whole]),
        with_skill=_mean([one.with_skill for one in whole if one.with_skill]),
        without_skill=_mean([one.without_skill for one in whole if one.without_skill]),
    )


def _alone(trial: Trial) -> Combined:
    judged = trial.judged
    return Combined(
        assertions=judged.scored.assertions if judged.scored else (),
        with_skill=judged.scored.with_skill if judged.scored else None,
        without_skill=judged.scored.without_skill if judged.scored else None,
        reason=judged.reason,
        scrubbed=judged.scrubbed,
        remarks=judged.remarks,
    )


def _result_of(trial: Trial) -> TrialResult:
    one = _alone(trial)
    return TrialResult(
        number=trial.number,
        assertions=one.assertions,
        with_skill=one.with_skill,
        without_skill=one.without_skill,
        ungraded_reason=one.reason,
    )


def _find_reason(
    spec: RunSpec, trials: Sequence[Trial], whole: Sequence[TrialResult]
) -> str | None:
    """Why the run has no score; None where it has one."""
    if not whole:
        reasons = "; ".join(
            f"trial {trial.number}: {(trial.judged.reason or 'not scored').rstrip('.')}"
            for trial in trials
        )
        return f"none of {spec.trials} trials came to a score: {reasons}."
    failed = [
        sum(
            session.arm is arm and not session.scored
            for trial in trials
            for session in trial.sessions
        )
        for arm in spec.arms
    ]
    if abs(failed[0] - failed[1]) > MOST_LOPSIDED:
        counts = " and ".join(
            f"{count} {ARM_NAMES[arm]}" for count, arm in zip(failed, spec.arms, strict=True)
        )
        return (
            f"invalid: of {spec.trials} sessions in each arm, {counts} were lost to failures of a "
            "platform, and what is left of so uneven a loss cannot be compared."
        )
    numbers = {one.number for one in whole}
    kept = [one for trial in trials if trial.number in numbers for one in trial.sessions]
    return find_mismatch(spec, kept)


def _join(rows: Sequence[Sequence[AssertionScore]]) -> tuple[AssertionScore, ...]:
    """Each assertion with the verdicts of all trials, in their order."""
    return tuple(
        AssertionScore(
            assertion=same[0].assertion,
            with_skill=tuple(verdict for row in same for verdict in row.with_skill),
            without_skill=tuple(verdict for row in same for verdict in row.without_skill),
            split=any(row.split for row in same),
        )
        for same in zip(*rows, strict=True)
    )


def _mean(scores: Sequence[ArmScore]) -> ArmScore:
    return ArmScore(
        score=fmean(one.score for one in scores),
        passes=fmean(one.passes for one in scores),
        partials=fmean(one.partials for one in scores),
        fails=fmean(one.fails for one in scores),
        unverified=fmean(one.unverified for one in scores),
    )
