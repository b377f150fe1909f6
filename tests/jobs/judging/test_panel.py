"""Several judges are scored each by itself and then together; one that fails leaves the others."""

from decimal import Decimal

import pytest

from jobs.errors import Refused
from jobs.judging.judge import Ungraded
from jobs.judging.judges import (
    asked_judges,
    count_judges,
    judged_by,
    judges_of,
    resolve_judges,
    split_judges,
)
from jobs.judging.panel import combine_judges, find_panel_alpha, score_by_judge
from jobs.judging.score import Scored, score_run
from jobs.reading_keys import ReadingKey, key_of, reading_keys
from jobs.readings import JudgePass
from jobs.values import Arm, Model, Usage, VerdictWord
from tests.builders import a_judge_model, a_model, a_pass, a_run_spec, an_eval_case

CASE = an_eval_case()
FIRST = Arm.WITH_SKILL
LOST = Ungraded("the judge declined to answer", Usage(requests=1, cost_usd=Decimal(1)), ("no",))
Row = tuple[VerdictWord, VerdictWord]
ALL: Row = ("pass", "fail")
HALF: Row = ("partial", "fail")


def steady(row: Row, judge: int = 1) -> list[JudgePass | Ungraded]:
    """Both passes of a judge that looks at the output alone."""
    return [a_pass(1, (row,) * 3, judge=judge), a_pass(2, (row[::-1],) * 3, judge=judge)]


def outcome(*readings: JudgePass | Ungraded) -> Scored | Ungraded:
    return score_run(CASE, FIRST, readings)


def together(*outcomes: Scored | Ungraded) -> Scored:
    names = [f"judge-{number}" for number in range(1, len(outcomes) + 1)]
    scored = combine_judges(outcomes, names)
    assert isinstance(scored, Scored)
    return scored


class Catalog:
    """Knows every name but one; an alias has a longer id."""

    async def resolve(self, asked: str) -> Model:
        if asked == "nobody":
            raise Refused("no provider knows it")
        sent = {"opus": "claude-opus-4-7"}.get(asked, asked)
        return a_model(asked=asked, sent=sent, identity=sent)

    def price_known(self, model: Model) -> bool:
        return model.sent == "known"


async def test_a_panel_is_the_same_in_whatever_order_it_is_named() -> None:
    one = await resolve_judges("zeta, opus,gpt-5.2", Catalog())
    other = await resolve_judges("gpt-5.2,zeta,opus", Catalog())
    assert [judge.sent for judge in one] == ["claude-opus-4-7", "gpt-5.2", "zeta"]
    assert one == other


async def test_a_judge_that_is_named_twice_reads_once() -> None:
    assert len(await resolve_judges("opus,claude-opus-4-7", Catalog())) == 1


async def test_too_many_judges_and_unknown_ones_are_refused() -> None:
    with pytest.raises(Refused, match="4 judges were named; 3 is the most"):
        await resolve_judges("a,b,c,d", Catalog())
    with pytest.raises(Refused, match="no provider knows it"):
        await resolve_judges("opus,nobody", Catalog())


def test_what_was_typed_falls_into_names() -> None:
    assert split_judges("opus") == ("opus",)
    assert split_judges(" opus , sonnet,") == ("opus", "sonnet")


def test_a_run_names_its_whole_panel() -> None:
    judge, other = a_judge_model(), a_model(asked="gpt", sent="gpt-5.2")
    spec = a_run_spec(judge=judge, other_judges=(other,))
    assert judges_of(spec) == (judge, other)
    assert judged_by(spec) == f"{judge.sent},gpt-5.2"
    assert asked_judges(spec) == f"{judge.asked},gpt"
    assert count_judges(judged_by(spec)) == 2
    assert count_judges(judged_by(a_run_spec())) == 1


def test_every_reading_has_a_name_of_its_own_and_the_first_judges_are_as_ever() -> None:
    spec = a_run_spec(trials=2, other_judges=(a_model(), a_model()))
    keys = reading_keys(spec, [1, 2])
    assert len({key.step for key in keys}) == len({key.transcript for key in keys}) == 12
    assert [key.step for key in keys[:4]] == [
        "pass-1",
        "pass-2",
        "panel-2-pass-1",
        "panel-2-pass-2",
    ]
    assert ReadingKey(2, 2).step == "pass-2-trial-2"
    assert ReadingKey(2, 2).transcript == "judge-2-trial-2.jsonl"
    assert key_of(a_pass(2, trial=2, judge=3)) == ReadingKey(2, 2, 3)


def test_one_judge_is_what_it_was_without_a_panel() -> None:
    alone = outcome(*steady(ALL))
    assert combine_judges([alone], ["x"]) is alone
    lost = outcome(LOST, LOST)
    assert combine_judges([lost], ["x"]) is lost


def test_the_score_is_the_mean_over_the_judges() -> None:
    scored = together(outcome(*steady(ALL)), outcome(*steady(HALF)))
    assert scored.with_skill.score == 0.75
    assert scored.without_skill.score == 0
    assert (scored.with_skill.passes, scored.with_skill.partials) == (1.5, 1.5)
    assert all(row.split for row in scored.assertions)
    assert [one.judge for one in scored.assertions[0].with_skill] == [1, 1, 2, 2]


def test_each_judges_own_score_is_found_again() -> None:
    scored = together(outcome(*steady(ALL)), outcome(LOST, LOST), outcome(*steady(HALF)))
    found = score_by_judge(scored.assertions, 3)
    assert found[2] is None
    assert found[1] is not None
    assert found[3] is not None
    assert (found[1][0].score, found[3][0].score) == (1, 0.5)


def test_a_judge_that_fails_leaves_the_others_and_is_named() -> None:
    scored = together(outcome(*steady(ALL)), outcome(LOST, LOST))
    alone = outcome(*steady(ALL))
    assert isinstance(alone, Scored)
    assert (scored.with_skill, scored.without_skill) == (alone.with_skill, alone.without_skill)
    assert scored.remarks[0].startswith("Left out of the panel: `judge-2` gave no score")


def test_a_judge_that_read_in_one_order_only_has_no_part_where_another_read_in_both() -> None:
    half = [LOST, a_pass(2, (("pass", "pass"),) * 3, judge=2)]
    scored = together(outcome(*steady(ALL)), outcome(*half))
    assert (scored.with_skill.score, scored.without_skill.score) == (1, 0)
    assert "a pass of the judge gave no verdicts: in pass 1 the judge" in scored.remarks[0].lower()


def test_where_no_judge_read_in_both_orders_the_halves_of_two_make_no_whole() -> None:
    halves = [[steady(ALL)[0], LOST], [LOST, steady(ALL, judge=2)[1]]]
    assert isinstance(combine_judges([outcome(*one) for one in halves], ["a", "b"]), Ungraded)


def test_where_every_judge_fails_the_trial_is_ungraded() -> None:
    lost = combine_judges([outcome(LOST, LOST), outcome(LOST, LOST)], ["a", "b"])
    assert isinstance(lost, Ungraded)
    assert lost.reason.startswith("No judge of the panel gave a score: `a`: No pass of the judge")
    assert lost.usage.requests == 4
    assert lost.raw_answers == ("no",) * 4


def test_alpha_is_one_where_the_judges_agree_and_falls_where_they_do_not() -> None:
    assert find_panel_alpha([*steady(ALL), *steady(ALL, judge=2)], FIRST) == 1
    near = find_panel_alpha([*steady(ALL), *steady(HALF, judge=2)], FIRST)
    far = find_panel_alpha([*steady(ALL), *steady(("fail", "pass"), judge=2)], FIRST)
    assert near is not None
    assert far is not None
    assert far < 0 < near < 1


def test_alpha_compares_what_each_judge_says_in_both_orders_together() -> None:
    leaning = [a_pass(number, (("pass", "fail"),) * 3) for number in (1, 2)]
    other = [a_pass(number, (("fail", "pass"),) * 3, judge=2) for number in (1, 2)]
    assert find_panel_alpha([*leaning, *other], FIRST) is None  # all are half-way: one word


def test_of_one_judge_there_is_no_alpha() -> None:
    assert find_panel_alpha(steady(ALL), FIRST) is None  # type: ignore[arg-type]
    assert find_panel_alpha([], FIRST) is None
