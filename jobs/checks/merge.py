"""Puts what code found into the scores: where the judge says something else, code is right.

A check is an assertion of its own behind those of the rubric, worth as much as any of them. One
that could not be measured for one of the arms leaves the denominators of both, as an assertion
does that the judge cannot verify.
"""

from collections.abc import Sequence

from jobs.checks.check import Check
from jobs.checks.verdict import MachineVerdict
from jobs.readings import Verdict
from jobs.scores import AssertionScore
from jobs.values import Arm, Arms, Assertion, EvalCase

GROUP = "Checks by machine"


def merge(
    rows: Sequence[AssertionScore],
    case: EvalCase,
    machine: Sequence[MachineVerdict],
    arms: Arms,
) -> tuple[AssertionScore, ...]:
    """The judge's rows of one trial with the verdicts of code in them, then one row a check.

    `arms` are the one under test and the other one.
    """
    decided = {(one.assertion, one.arm): one for one in machine if one.verdict is not None}
    merged = [_decide(row, decided, arms) for row in rows]
    known = {(one.assertion, one.arm): one for one in machine}
    return (*merged, *(_score_check(check, known, arms, rows[0]) for check in case.checks))


def list_scored(case: EvalCase) -> tuple[Assertion, ...]:
    """All that a run of a case scores: the assertions of its rubric, then its checks."""
    return (*case.assertions, *map(as_assertion, case.checks))


def as_assertion(check: Check) -> Assertion:
    """How a check stands among the assertions."""
    return Assertion(id=check.id, text=check.name or check.command, group=GROUP)


def _decide(
    row: AssertionScore, decided: dict[tuple[str, Arm], MachineVerdict], arms: Arms
) -> AssertionScore:
    """An assertion with the verdicts of code in place of the judge's, where there are any."""
    both = [
        tuple(_overrule(verdict, said) for verdict in verdicts)
        if (said := decided.get((row.assertion.id, arm)))
        else verdicts
        for arm, verdicts in zip(arms, (row.with_skill, row.without_skill), strict=True)
    ]
    return AssertionScore(
        assertion=row.assertion,
        with_skill=both[0],
        without_skill=both[1],
        split=any(len({verdict.verdict for verdict in verdicts}) > 1 for verdicts in both),
    )


def _overrule(verdict: Verdict, said: MachineVerdict) -> Verdict:
    return verdict.model_copy(
        update={
            "verdict": said.verdict,
            "evidence": said.found,
            "quote_found": True,
            "reason": "",
            "by_machine": True,
            "judge_said": verdict.judge_said if verdict.by_machine else verdict.verdict,
        }
    )


def _score_check(
    check: Check,
    known: dict[tuple[str, Arm], MachineVerdict],
    arms: Arms,
    like: AssertionScore,
) -> AssertionScore:
    """A check's row, with as many verdicts for each arm as the judge's rows have."""
    said = [known.get((check.id, arm)) or _never_run(check, arm) for arm in arms]
    is_measured = all(one.verdict for one in said)
    both = [
        tuple(
            Verdict(
                assertion=check.id,
                candidate=verdict.candidate,
                verdict=(one.verdict if is_measured and one.verdict else "cannot_verify"),
                evidence=one.found,
                quote_found=True,
                by_machine=True,
            )
            for verdict in verdicts
        )
        for one, verdicts in zip(said, (like.with_skill, like.without_skill), strict=True)
    ]
    return AssertionScore(
        assertion=as_assertion(check), with_skill=both[0], without_skill=both[1], split=False
    )


def _never_run(check: Check, arm: Arm) -> MachineVerdict:
    found = "Not measured: it was not run."
    return MachineVerdict(assertion=check.id, arm=arm, verdict=None, found=found)
