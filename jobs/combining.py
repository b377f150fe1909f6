"""What the trials of a run say together: means over all of them, or why there is no score.

Every session and reading that was expected must be there and count. A trial that a platform
spoilt is no zero, but the others are no whole run either: what is left would be a choice. So
the run then has no number at all, neither its own nor that of a single trial.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from jobs.health.counts import INVALID, Health
from jobs.health.manifest import NOTHING_WRITTEN, Expected
from jobs.health.weighing import Seen, weigh
from jobs.matched import find_mismatch
from jobs.readings import ScrubCount
from jobs.scores import ArmScore, AssertionScore, TrialResult
from jobs.scoring import NOTHING_SCRUBBED
from jobs.trials import Trial
from jobs.values import RunSpec


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
    health: Health | None = None


def combine(
    spec: RunSpec, trials: Sequence[Trial], expected: Expected = NOTHING_WRITTEN
) -> Combined:
    """The result of a run from its trials, all of them."""
    combined = _alone(trials[0]) if spec.trials == 1 else _together(trials)
    seen = Seen(
        spec=spec,
        due=[trial.number for trial in trials],
        sessions=[one for trial in trials for one in trial.sessions],
        passes=[one for trial in trials for one in trial.judged.passes],
        lost=[one for trial in trials for one in trial.judged.lost],
    )
    health = weigh(seen, expected.manifest, judged_later=expected.judged_later)
    unlike = find_mismatch(spec, [one for one in seen.sessions if one.scored])
    if expected.changes:
        unlike = f"the world changed while the run went on: {'; '.join(expected.changes)}"
        health = health.model_copy(update={"findings": (unlike,)})
    elif not health.findings:
        health = health.model_copy(update={"findings": tuple(_tell_unscored(spec, trials))})
    reason = _find_reason(spec, trials, health, unlike)
    if reason is None:
        return replace(combined, health=health)
    return Combined(
        reason=reason,
        trials=tuple(_without_scores(one) for one in combined.trials),
        scrubbed=combined.scrubbed,
        remarks=combined.remarks,
        health=health,
    )


def _together(trials: Sequence[Trial]) -> Combined:
    results = tuple(_result_of(trial) for trial in trials)
    whole = [one for one in results if one.difference is not None]
    combined = Combined(
        trials=results,
        scrubbed=ScrubCount(
            with_skill=sum(trial.judged.scrubbed.with_skill for trial in trials),
            without_skill=sum(trial.judged.scrubbed.without_skill for trial in trials),
        ),
        remarks=tuple(
            f"Trial {trial.number}: {remark}" for trial in trials for remark in trial.judged.remarks
        ),
    )
    if not whole:
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


def _without_scores(trial: TrialResult) -> TrialResult:
    reason = trial.ungraded_reason or "left out, since the run as a whole does not count."
    return TrialResult(number=trial.number, ungraded_reason=reason)


def _tell_unscored(spec: RunSpec, trials: Sequence[Trial]) -> list[str]:
    """Trials without a score though all of their sessions and readings count."""
    if spec.trials == 1:
        return []
    return [
        f"trial {trial.number} has no score: {(trial.judged.reason or 'not scored').rstrip('.')}"
        for trial in trials
        if trial.judged.scored is None
    ]


def _find_reason(
    spec: RunSpec, trials: Sequence[Trial], health: Health, unlike: str | None
) -> str | None:
    """Why the run has no score; None where it has one.

    Where nothing came to a score at all that is told as it is, unless the arms met different
    worlds (`unlike`) or some of the readings were given.
    """
    unscored = [trial for trial in trials if trial.judged.scored is None]
    if not health.findings and not unscored:
        return None
    partly_read = 0 < health.readings.scored < health.readings.expected
    if len(unscored) < len(trials) or unlike or partly_read:
        return f"{INVALID}{'; '.join(health.findings)}."
    if spec.trials == 1:
        return unscored[0].judged.reason
    reasons = "; ".join(
        f"trial {trial.number}: {(trial.judged.reason or 'not scored').rstrip('.')}"
        for trial in unscored
    )
    return f"none of {len(trials)} trials came to a score: {reasons}."


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
