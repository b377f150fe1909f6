"""How a summary and a week read: what is named, what is folded, what can do nothing."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from config.settings import Settings
from jobs.conclusions.telling import find_sets_now
from jobs.conclusions.thresholds import Thresholds
from jobs.results import RunRecord
from jobs.summary.digest import render_week
from jobs.summary.measured import find_measurements
from jobs.summary.patterns import Drafted, Pattern
from jobs.summary.report import SkillSummary, render_nothing, render_summary
from jobs.summary.scorecard import find_scorecards
from jobs.summary.week import find_week
from tests.builders import A_SHA, NOON, a_run_record, a_usage

SKILL = "text/word-count"
HOSTILE = "<!-- x --> @all | `a` [b](https://evil.test)"


def scored(having: float, lacking: float, **changes: Any) -> RunRecord:
    score = {"with_skill": having, "without_skill": lacking}
    return a_run_record(**({"score": score, "finished_at": NOON} | changes))


def a_summary(records: Sequence[RunRecord], **changes: Any) -> SkillSummary:
    found = find_measurements(records, SKILL)
    defaults: dict[str, Any] = {
        "skill": SKILL,
        "sha": A_SHA,
        "measurements": found,
        "scorecards": find_scorecards(found.rows),
        "sets": asyncio.run(find_sets_now(records, SKILL, Settings(_env_file=None))),
        "limits": Thresholds(),
        "drafted": Drafted(),
        "judge": "claude-opus",
    }
    return SkillSummary(**(defaults | changes))


def rendered(records: Sequence[RunRecord], **changes: Any) -> str:
    return render_summary([a_summary(records, **changes)], mention="@skillbench")


def test_a_row_has_both_scores_their_difference_the_date_and_the_report() -> None:
    text = rendered([scored(0.8333, 0.5, issue=21)])
    report = "[report](https://github.com/acme/skills/issues/21#issuecomment-9)"
    row = "| #21 | `claude-sonnet-4-6` | 83.3% | 50% | 🟢 +33.3 points | 2026-05-04 |"
    assert f"{row} {report} |" in text


def test_a_case_without_an_issue_is_named_by_its_id() -> None:
    assert "| `release-notes#1` |" in rendered([scored(1, 0, eval_id="release-notes#1")])
    assert "| `github-issue-21` |" in rendered([scored(1, 0, issue=5)])


def test_the_launcher_is_named_where_it_is_not_the_usual_one() -> None:
    text = rendered([scored(1, 0, launcher="claude-code")])
    assert "| `claude-sonnet-4-6` in claude-code |" in text


def test_trivial_cases_are_named_and_in_no_figure() -> None:
    text = rendered([scored(1, 1, eval_id="easy"), scored(0.5, 1, eval_id="hard")])
    assert "| `claude-sonnet-4-6` | 0 / 0 / 1 | 50% | 100% | -50 points | `easy` |" in text
    # where they are ties
    assert "on `claude-sonnet-4-6`: 0 wins, 1 tie, 1 loss of 2 eval cases; at least 5" in text


def test_nothing_but_trivial_cases_is_said_to_be_so() -> None:
    text = rendered([scored(1, 1)])
    assert "every eval case is trivial" in text
    assert "| 0 / 0 / 0 | — | — | — |" in text


def test_the_verdict_of_each_set_comes_first_with_its_method() -> None:
    wins = [scored(1, 0.5, eval_id=f"e{number}") for number in range(6)]
    text = rendered(wins)
    assert text.startswith(
        "### 📊 Summary of `text/word-count`\n\n🟢 **helps** on `claude-sonnet-4-6`: 6 wins, "
        "0 ties, 0 losses of 6 eval cases.\n\n- Mean difference: +50 points (no interval: "
    )
    assert (
        "<sub>Method: exact one-sided sign test over eval cases, p = 0.016 (at most 0.05)" in text
    )
    assert "side by side" not in text
    other = {"model": "gpt", "model_identity": "gpt"}
    text = rendered([*wins, *(one.model_copy(update=other) for one in wins)])
    assert "🟢 **helps** on `gpt`" in text
    assert "<sub>2 verdicts stand side by side" in text


def test_a_new_version_begins_a_new_set_and_the_larger_one_before_it_stays_in_sight() -> None:
    before = [scored(1, 0, eval_id=f"e{number}") for number in range(5)]
    later = NOON + timedelta(hours=1)
    new = scored(1, 0, eval_id="e0", run="n", skill_sha="f" * 64, finished_at=later)
    text = rendered([*before, new], sha="f" * 64)
    assert (
        "🔍 **underpowered** on `claude-sonnet-4-6`: 1 win, 0 ties, 0 losses of 1 eval case" in text
    )
    assert f"⏳ Before, at version `{A_SHA[:12]}`: 🟢 **helps**, 5 wins, 0 ties, 0 losses" in text
    assert "Before, at" not in rendered([new, *before[:1]])


def test_earlier_versions_and_a_skill_that_is_gone_are_marked() -> None:
    assert "2026-05-04 ⏳ |" in rendered([scored(1, 0)], sha="f" * 64)
    assert "⏳ 1 row on an earlier version of the skill." in rendered([scored(1, 0)], sha="f" * 64)
    assert "⏳" not in rendered([scored(1, 0)])
    assert "not in the repository any more" in rendered([scored(1, 0)], sha="")


def test_what_does_not_count_is_folded_with_its_reason() -> None:
    failed = a_run_record(eval_id="lost", score=None, state="ungraded", finished_at=NOON)
    text = rendered([scored(1, 0), failed])
    assert "<summary>Not counted (1 run)</summary>" in text
    assert "- `lost` on `claude-sonnet-4-6`: came to no score ([report](" in text


def test_each_end_of_the_asking_has_its_sentence() -> None:
    row = scored(1, 0)
    found = find_measurements([row], SKILL).rows
    assert "every assertion is met in every reading" in rendered([row])
    assert "`claude-opus` found no pattern" in rendered([row], drafted=Drafted(asked=True))
    text = rendered([row], drafted=Drafted(asked=True, problem="the judge gave no answer."))
    assert "Not drafted: the judge gave no answer.\n" in text
    text = rendered([row], unread=found)
    assert "No verdicts are kept. The verdicts of `github-issue-21` are not kept any more." in text


def test_a_pattern_names_its_cases_and_what_it_cost() -> None:
    pattern = Pattern(
        title=HOSTILE,
        affected=("github-issue-21", "other"),
        root_cause=HOSTILE,
        fix=HOSTILE,
        priority="P0",
    )
    drafted = Drafted(
        patterns=(pattern,), asked=True, usage=a_usage(requests=1, cost_usd=Decimal("0.02"))
    )
    text = rendered([scored(1, 0, issue=21)], drafted=drafted)
    assert "- Affected: #21, `other`\n" in text
    assert "from the stored verdicts for $0.02; check it" in text
    shown = text.partition("**P0 · ")[2].partition("<sub>")[0]
    for live in ("<!--", "@all", "`a`", "](https"):
        assert live not in shown


def test_names_of_strangers_do_nothing_and_very_many_rows_fit() -> None:
    records = [
        scored(1, 0, eval_id=f"{HOSTILE}{number}", model=HOSTILE, url="javascript:alert(1)")
        for number in range(1_000)
    ]
    text = rendered(records)
    assert len(text.encode()) < 65_000
    assert "*Shortened" in text
    assert "](https://evil" not in text
    assert "javascript" not in text
    assert "#### Overall" in text
    assert "#### Why it fails" in text


def test_several_skills_follow_each_other_and_the_rest_is_counted() -> None:
    one = a_summary([scored(1, 0)])
    text = render_summary([one, one], mention="@skillbench", left_out=3)
    assert text.count("### 📊 Summary of `text/word-count`") == 2
    assert text.count("<sub>2 verdicts stand side by side") == 1
    assert "3 more skills found no room here" in text


def test_nothing_to_sum_up_names_the_one_skill_that_was_meant() -> None:
    assert "No run of `a` has come to a score" in render_nothing(["a"], mention="@skillbench")
    assert "No run has come to a score" in render_nothing([], mention="@skillbench")


def test_a_week_tells_what_went_down_first() -> None:
    before = NOON - timedelta(days=8)
    within = NOON - timedelta(days=1)
    records = [
        scored(1, 0.5, run="a0", eval_id="up", finished_at=before),
        scored(1, 0.5, run="b0", eval_id="down", finished_at=before),
        scored(1, 0.5, run="c0", eval_id="old", finished_at=before, skill_sha="e" * 64),
        scored(1, 0.25, run="a1", eval_id="up", finished_at=within, cost_usd=0.5),
        scored(0.5, 0.5, run="b1", eval_id="down", finished_at=within, cost_usd=0.25),
        scored(1, 0, run="d1", eval_id="new", finished_at=within),
    ]
    text = render_week(find_week(records, {SKILL: A_SHA}, NOON), mention="@skillbench")
    assert "### 🗓️ 3 runs: 1 up, 1 down, 1 for the first time" in text
    assert "Every run came to a score. Spent: $0.75, and 1 run of unknown price." in text
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert [row.split(" | ")[0] for row in rows] == ["| `down`", "| `up`", "| `new`"]
    assert "| +50 points | 0 points | ▼ 50 points |" in rows[0]
    assert "| +50 points | +75 points | ▲ 25 points |" in rows[1]
    assert "| — | +100 points | new |" in rows[2]
    assert "<summary>Measured on an earlier version of their skill (1)</summary>" in text
    assert "- `old` with `text/word-count` on `claude-sonnet-4-6`" in text
