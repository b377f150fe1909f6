"""What a report says of several trials, of two versions, and of a run that was judged again."""

from dataclasses import replace
from decimal import Decimal

from jobs.planning.markers import find_markers
from jobs.reporting.context import ReportContext
from jobs.reporting.pass_rates import say_pass_rates
from jobs.reporting.rejudged import render_rejudged
from jobs.reporting.report import render_report
from jobs.results import RunResult
from jobs.scores import TrialResult
from jobs.values import TWO_VERSIONS, Arm, VerdictWord
from jobs.weak_evals.canary_check import CanaryCheck, CanaryVerdict
from tests.builders import (
    a_judge_model,
    a_pass,
    a_result,
    a_run_spec,
    a_session,
    a_skill,
    a_usage,
    an_arm_score,
    an_assertion_score,
    an_ungraded_result,
)

CONTEXT = ReportContext(web_url="https://github.com", archive_url="https://github.com/a.zip")
PASS: tuple[VerdictWord, ...] = ("pass", "pass")
FAIL: tuple[VerdictWord, ...] = ("fail", "fail")


def a_whole_trial(number: int, having: float, lacking: float) -> TrialResult:
    rows = (
        an_assertion_score(with_skill=PASS if having > 1 else FAIL, without_skill=FAIL),
        an_assertion_score(with_skill=("pass", "fail"), without_skill=PASS),
    )
    ids = [
        row.model_copy(update={"assertion": row.assertion.model_copy(update={"id": f"A{index}"})})
        for index, row in enumerate(rows, start=1)
    ]
    return TrialResult(
        number=number,
        assertions=tuple(ids),
        with_skill=an_arm_score(having, 0, 3 - having),
        without_skill=an_arm_score(lacking, 0, 3 - lacking),
    )


def some_trials(*scores: tuple[float, float] | None) -> RunResult:
    """A run of so many trials, each with the passes of its arms; None: one without a score."""
    trials = tuple(
        TrialResult(number=number, ungraded_reason="the judge was away.")
        if one is None
        else a_whole_trial(number, *one)
        for number, one in enumerate(scores, start=1)
    )
    whole = [one for one in scores if one is not None]
    means = [sum(one[arm] for one in whole) / len(whole) for arm in (0, 1)]
    sessions = [
        a_session(
            arm,
            trial=one.number,
            wall_s=60.0 * one.number,
            usage=a_usage(cost_usd=Decimal(one.number) / 10),
        )
        for one in trials
        for arm in (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)
    ]
    return a_result(
        spec=a_run_spec(trials=len(scores)),
        trials=trials,
        sessions=tuple(sessions),
        passes=tuple(
            a_pass(number, trial=one.number)
            for one in trials
            if one.with_skill
            for number in (1, 2)
        ),
        assertions=trials[0].assertions,
        with_skill=an_arm_score(means[0], 0, 3 - means[0]),
        without_skill=an_arm_score(means[1], 0, 3 - means[1]),
    )


def test_means_stand_with_the_least_and_the_most_and_no_interval() -> None:
    report = render_report(some_trials((3, 1), (2, 1), (2, 2)), CONTEXT)
    assert "with the skill by 33.3 points: 77.8% against 44.4%, mean of 3 trials" in report
    assert "| **Score** (mean) | **77.8%** (66.7% to 100%) | **44.4%** (33.3% to 66.7%) |" in report
    assert "| Time (mean) | 2 min (1 min to 3 min) | 2 min (1 min to 3 min) |" in report
    assert "| Cost (mean) | $0.20 ($0.10 to $0.30) |" in report
    assert "confidence" not in report
    assert "significant" not in report


def test_from_four_trials_on_means_have_a_standard_error() -> None:
    """Scores of 1, 2, 3 and 2 thirds have a deviation of 27.2 points, half of it for the mean."""
    report = render_report(some_trials((1, 1), (2, 1), (3, 1), (2, 1)), CONTEXT)
    assert "**66.7%** (33.3% to 100%, s.e. 13.6 points) | **33.3%** (all 4 alike: spread" in report
    assert "| Time (mean) | 2 min 30 s (1 min to 4 min, s.e. 39 s) |" in report
    assert "| Tokens (mean) | 11.5k (all 4 alike: spread unknown) |" in report
    assert "| Cost (mean) | $0.25 ($0.10 to $0.40, s.e. $0.06) |" in report


def test_no_spread_that_was_seen_is_no_certainty() -> None:
    report = render_report(some_trials((3, 1), (3, 1)), CONTEXT)
    assert "| **100%** (all 2 alike: spread unknown) | **33.3%** (all 2 alike: spread un" in report
    assert "s.e." not in report


def test_each_assertion_has_both_rates_and_what_they_mean() -> None:
    """Met in two of three trials: two of three pairs hold a failure, every pair holds a pass."""
    report = render_report(some_trials((3, 1), (1, 1), (2, 1)), CONTEXT)
    assert "**✅ 2 · ❌ 1**<br>pass@2 100%, pass^2 33.3%<br>" in report
    assert "**❌ 3**<br>pass@2 0%, pass^2 0%<br>" in report
    assert "**🟡 3**<br>pass@2 0%, pass^2 0%<br>" in report  # the readings never agree
    assert "*pass@2: at least one of 2 sessions meets it; pass^2: all 2 do." in report
    assert "pass@3 100%, pass^3 0%" in render_report(
        some_trials((3, 1), (3, 1), (1, 1), (1, 1)), CONTEXT
    )


def test_one_trial_has_no_rates() -> None:
    assert "pass@" not in render_report(some_trials((3, 1), None), CONTEXT)
    assert "pass@" not in render_report(a_result(), CONTEXT)


def test_a_trial_in_which_nobody_could_tell_is_in_no_rate() -> None:
    result = some_trials((3, 1), (3, 1), (3, 1))
    unsure = an_assertion_score(with_skill=("cannot_verify",) * 2, without_skill=FAIL)
    first, *others = result.trials
    kept = first.model_copy(update={"assertions": (unsure, *first.assertions[1:])})
    changed = result.model_copy(update={"trials": (kept, *others)})
    assert say_pass_rates(changed, "A1") == ("pass@2 100%, pass^2 100%", "pass@2 0%, pass^2 0%")
    alone = result.model_copy(update={"trials": (kept, kept, others[0])})
    assert say_pass_rates(alone, "A1") == ("", "")


def test_each_trial_has_a_row_and_each_assertion_its_count() -> None:
    report = render_report(some_trials((3, 1), (1, 1), (2, 1)), CONTEXT)
    assert "| 1 | 100% | 33.3% | 🟢 +66.7 points |" in report
    assert "| 2 | 33.3% | 33.3% | ⚪ 0 points |" in report
    assert "| ✅ 2 · ❌ 1 | ❌ 3 |" in report
    assert "| 🟡 3 | ✅ 3 |" in report
    assert "is higher in 2, the same in 1." in report


def test_trials_that_point_both_ways_are_mixed() -> None:
    report = render_report(some_trials((3, 0), (0, 1)), CONTEXT)
    assert report.startswith("## 🟡 Mixed: ")
    assert "is higher in 1, lower in 1." in report


def test_what_was_left_out_is_counted_and_named() -> None:
    report = render_report(some_trials((3, 1), None, (2, 1)), CONTEXT)
    assert ", mean of 2 of 3 trials" in report
    assert "2 of 3 trials have a score" in report
    assert "| 2 | — | — | ⚠️ not scored: the judge was away. |" in report
    # the second trial's sessions are in none of the means
    assert "| Time (mean) | 2 min (1 min to 3 min) |" in report
    assert "| Cost (mean) | $0.20 ($0.10 to $0.30) |" in report


def test_one_whole_trial_of_several_has_no_range() -> None:
    report = render_report(some_trials((3, 1), None), CONTEXT)
    assert "| **Score** (mean) | **100%** | **33.3%** |" in report


def test_twenty_trials_of_long_texts_fit_a_comment() -> None:
    result = some_trials(*[(3, 1)] * 20)
    long = "x" * 5_000
    rows = tuple(
        row.model_copy(update={"assertion": row.assertion.model_copy(update={"text": long})})
        for row in result.assertions
    )
    report = render_report(result.model_copy(update={"assertions": rows * 20}), CONTEXT)
    assert len(report) < 65_536
    assert report.count("\n| 20 |") == 1
    assert find_markers(report).ours[0].trials == 20


def versions(**changes: object) -> RunResult:
    base = a_skill(sha="b" * 64)
    spec = a_run_spec(vs=f"sha:{base.sha}", vs_asked="previous", other=base, other_commit="c" * 40)
    tested, other = TWO_VERSIONS
    sessions = (a_session(tested, skill_loaded=True), a_session(other, skill_loaded=True))
    return a_result(spec=spec, sessions=sessions, candidate_1_is=tested, **changes)


def test_two_versions_are_called_versions_everywhere() -> None:
    files = replace(
        CONTEXT, with_skill_files=(("a.md", "A"),), without_skill_files=(("b.md", "B"),)
    )
    report = render_report(versions(), files)
    shown = report.partition("<!-- skillbench:v1")[0].lower()
    for words in ("without it", "with the skill", "without the skill", "with_skill"):
        assert words not in shown
    assert "Output with the base version" in report
    assert (
        "| Compared with | version `bbbbbbbbbbbb` at commit `ccccccc` (`--vs previous`) |" in report
    )
    [record] = find_markers(report).ours
    assert record.score is not None
    assert record.score.keys() == {"candidate_skill", "base_skill"}
    assert "run claude-sonnet-4-6 --vs previous --force" in report


def test_a_run_against_itself_says_that_it_is_noise() -> None:
    result = versions()
    spec = result.spec.model_copy(update={"vs": "self", "vs_asked": "self"})
    report = render_report(result.model_copy(update={"spec": spec}), CONTEXT)
    assert "both arms had the same version, so a difference is noise" in report
    assert "| Compared with | the same version once more (`--vs self`) |" in report


def judged_by(name: str, result: RunResult, **changes: object) -> RunResult:
    spec = result.spec.model_copy(update={"judge": a_judge_model(sent=name)})
    return result.model_copy(update={"spec": spec, "judging": "abcdefabcdef", **changes})


def test_judged_again_shows_both_scores_and_what_is_judged_otherwise() -> None:
    before = a_result()
    first, second, third = before.assertions
    turned = second.model_copy(update={"with_skill": second.without_skill})
    now = judged_by("other-judge", before, assertions=(first, turned, third))
    text = render_rejudged(before, now, CONTEXT, report_url="https://github.com/r#1")
    assert text.startswith("## ⚖️ Judged again by `other-judge`\n")
    assert "| Before | `claude-opus-4-7` |" in text
    assert "| **Now** | `other-judge` |" in text
    assert "| | Judged otherwise | With the skill | Without it |" in text
    assert "✅ pass → ❌ fail" in text
    [record] = find_markers(text).ours
    assert (record.run, record.judge) == (before.spec.run_id, "other-judge")
    assert find_markers(text).legacy == ()


def test_a_panel_that_says_what_one_judge_said_has_judged_nothing_otherwise() -> None:
    before = a_result()
    twice = tuple(
        row.model_copy(
            update={
                "with_skill": row.with_skill * 2,
                "without_skill": row.without_skill * 2,
            }
        )
        for row in before.assertions
    )
    for first, second in ((before.assertions, twice), (twice, before.assertions)):
        then = before.model_copy(update={"assertions": first})
        text = render_rejudged(
            then, judged_by("a", then, assertions=second), CONTEXT, report_url=""
        )
        assert "Every assertion was judged as before." in text


def test_a_judging_without_a_score_leaves_no_marker() -> None:
    """So that the score there is stays the run's."""
    before = a_result()
    now = judged_by("other-judge", an_ungraded_result(ungraded_reason="No pass could be read."))
    text = render_rejudged(before, now, CONTEXT, report_url="")
    assert "The scores of the report stay as they are." in text
    assert "No pass could be read." in text
    assert not find_markers(text).bears_ours


def test_judged_again_by_one_whom_a_false_answer_takes_in_says_that_it_counts_nowhere() -> None:
    before = a_result()
    names = tuple(row.assertion.id for row in before.assertions)
    taken_in = CanaryCheck(
        judge="other-judge",
        prompt_version="p",
        assertions=names,
        satisfied=tuple(
            CanaryVerdict(assertion=name, canary="fluent", verdict="pass") for name in names
        ),
    )
    now = judged_by("other-judge", before, canaries=taken_in)
    text = render_rejudged(before, now, CONTEXT, report_url="")
    assert "⚠️ **This result counts nowhere:**" in text
    assert "counts nowhere" not in render_rejudged(before, before, CONTEXT, report_url="")
