"""From verdicts about candidates to scores of arms: the only place that unblinds.

A score exists only where both orders were read: one alone would carry the judge's preference for
a place, so a pass that came to nothing leaves it `Ungraded`. Where the passes differ on an
assertion, both verdicts count half and the assertion is shown as split. What could not be verified
for one of the candidates counts for neither in that pass; where that leaves nothing, it is
`Ungraded` too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from jobs.judging.blind import ARM_TITLES, CANDIDATE_NAMES, get_arm, get_arms, unblind_text
from jobs.judging.judge import Ungraded
from jobs.judging.reading import add_usage
from jobs.readings import JudgePass, Verdict
from jobs.scores import ArmScore, AssertionScore
from jobs.values import Arm, Assertion, EvalCase, Usage


@dataclass(frozen=True, slots=True)
class Scored:
    """What both passes together say, unblinded."""

    assertions: tuple[AssertionScore, ...]
    with_skill: ArmScore
    without_skill: ArmScore
    remarks: tuple[str, ...]
    """What a reader must know to trust the numbers, such as unproven quotations."""


def score_run(
    case: EvalCase,
    first: Arm,
    passes: Sequence[JudgePass | Ungraded],
    decide: Callable[[tuple[AssertionScore, ...]], tuple[AssertionScore, ...]] = tuple,
) -> Scored | Ungraded:
    """The scores of a run from its passes; `first` is the arm that was `candidate_1` in pass 1.

    Score of an arm: (passes + half the partials) / assertions, averaged over the passes. `decide`
    gives the rows that count for those of the judge (`jobs.checks.merge`). Raises `ValueError` if
    a pass lacks a verdict, which no `JudgePass` of ours does.
    """
    readable = [reading for reading in passes if isinstance(reading, JudgePass)]
    if not readable or len(readable) < len(passes):
        return _merge_ungraded(passes)
    judged = tuple(_score_assertion(item, first, readable) for item in case.assertions)
    assertions = decide(judged)
    scores = score_arms(assertions)
    if scores is None:
        return _unverifiable(assertions, readable)
    return Scored(
        assertions=assertions,
        with_skill=scores[0],
        without_skill=scores[1],
        remarks=tuple(_find_remarks(assertions, first, readable)),
    )


def score_arms(assertions: Sequence[AssertionScore]) -> tuple[ArmScore, ArmScore] | None:
    """The scores of the arm under test and of the other one, from the verdicts on all assertions.

    Each assertion has as many verdicts for each arm, one a pass. None where in one of the passes
    nothing could be verified for both arms: what is left would be of one order alone.
    """
    readings = [
        [pair for pair in pairs if None not in {one.worth for one in pair}]
        for pairs in zip(
            *(zip(item.with_skill, item.without_skill, strict=True) for item in assertions),
            strict=True,
        )
    ]
    if not readings or not all(readings):
        return None
    tested, other = (
        _score_arm([[pair[arm] for pair in pairs] for pairs in readings], len(assertions))
        for arm in (0, 1)
    )
    return tested, other


def _score_assertion(
    assertion: Assertion, first: Arm, passes: Sequence[JudgePass]
) -> AssertionScore:
    tested, other = get_arms(first)
    verdicts: dict[Arm, list[Verdict]] = {tested: [], other: []}
    for reading in passes:
        for name in CANDIDATE_NAMES:
            found = [
                verdict
                for verdict in reading.verdicts
                if (verdict.assertion, verdict.candidate) == (assertion.id, name)
            ]
            if len(found) != 1:
                raise ValueError(
                    f"pass {reading.number} holds {len(found)} verdicts on {assertion.id} "
                    f"for {name}; one was expected"
                )
            verdicts[get_arm(name, reading.number, first)] += found
    return AssertionScore(
        assertion=assertion,
        with_skill=tuple(verdicts[tested]),
        without_skill=tuple(verdicts[other]),
        split=any(len({verdict.verdict for verdict in both}) > 1 for both in verdicts.values()),
    )


def _score_arm(readings: Sequence[Sequence[Verdict]], assertions: int) -> ArmScore:
    """Counts averaged over the passes, each of which holds its verdicts that count."""
    words = [verdict.verdict for reading in readings for verdict in reading]
    passed, partial, failed = (
        words.count(word) / len(readings) for word in ("pass", "partial", "fail")
    )
    return ArmScore(
        score=fmean(fmean(one.worth or 0 for one in reading) for reading in readings),
        passes=passed,
        partials=partial,
        fails=failed,
        unverified=assertions - len(words) / len(readings),
    )


def _unverifiable(assertions: Sequence[AssertionScore], readable: Sequence[JudgePass]) -> Ungraded:
    """The outcome where an order has no assertion left, with the judge's reason on the first."""
    unverified = [
        verdict
        for verdict in (*assertions[0].with_skill, *assertions[0].without_skill)
        if verdict.worth is None
    ]
    where = " in one of the orders" if any(row.counted for row in assertions) else ""
    usage = Usage()
    for reading in readable:
        usage = add_usage(usage, reading.usage)
    return Ungraded(
        f"The judge could verify no assertion for both outputs{where}; of "
        f"{assertions[0].assertion.id} it says: {unverified[0].reason}",
        usage,
        tuple(answer for reading in readable for answer in reading.raw_answers),
    )


def _merge_ungraded(passes: Sequence[JudgePass | Ungraded]) -> Ungraded:
    usage = Usage()
    raw: tuple[str, ...] = ()
    reasons: list[str] = []
    for number, reading in enumerate(passes, start=1):
        usage = add_usage(usage, reading.usage)
        raw += reading.raw_answers
        if isinstance(reading, Ungraded):
            reasons.append(f"in pass {number} {reading.reason}")
    reason = "; ".join(reasons) or "the outputs were not judged"
    what = "No pass of the judge could be read"
    if len(reasons) < len(passes):
        what = "A pass of the judge gave no verdicts"
    return Ungraded(f"{what}: {reason}.", usage, raw)


def _find_remarks(
    assertions: Sequence[AssertionScore], first: Arm, passes: Sequence[JudgePass]
) -> list[str]:
    remarks = _find_unproven(assertions, first)
    for reading in passes:
        remarks += [
            f"Pass {reading.number}: {unblind_text(line, reading.number, first)}."
            for line in reading.remarks
        ]
    return remarks


def _find_unproven(assertions: Sequence[AssertionScore], first: Arm) -> list[str]:
    """Verdicts that credit an arm by a quotation that code did not find: kept, and told."""
    remarks = []
    tested, other = get_arms(first)
    for arm in (tested, other):
        unproven = [
            item.assertion.id
            for item in assertions
            if any(
                verdict.credits and not verdict.quote_found
                for verdict in (item.with_skill if arm is tested else item.without_skill)
            )
        ]
        if unproven:
            remarks.append(
                f"Evidence unverified: for {ARM_TITLES[arm]}, credit on {', '.join(unproven)} "
                "rests on a quotation that was not found in its text files."
            )
    return remarks
