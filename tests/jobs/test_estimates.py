"""Estimates rest on the likest past runs, say on how many, and invent nothing."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.estimates import (
    Ahead,
    ahead_of_request,
    ahead_of_specs,
    describe,
    estimate_all,
    estimate_run,
)
from jobs.results import RunRecord
from tests.builders import a_request, a_run_record, a_run_spec

FIVE = Decimal(5)
PLANNED = Ahead(eval_id="github-issue-21", model="claude-sonnet-4-6")


def a_past_run(run: str, usd: float | None = 0.4, tokens: int = 50_000, **changes) -> RunRecord:
    taken = {
        "run": run,
        "tokens": {"with_skill": tokens, "without_skill": tokens},
        "wall_s": {"with_skill": 90.0, "without_skill": 60.0},
        "cost_usd": usd,
    }
    return a_run_record(**(taken | changes))


def test_without_past_runs_only_the_limit_is_told():
    estimate = estimate_run(PLANNED, [], FIVE)
    assert describe(estimate) == "no past runs to go by; $5.00 at most by the limit"
    assert estimate.expected_usd is None


def test_the_median_stands_with_its_range_and_what_it_rests_on():
    past = [a_past_run("a", 0.2), a_past_run("b", 0.9), a_past_run("c", 0.4)]
    estimate = estimate_run(PLANNED, past, FIVE)
    assert describe(estimate) == (
        "about $0.40 ($0.20 to $0.90), about 100k tokens, about 1 min 30 s of sessions, "
        "from 3 past runs of this eval case with this model; $5.00 at most by the limit"
    )
    assert estimate.expected_usd == Decimal("0.4")
    assert estimate.rests_on == ("a", "b", "c")


def test_one_past_run_has_no_range():
    assert "about $0.40, about" in describe(estimate_run(PLANNED, [a_past_run("a")], FIVE))


OTHER_EVAL = {"eval_id": "github-issue-9"}
OTHER_MODEL = {"model": "gpt-4.1", "model_identity": "gpt41"}


@pytest.mark.parametrize(
    ("past", "basis", "rests_on"),
    [
        ([OTHER_EVAL | OTHER_MODEL, OTHER_EVAL, OTHER_MODEL, {}], "eval and model", "3"),
        ([OTHER_EVAL | OTHER_MODEL, OTHER_EVAL, OTHER_MODEL], "eval", "2"),
        ([OTHER_EVAL | OTHER_MODEL, OTHER_EVAL], "model", "1"),
        ([OTHER_EVAL | OTHER_MODEL], "repository", "0"),
    ],
)
def test_the_likest_runs_count_and_only_they(past: list[dict], basis: str, rests_on: str):
    records = [a_past_run(str(number), **one) for number, one in enumerate(past)]
    estimate = estimate_run(PLANNED, records, FIVE)
    assert (estimate.basis, estimate.rests_on) == (basis, (rests_on,))


def test_runs_of_the_same_launcher_go_before_others():
    past = [a_past_run("a", 0.1), a_past_run("b", 2.0, launcher="claude-code")]
    ours = estimate_run(PLANNED.model_copy(update={"launcher": "claude-code"}), past, FIVE)
    assert ours.rests_on == ("b",)
    assert estimate_run(PLANNED, past, FIVE).rests_on == ("a",)


def test_a_model_is_known_by_what_was_typed_for_it_too():
    """An alias names another model in time; those who typed it meant this one."""
    past = [a_past_run("a", model_asked="claude-sonnet")]
    ahead = PLANNED.model_copy(update={"model": "Claude Sonnet"})
    assert estimate_run(ahead, past, FIVE).basis == "eval and model"


@pytest.mark.parametrize(("is_versus", "rests_on"), [(False, "none"), (True, "versus")])
def test_comparisons_with_no_skill_and_with_a_version_are_never_mixed(
    is_versus: bool, rests_on: str
):
    records = [a_past_run("none"), a_past_run("versus", vs=f"sha:{'b' * 64}")]
    planned = PLANNED.model_copy(update={"is_versus": is_versus})
    assert estimate_run(planned, records, None).rests_on == (rests_on,)
    others = [one for one in records if one.run != rests_on]
    assert describe(estimate_run(planned, others, None)) == "no past runs to go by"


def test_only_the_newest_runs_count():
    past = [a_past_run(f"old-{number}", 9.0) for number in range(30)]
    past += [a_past_run(f"new-{number}", 0.5) for number in range(20)]
    estimate = estimate_run(PLANNED, past, FIVE)
    assert len(estimate.rests_on) == 20
    assert estimate.usd is not None
    assert estimate.usd.high == 0.5


def test_runs_without_a_score_and_records_without_figures_tell_nothing():
    past = [a_past_run("a", state="ungraded", score=None), a_run_record(run="b")]
    assert estimate_run(PLANNED, past, FIVE).basis == "nothing"


def test_a_price_that_is_not_known_is_not_zero():
    estimate = estimate_run(PLANNED, [a_past_run("a", None)], FIVE)
    assert describe(estimate).startswith("an unknown price, about 100k tokens")
    assert estimate.expected_usd is None


def test_trials_multiply_what_is_expected_but_not_the_limit():
    past = [a_past_run("a", 1.2, trials=3)]
    for trials, usd in ((1, 0.4), (5, 2.0)):
        estimate = estimate_run(PLANNED.model_copy(update={"trials": trials}), past, FIVE)
        assert estimate.usd is not None
        assert estimate.usd.median == pytest.approx(usd)
        assert estimate.most_usd == FIVE


def test_several_runs_add_up_and_name_those_of_which_nothing_is_known():
    past = [a_past_run("a", 0.2)]
    other = Ahead(eval_id="github-issue-9", model="gpt-4.1")
    both = estimate_all([PLANNED, PLANNED], past, FIVE)
    assert both.expected_usd == Decimal("0.4")
    assert both.rests_on == ("a",)
    assert both.most_usd == 10
    assert estimate_all([PLANNED, other], past, FIVE).basis == "repository"
    unpriced = [a_past_run("a", 0.2), a_past_run("b", None, **OTHER_EVAL, **OTHER_MODEL)]
    mixed = estimate_all([PLANNED, other], unpriced, FIVE)
    assert mixed.expected_usd is None
    assert "about $0.20 besides 1 run of which nothing is known" in describe(mixed)


def test_nothing_planned_costs_nothing():
    nothing = estimate_all([], [], FIVE)
    assert nothing.most_usd == 0


@given(st.lists(st.floats(min_value=0, max_value=100), max_size=30), st.integers(1, 5))
def test_an_estimate_lies_within_what_was_seen(costs: list[float], trials: int):
    past = [a_past_run(str(number), cost) for number, cost in enumerate(costs)]
    span = estimate_run(PLANNED.model_copy(update={"trials": trials}), past, FIVE).usd
    assert (span is None) == (not costs)
    if span is not None:
        newest = [cost * trials for cost in costs[-20:]]
        assert min(newest) == pytest.approx(span.low)
        assert max(newest) == pytest.approx(span.high)
        assert span.low <= span.median <= span.high


def test_planned_runs_and_requests_are_estimated_alike():
    [planned] = ahead_of_specs([a_run_spec()])
    request = a_request(models=("claude-sonnet-4-6",), eval_id=planned.eval_id)
    assert ahead_of_request(request, model="claude-haiku", launcher="api") == [planned]
    [usual] = ahead_of_request(a_request(models=()), model="claude-haiku", launcher="claude-code")
    assert (usual.model, usual.launcher) == ("claude-haiku", "claude-code")


def test_a_kept_session_is_taken_off_what_is_expected():
    """Money by what the other arm cost; tokens and time by those of the arm that runs."""
    past = [a_past_run("a", 0.9, baseline_usd=0.3)]
    ahead = PLANNED.model_copy(update={"reused": 1})
    estimate = estimate_run(ahead, past, FIVE)
    assert describe(estimate) == (
        "about $0.60, about 50k tokens, about 1 min 30 s of sessions, 1 kept session without the "
        "skill at hand, from 1 past run of this eval case with this model; $5.00 at most by the "
        "limit"
    )


def test_a_run_that_used_a_kept_session_is_counted_whole_for_one_that_does_not():
    past = [a_past_run("a", 0.6, baseline=("b",), baseline_usd=0.3, saved_usd=0.3)]
    whole = estimate_run(PLANNED, past, FIVE)
    assert whole.expected_usd == Decimal("0.9")
    alike = estimate_run(PLANNED.model_copy(update={"reused": 1}), past, FIVE)
    assert alike.expected_usd == Decimal("0.6")


def test_some_of_several_trials_may_use_kept_sessions():
    past = [a_past_run("a", 0.9, tokens=60_000, trials=3, baseline_usd=0.3)]
    ahead = PLANNED.model_copy(update={"trials": 3, "reused": 2})
    estimate = estimate_run(ahead, past, FIVE)
    assert estimate.expected_usd == Decimal("0.7")
    assert estimate.tokens is not None
    assert estimate.tokens.median == 80_000
    assert estimate.wall_s is not None
    assert estimate.wall_s.median == pytest.approx(90.0)
    assert estimate_all([ahead, PLANNED], past, FIVE).reused == 2


def test_of_an_older_record_nothing_is_taken_off():
    """What its other arm cost is not known: rather too much than too little."""
    estimate = estimate_run(PLANNED.model_copy(update={"reused": 1}), [a_past_run("a")], FIVE)
    assert estimate.expected_usd == Decimal("0.4")


def test_until_sure_what_it_takes_on_average_is_expected_and_the_cap_is_told():
    spec = a_run_spec(trials=20, until_sure="trials")
    [ahead] = ahead_of_specs([spec], [15])
    assert (ahead.trials, ahead.most_trials, ahead.reused) == (11, 20, 11)
    past = [a_past_run("a", 0.9, trials=3)]
    estimate = estimate_all(ahead_of_specs([spec]), past, FIVE)
    assert estimate.expected_usd == Decimal("3.3")
    assert describe(estimate).startswith("about $3.30, about 11 of at most 20 trials, about ")
    nothing = estimate_all(ahead_of_specs([spec, spec]), [], FIVE)
    assert describe(nothing) == (
        "about 11 of at most 20 trials in each run, no past runs to go by; $10.00 at most by the "
        "limit"
    )


def test_eval_cases_that_are_not_expected_to_begin_count_for_the_most_alone():
    specs = [a_run_spec(until_sure="evals") for _ in range(12)]
    estimate = estimate_all(ahead_of_specs(specs), [a_past_run("a", 0.5)], FIVE)
    assert estimate.expected_usd == Decimal(4)
    assert estimate.most_usd == Decimal(60)
    assert "about 8 of at most 12 runs" in describe(estimate)


def test_a_request_until_sure_is_expected_to_take_as_much_before_it_is_planned():
    request = a_request(models=("claude-sonnet-4-6",), trials=12, until_sure=True)
    [ahead] = ahead_of_request(request, model="m", launcher="api")
    assert (ahead.trials, ahead.most_trials) == (8, 12)


def test_what_is_asked_besides_a_run_is_told_besides():
    estimate = estimate_run(PLANNED, [a_past_run("a")], FIVE)
    told = {"canaries": 2, "canaries_usd": Decimal(1), "guesser_share": 0.1, "guess_usd": FIVE}
    assert describe(estimate.model_copy(update=told)).endswith(
        "; besides, canaries are read once for 2 eval cases, $1.00 at most; a guesser is asked "
        "about 10% of runs, $5.00 each at most"
    )
    assert describe(estimate.model_copy(update={"guesser_share": 1.0})).endswith(
        "; besides, a guesser is asked about 100% of runs"
    )
