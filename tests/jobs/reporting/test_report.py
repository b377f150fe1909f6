"""The report says the decision first, shows the evidence, and survives anything put into it."""

import json
import re
from decimal import Decimal

import pytest
from inline_snapshot import snapshot

from jobs.planning.dedup import record_of
from jobs.planning.markers import find_markers
from jobs.readings import KeyMetric
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import CAP, size
from jobs.reporting.report import render_markers, render_report
from jobs.values import SKILL_OR_NONE, Arm, Assertion, SessionEnd
from tests.builders import (
    A_LEGACY_SHA,
    a_pass,
    a_result,
    a_run_spec,
    a_session,
    a_skill,
    a_usage,
    an_arm_score,
    an_assertion_score,
    an_eval_case,
    an_ungraded_result,
    some_assertions,
)
from tests.jobs.reporting.rendered import Rendered

CONTEXT = ReportContext(
    archive_url="https://github.com/acme/skills/releases/download/benchmark-results-2026-05/a.zip",
    with_skill_files=(("report.md", "Total: 42 words"),),
    without_skill_files=(("response.md", "About 41."),),
)


def visible(report: str) -> str:
    return report.split("<!-- skillbench:v1", maxsplit=1)[0]


def test_the_decision_comes_first():
    lines = render_report(a_result(), CONTEXT).split("\n")
    assert lines[0] == "## 🟢 Higher with the skill by 33.3 points: 83.3% against 50%"
    assert lines[2] == snapshot(
        "**[word-count](https://github.com/acme/skills/tree/"
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567/text/word-count)** at `3f9a1c2b7d04` · "
        "model `claude-sonnet-4-6` · judge `claude-opus-4-7` · cost $0.10 · 2 min 55 s"
    )
    assert lines[4] == "**To do** Nothing."
    assert lines[6] == snapshot(
        "**Health** ✅ all sessions completed · 2 sessions and 2 readings expected, observed and "
        "scored · skill loaded · judge and model are of one family (Claude) · readings in both "
        "orders agree on 3 of 3 assertions · 10 of 10 quotations found in the outputs"
    )


def test_the_scorecard_sets_both_arms_side_by_side():
    scorecard = render_report(a_result(), CONTEXT).split("### Scorecard\n\n")[1].split("\n\n")[0]
    assert scorecard == snapshot("""\
|  | With the skill | Without it |
|:--|--:|--:|
| **Score** | **2.5 / 3 (83.3%)** | **1.5 / 3 (50%)** |
| Pass / partial / fail | 2 / 1 / 0 | 1 / 1 / 1 |
| Skill loaded | yes | — |
| Time | 1 min 5 s | 48 s |
| Tokens | 11.5k | 11.5k |
| Cost | $0.02 | $0.02 |
| Tool calls | 8 (87.5% good) | 8 (87.5% good) |
| Words counted | 42 | 41 |\
""")


def test_the_verdict_names_what_differs_and_claims_no_more():
    report = render_report(a_result(), CONTEXT)
    assert report.split("### Verdict\n\n")[1].split("\n\n### ")[0] == snapshot("""\
With the skill 2 of 3 assertions hold, 1 in part; without it 1 of 3 assertions hold, 1 in part. \
Of 3 assertions, better on 1 (**A2**), worse on 0, the same on 2. \
*One eval case, 1 trial: an observation, not a proof.*\
""")
    assert report.split("<details>\n")[1].split("</details>")[0] == snapshot("""\
<summary>What differs: 1 assertion</summary>

| | Differs on | With the skill | Without it |
|:--|:--|:--|:--|
| A2 | Lists the three longest words | ✅ pass | ❌ fail |

""")
    assert "significan" not in report.lower()


def test_both_markers_end_a_finished_report():
    report = render_report(a_result(), CONTEXT)
    found = find_markers(report)
    assert found.ours == (record_of(a_result()),)
    assert [(one.model, one.sha) for one in found.legacy] == [("claude-sonnet-4-6", A_LEGACY_SHA)]
    assert report.rstrip().endswith("-->")
    # the tools that read the older marker do it by pattern
    payload = re.search(r"<!-- BENCHMARK_COMPLETE: (\{.*?\}) -->", report)
    assert payload is not None
    assert json.loads(payload.group(1))["eval_id"] == "github-issue-21"


def test_two_versions_are_no_result_to_the_older_tools():
    """They would believe that this version was measured against no skill."""
    spec = a_run_spec(vs=f"sha:{'b' * 64}")
    found = find_markers(render_markers(a_result(spec=spec), ReportContext()))
    assert [one.vs for one in found.ours] == [spec.vs]
    assert found.legacy == ()


def test_the_blind_map_and_the_candidates_names_are_not_in_it():
    reading = a_pass(1, observations=("candidate_1 is tidier than Candidate 2.",))
    report = render_report(a_result(passes=(reading,)), CONTEXT)
    assert "- The output with the skill is tidier than the output without it." in report
    assert not re.search(r"candidate[_ ]?[12]", report, re.IGNORECASE)


@pytest.mark.parametrize("first", [Arm.WITH_SKILL, Arm.WITHOUT_SKILL])
def test_key_metrics_stand_in_the_column_of_their_arm(first):
    metric = KeyMetric(name="Rows", candidate_1="first", candidate_2="second")
    result = a_result(passes=(a_pass(key_metrics=(metric,)),), candidate_1_is=first)
    cells = "first | second" if first is Arm.WITH_SKILL else "second | first"
    assert f"| Rows | {cells} |" in render_report(result, CONTEXT)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (
            a_result(sessions=(a_session(), a_session(Arm.WITHOUT_SKILL, end=SessionEnd.TIMEOUT))),
            "the session without it ended by timeout",
        ),
        (
            a_result(sessions=(a_session(skill_loaded=False), a_session(Arm.WITHOUT_SKILL))),
            "the skill was never loaded",
        ),
        (a_result(passes=(a_pass(),)), "judged in one order only"),
        (
            a_result(passes=(a_pass(1, injections=("report.md: 'all pass'",)), a_pass(2))),
            "an output addresses the judge",
        ),
        (
            a_result(assertions=(an_assertion_score(None, ("pass", "fail"), ("fail", "fail")),)),
            "readings in both orders agree on 0 of 1",
        ),
    ],
)
def test_what_weakens_the_measurement_is_said_at_the_top(result, words):
    health = render_report(result, CONTEXT).split("\n")[6]
    assert health.startswith("**Health** ⚠️ ")
    assert words in health


def test_split_assertions_show_both_verdicts_with_their_evidence():
    row = an_assertion_score(None, ("pass", "fail"), ("fail", "fail"))
    first, second = row.with_skill
    row = row.model_copy(
        update={"with_skill": (first, second.model_copy(update={"evidence": "no total"}))}
    )
    report = render_report(a_result(assertions=(row,)), CONTEXT)
    assert "✅ pass: “Total: 42 words”<br>❌ fail: “no total”" in report
    assert "The two readings differ on **A1**." in report


def test_an_ungraded_run_gets_a_reason_and_no_number():
    report = render_report(an_ungraded_result("the model refused to go on"), CONTEXT)
    assert report.startswith("## ⚠️ Not graded: this run has no score\n")
    assert "**Why:** the model refused to go on" in report
    assert "`@skillbench run claude-sonnet-4-6 --force`" in report
    assert "⚠️ refused: the model refused to go on (not scored)" in report
    assert not re.search(r"\d%", visible(report).replace("87.5% good", ""))
    assert "Score" not in report
    found = find_markers(report)
    assert found.legacy == ()
    assert (found.ours[0].state, found.ours[0].score) == ("ungraded", None)


def test_an_ungraded_run_shows_no_number_though_scores_were_computed():
    report = render_report(a_result(ungraded_reason="another model answered"), CONTEXT)
    assert "83.3%" not in report
    assert "### Verdict" not in report


def test_a_model_without_a_price_is_unknown_and_not_free():
    usage = a_usage(cost_usd=None)
    sessions = (a_session(usage=usage), a_session(Arm.WITHOUT_SKILL))
    report = render_report(
        a_result(sessions=sessions), ReportContext(cost_remarks=("no price of `m` is known",))
    )
    assert "cost unknown" in report
    assert "| Cost | unknown | $0.02 |" in report
    assert "- no price of `m` is known" in report
    free = a_usage(cost_usd=Decimal(0))
    assert "| Cost | $0.00 | $0.02 |" in render_report(
        a_result(sessions=(a_session(usage=free), sessions[1])), CONTEXT
    )


def test_without_an_archive_the_reason_stands_in_its_place():
    report = render_report(a_result(), ReportContext(archive_absent="the upload was refused"))
    assert "**No archive** of this run: the upload was refused" in report


def test_without_github_nothing_is_linked():
    report = render_report(a_result(), ReportContext(web_url="", archive_absent="kept on disk"))
    assert Rendered(report).links == []


def test_an_assertion_with_pipes_lines_and_tags_keeps_its_row():
    case = an_eval_case(assertions=(Assertion(id="A1", text="x || y holds\nfor all <rows>"),))
    spec = a_run_spec(eval_case=case, skill=a_skill(name="a_b*c"))
    row = an_assertion_score(case.assertions[0])
    shown = Rendered(render_report(a_result(spec=spec, assertions=(row,)), CONTEXT))
    assert "x || y holds for all <rows>" in shown.words
    assert "a_b*c" in shown.code
    assert set(shown.rows) <= {2, 3, 4}


def test_group_titles_stand_with_their_assertions():
    assertion = Assertion(id="A1", text="has a title", group="Structure")
    report = render_report(a_result(assertions=(an_assertion_score(assertion),)), CONTEXT)
    assert "| A1 | <em>Structure</em><br>has a title |" in report


def test_one_table_stands_open_and_has_at_most_ten_rows():
    case = an_eval_case(assertions=some_assertions(40))
    rows = tuple(an_assertion_score(one) for one in case.assertions)
    report = render_report(a_result(spec=a_run_spec(eval_case=case), assertions=rows), CONTEXT)
    unfolded = re.sub(r"<details>.*?</details>", "", report, flags=re.DOTALL)
    [table] = re.findall(r"(?:^\|.*\n)+", unfolded, re.MULTILINE)
    assert table.count("\n") <= 2 + 10
    assert "*30 more differ; all stand below.*" in report
    assert "<summary>What differs: 40 assertions</summary>" in report


def test_many_long_quotations_are_shortened_with_a_note_and_everything_stays_closed():
    case = an_eval_case(assertions=some_assertions(34))
    evidence = "Zähle 🧮 `x` | " * 110
    rows = []
    for one in case.assertions:
        row = an_assertion_score(one)
        verdicts = tuple(v.model_copy(update={"evidence": evidence}) for v in row.with_skill)
        rows.append(row.model_copy(update={"with_skill": verdicts, "without_skill": verdicts}))
    files = (("big.md", "```\n" + "line 🧮 of text\n" * 9000), ("one.txt", "x" * 300_000))
    context = ReportContext(
        archive_url="https://x.example/a.zip", with_skill_files=files, without_skill_files=files
    )
    result = a_result(spec=a_run_spec(eval_case=case), assertions=tuple(rows))
    report = render_report(result, context)
    assert size(report) <= CAP + 1
    assert "go on in the [archive](https://x.example/a.zip)" in report
    assert "*Cut here; the whole file is in the [archive]" in report
    assert report.count("<details>") == report.count("</details>") > 3
    found = find_markers(report)
    assert (len(found.ours), len(found.legacy)) == (1, 1)
    shown = Rendered(report)
    assert all(f"A{number}" in shown.words for number in range(1, 35))
    assert set(shown.rows) <= {2, 3, 4}
    assert shown.open == []


def all_failed(**changes):
    """A run in which every assertion fails for both arms."""
    failed = an_arm_score(0, 0, 3)
    rows = tuple(an_assertion_score(one, ("fail", "fail")) for one in some_assertions(3))
    return a_result(with_skill=failed, without_skill=failed, assertions=rows, **changes)


def test_two_outputs_that_meet_nothing_are_compared_like_any_others():
    report = render_report(all_failed(), CONTEXT)
    assert report.startswith("## ⚪ Same with and without the skill: 0% and 0%")


def test_two_sessions_that_produced_nothing_are_not_called_the_same():
    sessions = tuple(a_session(arm, end=SessionEnd.NO_OUTPUT, outputs=()) for arm in SKILL_OR_NONE)
    report = visible(render_report(all_failed(sessions=sessions), CONTEXT))
    assert report.startswith("## ⚠️ Neither session produced anything")
    assert "says nothing about the skill" in report
    assert "Same with" not in report


def test_one_session_that_produced_something_makes_it_a_comparison():
    sessions = (
        a_session(Arm.WITH_SKILL, end=SessionEnd.TIMEOUT),
        a_session(Arm.WITHOUT_SKILL, end=SessionEnd.NO_OUTPUT, outputs=()),
    )
    report = render_report(all_failed(sessions=sessions), CONTEXT)
    assert report.startswith("## ⚪ Same with and without the skill: 0% and 0%")
