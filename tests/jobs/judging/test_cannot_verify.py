"""What could not be verified counts for neither output in that pass, is told, and helps nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.judging.answers import parse_answer
from jobs.judging.judge import Ungraded
from jobs.judging.score import Scored, score_arms, score_run
from jobs.readings import JudgePass
from jobs.values import Arm, VerdictWord
from tests.builders import a_pass, an_assertion_score, an_eval_case, some_assertions
from tests.jobs.judging.scripted_agent import an_answer, an_entry

CASE = an_eval_case()
THREE = some_assertions(3)


def score(*passes: JudgePass) -> Scored:
    scored = score_run(CASE, Arm.WITH_SKILL, passes)
    assert isinstance(scored, Scored)
    return scored


@pytest.mark.parametrize("other", ["pass", "partial", "fail", "cannot_verify"])
@pytest.mark.parametrize("first", [True, False])
def test_it_leaves_both_denominators_whatever_is_said_of_the_other_output(
    other: VerdictWord, first: bool
) -> None:
    row = ("cannot_verify", other) if first else (other, "cannot_verify")
    scored = score(
        a_pass(1, (row, ("pass", "fail"), ("partial", "fail"))),
        a_pass(2, (row[::-1], ("fail", "pass"), ("fail", "partial"))),
    )
    assert scored.with_skill.score == pytest.approx(0.75)
    assert scored.without_skill.score == 0
    for arm in (scored.with_skill, scored.without_skill):
        assert arm.passes + arm.partials + arm.fails == 2
        assert arm.unverified == 1
    assert scored.assertions[0].counted == ()


def test_it_leaves_that_pass_alone() -> None:
    scored = score(
        a_pass(1, (("cannot_verify", "fail"), ("pass", "fail"), ("fail", "fail"))),
        a_pass(2, (("fail", "pass"), ("fail", "pass"), ("fail", "fail"))),
    )
    assert scored.with_skill.score == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert scored.without_skill.score == 0
    assert scored.with_skill.unverified == scored.without_skill.unverified == 0.5
    assert scored.assertions[0].split
    assert [(one.verdict, two.verdict) for one, two in scored.assertions[0].counted] == [
        ("pass", "fail")
    ]


@pytest.mark.parametrize("swapped", [False, True])
def test_a_pass_in_which_nothing_could_be_verified_leaves_one_order_which_is_no_number(
    *, swapped: bool
) -> None:
    """A preference for the place would be all of the difference."""
    nothing = (("cannot_verify", "pass"),) * 3
    prefers_the_first = (("pass", "fail"),) * 3
    rows = (prefers_the_first, nothing) if swapped else (nothing, prefers_the_first)
    passes = tuple(a_pass(number, said) for number, said in enumerate(rows, start=1))
    outcome = score_run(CASE, Arm.WITH_SKILL, passes)
    assert isinstance(outcome, Ungraded)
    assert "no assertion for both outputs in one of the orders; of A1" in outcome.reason
    assert outcome.usage.requests == 8


def test_where_nothing_is_left_the_run_is_ungraded_with_the_judges_reason() -> None:
    nothing = (("cannot_verify", "pass"), ("fail", "cannot_verify"), ("cannot_verify",) * 2)
    reading = a_pass(1, nothing)
    told = tuple(one.model_copy(update={"reason": "needs the shop"}) for one in reading.verdicts)
    outcome = score_run(
        CASE,
        Arm.WITH_SKILL,
        (reading.model_copy(update={"verdicts": told}), a_pass(2, nothing)),
    )
    assert isinstance(outcome, Ungraded)
    assert outcome.reason == (
        "The judge could verify no assertion for both outputs; of A1 it says: needs the shop"
    )
    assert outcome.usage.requests == 8


def test_credit_needs_a_quotation_and_what_cannot_be_verified_needs_none() -> None:
    reading = a_pass(1, (("cannot_verify", "fail"), ("pass", "pass"), ("pass", "pass")))
    verdicts = (
        reading.verdicts[0].model_copy(update={"quote_found": False}),
        *reading.verdicts[1:],
    )
    scored = score(reading.model_copy(update={"verdicts": verdicts}), a_pass(2))
    assert scored.remarks == ()


WORDS = st.sampled_from(["pass", "partial", "fail", "cannot_verify"])
ROWS = st.lists(
    st.tuples(WORDS, WORDS, WORDS, WORDS),
    min_size=1,
    max_size=6,
)


@given(ROWS)
def test_both_arms_are_scored_over_the_same_assertions(rows) -> None:
    scores = score_arms([an_assertion_score(None, row[:2], row[2:]) for row in rows])
    if scores is None:
        assert any(
            all(None in {_worth(row[order]), _worth(row[order + 2])} for row in rows)
            for order in (0, 1)
        )
        return
    tested, other = scores
    assert tested.unverified == other.unverified
    for arm in scores:
        assert arm.passes + arm.partials + arm.fails + arm.unverified == len(rows)
        assert 0 <= arm.score <= 1


def _worth(word: VerdictWord) -> float | None:
    return {"pass": 1.0, "partial": 0.5, "fail": 0.0}.get(word)


@given(ROWS, st.integers(0, 5))
def test_a_candidate_gains_nothing_on_the_other_by_turning_a_pass_unverifiable(
    rows, which: int
) -> None:
    """Where it would have passed, or the other had nothing, saying nothing is no better."""
    rows = [list(row) for row in rows]
    row = rows[which % len(rows)]
    row[0] = row[1] = "pass"
    row[2] = row[3] = "fail"
    before = score_arms([an_assertion_score(None, one[:2], one[2:]) for one in rows])
    row[0] = row[1] = "cannot_verify"
    after = score_arms([an_assertion_score(None, one[:2], one[2:]) for one in rows])
    assert before is not None
    if after is None:
        return
    assert after[0].score <= before[0].score + 1e-9
    assert after[0].score - after[1].score <= before[0].score - before[1].score + 1e-9


def test_it_is_read_only_with_a_reason() -> None:
    bare = an_entry(THREE[0], "candidate_1", "cannot_verify", quotation="", reason="")
    told = an_entry(THREE[1], "candidate_1", "n/a", quotation="", reason="It needs the shop.")
    answer = parse_answer(an_answer([bare, told]), THREE)
    assert list(answer.verdicts) == [("A2", "candidate_1")]
    assert answer.verdicts["A2", "candidate_1"].word == "cannot_verify"
    assert answer.remarks == ["A1 for candidate_1: cannot_verify without a reason, left unread"]


def test_a_fail_beside_it_is_a_contradiction() -> None:
    entries = [an_entry(THREE[0], "candidate_1", word) for word in ("cannot_verify", "fail")]
    answer = parse_answer(an_answer(entries), THREE)
    assert answer.verdicts == {}
    assert "contradictory" in answer.remarks[0]
