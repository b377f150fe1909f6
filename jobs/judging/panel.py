"""Several judges of one run: what they say together.

Each reads both candidates in both orders by itself. The score is the mean over the judges, so
that none has more of a say because it was read oftener; one that fails, be it in one order alone,
leaves the others.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean

from jobs.judging.blind import get_arm
from jobs.judging.judge import Ungraded
from jobs.judging.reading import add_usage
from jobs.judging.score import Scored, score_arms
from jobs.readings import WORTH, JudgePass, Verdict
from jobs.scores import ArmScore, AssertionScore
from jobs.statistics.agreement import find_alpha
from jobs.values import Arm, Usage

_STEPS = {
    0.0: "fail",
    0.25: "fail or partial",
    0.5: "partial",
    0.75: "partial or pass",
    1.0: "pass",
}
"""What a judge says of an output in both orders together, from the least to the most."""


def combine_judges(
    outcomes: Sequence[Scored | Ungraded], names: Sequence[str]
) -> Scored | Ungraded:
    """What the judges of one trial say together; of one judge, what it says.

    The rows of an assertion hold all verdicts, judge after judge. A judge without a score is
    left out and named; where none has one the trial is ungraded.
    """
    if len(outcomes) == 1:
        return outcomes[0]
    scored = [
        (name, _sign(one, number))
        for number, (one, name) in enumerate(zip(outcomes, names, strict=True), start=1)
        if isinstance(one, Scored)
    ]
    lost = [
        (name, one) for one, name in zip(outcomes, names, strict=True) if isinstance(one, Ungraded)
    ]
    if not scored:
        return _merge_lost(lost)
    remarks = [
        f"Left out of the panel: `{name}` gave no score ({one.reason.rstrip('.')}). The score is "
        "the mean of the others."
        for name, one in lost
    ]
    remarks += [f"Judge `{name}`: {remark}" for name, one in scored for remark in one.remarks]
    return Scored(
        assertions=_join([one.assertions for _, one in scored]),
        with_skill=_mean([one.with_skill for _, one in scored]),
        without_skill=_mean([one.without_skill for _, one in scored]),
        remarks=tuple(remarks),
    )


def find_panel_alpha(passes: Iterable[JudgePass], first: Arm) -> float | None:
    """Krippendorff's alpha over the judges of a run; None of one judge, or where it has no value.

    Compared is what each judge says of an output in both orders together, on five steps from
    fail to pass. `first` is the arm that was `candidate_1` of pass 1. What code decided is left
    out, and what a judge could not verify is no rating of it.
    """
    said: dict[int, dict[tuple[int, str, Arm], list[float]]] = {}
    for reading in passes:
        of_judge = said.setdefault(reading.judge, {})
        for verdict in reading.verdicts:
            worth = _find_own_worth(verdict)
            if worth is not None:
                arm = get_arm(verdict.candidate, reading.number, first)
                of_judge.setdefault((reading.trial, verdict.assertion, arm), []).append(worth)
    if len(said) < 2:
        return None
    things = sorted(set(chain.from_iterable(said.values())))
    return find_alpha(
        [[_find_step(of_judge.get(thing)) for thing in things] for of_judge in said.values()],
        list(_STEPS.values()),
    )


def score_by_judge(
    assertions: Sequence[AssertionScore], judges: int
) -> dict[int, tuple[ArmScore, ArmScore] | None]:
    """The scores of both arms by each judge alone; None of one who gave none."""
    return {
        judge: score_arms([_only(row, judge) for row in assertions])
        for judge in range(1, judges + 1)
    }


def _only(row: AssertionScore, judge: int) -> AssertionScore:
    """An assertion with the verdicts of one judge."""
    tested, other = (
        tuple(one for one in said if one.judge == judge)
        for said in (row.with_skill, row.without_skill)
    )
    return row.model_copy(update={"with_skill": tested, "without_skill": other})


def _sign(scored: Scored, judge: int) -> Scored:
    """The same with the judge's number on every verdict."""

    def signed(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
        return tuple(one.model_copy(update={"judge": judge}) for one in verdicts)

    rows = tuple(
        row.model_copy(
            update={
                "with_skill": signed(row.with_skill),
                "without_skill": signed(row.without_skill),
            }
        )
        for row in scored.assertions
    )
    return replace(scored, assertions=rows)


def _join(panel: Sequence[Sequence[AssertionScore]]) -> tuple[AssertionScore, ...]:
    """Each assertion with the verdicts of all judges."""
    joined = []
    for same in zip(*panel, strict=True):
        tested = tuple(chain.from_iterable(row.with_skill for row in same))
        other = tuple(chain.from_iterable(row.without_skill for row in same))
        differs = any(len({one.verdict for one in said}) > 1 for said in (tested, other))
        joined.append(
            AssertionScore(
                assertion=same[0].assertion, with_skill=tested, without_skill=other, split=differs
            )
        )
    return tuple(joined)


def _mean(scores: Sequence[ArmScore]) -> ArmScore:
    return ArmScore(
        **{name: fmean(getattr(one, name) for one in scores) for name in ArmScore.model_fields}
    )


def _merge_lost(lost: Sequence[tuple[str, Ungraded]]) -> Ungraded:
    usage = Usage()
    for _, one in lost:
        usage = add_usage(usage, one.usage)
    reasons = "; ".join(f"`{name}`: {one.reason.rstrip('.')}" for name, one in lost)
    raw = tuple(chain.from_iterable(one.raw_answers for _, one in lost))
    return Ungraded(f"No judge of the panel gave a score: {reasons}.", usage, raw)


def _find_own_worth(verdict: Verdict) -> float | None:
    """What the judge itself said was worth; None where it said nothing that has a worth."""
    if not verdict.by_machine:
        return verdict.worth
    said = verdict.judge_said
    return None if said is None or said == "cannot_verify" else WORTH[said]


def _find_step(worths: Sequence[float] | None) -> str | None:
    return _STEPS[fmean(worths)] if worths else None
