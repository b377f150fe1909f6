"""Verdicts of both passes become scores of arms, and only whole readings become numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.judging.judge import Ungraded
from jobs.judging.score import Scored, score_run
from jobs.readings import JudgePass
from jobs.values import Arm, Usage
from tests.builders import a_pass, a_verdict, an_eval_case

CASE = an_eval_case()
LOST = Ungraded("the judge declined to answer", Usage(requests=1, cost_usd=Decimal(1)), ("no",))


def score(*passes: JudgePass | Ungraded, first: Arm = Arm.WITH_SKILL) -> Scored:
    scored = score_run(CASE, first, passes)
    assert isinstance(scored, Scored)
    return scored


def test_a_score_is_passes_and_half_the_partials_averaged_over_both_passes() -> None:
    scored = score(
        a_pass(1, (("pass", "pass"), ("pass", "fail"), ("partial", "fail"))),
        a_pass(2, (("pass", "pass"), ("fail", "pass"), ("fail", "fail"))),
    )
    assert scored.with_skill.score == pytest.approx((2.5 + 2) / 2 / 3)
    assert (scored.with_skill.passes, scored.with_skill.partials) == (2.0, 0.5)
    assert scored.with_skill.fails == 0.5
    assert scored.without_skill.score == pytest.approx(1 / 3)
    assert [item.split for item in scored.assertions] == [False, False, True]
    assert scored.remarks == ()


def test_a_judge_that_prefers_what_it_sees_first_decides_nothing() -> None:
    one_sided = (("pass", "fail"),) * 3
    scored = score(a_pass(1, one_sided), a_pass(2, one_sided))
    assert scored.with_skill.score == scored.without_skill.score == 0.5
    assert all(item.split for item in scored.assertions)


def test_the_map_decides_whose_verdicts_they_are() -> None:
    passes = (a_pass(1, (("pass", "fail"),) * 3), a_pass(2, (("fail", "pass"),) * 3))
    assert score(*passes, first=Arm.WITH_SKILL).with_skill.score == 1
    assert score(*passes, first=Arm.WITHOUT_SKILL).with_skill.score == 0


@pytest.mark.parametrize("lost", [1, 2])
def test_one_order_alone_is_no_number(lost: int) -> None:
    kept = a_pass(3 - lost)
    run = score_run(CASE, Arm.WITH_SKILL, (LOST, kept) if lost == 1 else (kept, LOST))
    assert isinstance(run, Ungraded)
    assert run.reason == (
        f"A pass of the judge gave no verdicts: in pass {lost} the judge declined to answer."
    )


def test_no_readable_pass_is_no_number() -> None:
    run = score_run(CASE, Arm.WITH_SKILL, (LOST, LOST))
    assert run == Ungraded(
        "No pass of the judge could be read: in pass 1 the judge declined to answer; "
        "in pass 2 the judge declined to answer.",
        Usage(requests=2, cost_usd=Decimal(2)),
        ("no", "no"),
    )
    assert isinstance(score_run(CASE, Arm.WITH_SKILL, ()), Ungraded)


def test_credit_on_a_quotation_that_was_not_found_is_told() -> None:
    reading = a_pass(1)
    unproven = a_verdict(assertion="A1", candidate="candidate_2", quote_found=False)
    absent = a_verdict(assertion="A2", candidate="candidate_2", verdict="fail", quote_found=False)
    verdicts = (reading.verdicts[0], unproven, reading.verdicts[2], absent, *reading.verdicts[4:])
    scored = score(reading.model_copy(update={"verdicts": verdicts}), a_pass(2))
    (remark,) = scored.remarks
    assert remark == (
        "Evidence unverified: for the output without the skill, credit on A1 rests on a "
        "quotation that was not found in its text files."
    )


def test_what_happened_while_judging_is_told_with_the_arms_named() -> None:
    scored = score(
        a_pass(1, remarks=("asked again for A1 for candidate_2",)),
        a_pass(2, remarks=("asked again for A1 for candidate_2",)),
    )
    assert scored.remarks == (
        "Pass 1: asked again for A1 for the output without the skill.",
        "Pass 2: asked again for A1 for the output with the skill.",
    )


def test_a_pass_that_lacks_a_verdict_is_refused() -> None:
    torn = a_pass(1).model_copy(update={"verdicts": a_pass(1).verdicts[1:]})
    with pytest.raises(ValueError, match="pass 1 holds 0 verdicts on A1 for candidate_1"):
        score_run(CASE, Arm.WITH_SKILL, (torn, a_pass(2)))


WORDS = st.sampled_from(["pass", "partial", "fail"])
ROWS = st.tuples(*[st.tuples(WORDS, WORDS)] * 3)


@given(first=ROWS, second=ROWS, shown=st.sampled_from(list(Arm)))
def test_counts_and_score_always_agree(first, second, shown: Arm) -> None:
    scored = score(a_pass(1, first), a_pass(2, second), first=shown)
    for arm in (scored.with_skill, scored.without_skill):
        assert arm.passes + arm.partials + arm.fails == 3
        assert arm.score == pytest.approx((arm.passes + arm.partials / 2) / 3)
        assert 0 <= arm.score <= 1
    swapped = tuple((right, left) for left, right in second)
    steady = score(a_pass(1, second), a_pass(2, swapped), first=shown)
    assert not any(item.split for item in steady.assertions)
