"""What a comparison of a pull request says, as runs end."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.pull_requests.plan import PullPlan, PullRow, PullSkill, RowEnd, RunEnd
from jobs.pull_requests.words import (
    count_outcome,
    render_check,
    render_comment,
    render_unmeasured,
)
from tests.builders import a_request

HEAD, BASE, RULES = "a" * 40, "b" * 40, "c" * 40
SKILL = PullSkill(path="text/word-count", name="word-count", sha="d" * 64, is_new=False)
BETTER, WORSE, SAME = (0.9, 0.5), (0.5, 0.9), (0.7, 0.7)


def a_plan(rows: int = 2, **changes: Any) -> PullPlan:
    given: dict[str, Any] = {
        "request": a_request(is_pull_request=True, head=HEAD),
        "rules": RULES,
        "base": BASE,
        "changed": (SKILL,),
        "rows": tuple(
            PullRow(eval_id=f"github-issue-{number}", skill=SKILL, key=f"k{number}")
            for number in range(1, rows + 1)
        ),
    }
    return PullPlan(**(given | changes))


def a_run(scores: tuple[float, float] | None, **changes: Any) -> RunEnd:
    given: dict[str, Any] = {
        "model": "claude-sonnet-4-6",
        "state": "done" if scores else "ungraded",
        "scores": scores,
    }
    return RunEnd(**(given | changes))


def some_ends(*scores: tuple[float, float] | None) -> dict[str, RowEnd]:
    return {
        f"k{number}": RowEnd(runs=(a_run(one),), state="done")
        for number, one in enumerate(scores, start=1)
    }


def headline(*scores: tuple[float, float] | None) -> tuple[str, str | None]:
    check = render_check(a_plan(len(scores)), some_ends(*scores))
    return check.title, check.conclusion


@pytest.mark.parametrize(
    ("scores", "title", "conclusion"),
    [
        ((BETTER, SAME, BETTER), "Better in 2 of 3 runs, the same in 1", "success"),
        ((BETTER,), "Better in 1 of 1 run", "success"),
        ((WORSE, SAME), "Worse in 1 of 2 runs, the same in 1", "neutral"),
        ((BETTER, WORSE), "Mixed: better in 1, worse in 1 of 2 runs", "neutral"),
        ((SAME, SAME), "No difference in 2 runs", "success"),
        ((BETTER, None), "Better in 1 of 1 run; 1 came to no score", "neutral"),
        ((None,), "Not measured: no run came to a score", "neutral"),
    ],
)
def test_the_headline_counts_and_concludes_no_more_than_that(
    scores: tuple[tuple[float, float] | None, ...], title: str, conclusion: str
) -> None:
    """Nothing fails a merge: that is for people to decide."""
    assert headline(*scores) == (title, conclusion)


def test_what_counts_nowhere_is_no_score_and_says_so() -> None:
    unsound = RowEnd(runs=(a_run(None, state="unsound", url="https://github.com/a/b"),))
    check = render_check(a_plan(1), {"k1": unsound})
    assert check.title == "Nothing that counts: a false answer passes the eval case"
    assert "| — | — | [⚠️ counts nowhere](https://github.com/a/b) |" in check.summary
    both = {"k1": RowEnd(runs=(a_run(BETTER),), state="done"), "k2": unsound}
    title = "Better in 1 of 1 run; 1 on an eval case that a false answer passes"
    assert (render_check(a_plan(2), both).title, render_check(a_plan(2), both).conclusion) == (
        title,
        "neutral",
    )


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("cancelled", "Cancelled before any run came to a score"),
        (
            "superseded",
            "Not measured: the pull request has another head by now, or is closed",
        ),
        ("refused", "Not measured: no run came to a score"),
    ],
)
def test_where_nothing_was_measured_it_says_why(state: Any, title: str) -> None:
    ends = {"k1": RowEnd(state=state), "k2": RowEnd(runs=(a_run(None, state=state),), state=state)}
    check = render_check(a_plan(), ends)
    assert (check.title, check.conclusion) == (title, "neutral")


def test_while_it_goes_on_there_are_no_buttons_and_no_verdict() -> None:
    ends = some_ends(BETTER)
    check = render_check(a_plan(), ends)
    assert (check.status, check.conclusion, check.actions) == ("in_progress", None, ())
    assert check.title == "1 of 2 eval cases done"
    plan = a_plan(expected="about 30k tokens")
    comment = render_comment(plan, ends, mention="@skillbench")
    assert "**Expected:** about 30k tokens. To cancel it" in comment
    assert "Expected" not in render_comment(plan, some_ends(BETTER, SAME), mention="@skillbench")
    assert comment.startswith("### 👀 Benchmarking: 1 of 2 eval cases done")
    assert "`@skillbench cancel`" in comment
    assert "⏳" in comment


def test_what_the_sets_say_stands_between_the_table_and_the_rest() -> None:
    line = "**With this, the set of `a`** on `m`: 🟢 **helps**"
    comment = render_comment(a_plan(), some_ends(BETTER, SAME), mention="@skillbench", sets=[line])
    table, below = comment.split(f"\n\n{line}\n\n")
    assert table.splitlines()[-1].startswith("| ")
    assert below.startswith("<sub>These are counts")


def test_what_could_not_be_carried_out_says_why_below_the_table() -> None:
    reason = "over the budget of 5 USD"
    ends = some_ends(BETTER) | {"k2": RowEnd(state="refused", reason=reason)}
    comment = render_comment(a_plan(), ends, mention="@skillbench")
    assert comment.count(reason) == 1
    assert "| ⚠️ not possible |" in comment


@given(st.text(max_size=60), st.text(max_size=60))
def test_foreign_words_break_no_table_and_mention_nobody(name: str, model: str) -> None:
    skill = SKILL.model_copy(update={"name": f"{name}|@mona", "path": f"{name}`|"})
    row = PullRow(eval_id=f"{model}|`", skill=skill, key="k1")
    plan = a_plan(rows=0).model_copy(update={"rows": (row,), "changed": (skill,)})
    ends = {
        "k1": RowEnd(runs=(a_run(BETTER, model=f"{model}|", url="javascript:x"),), state="done")
    }
    table = [
        line
        for line in render_comment(plan, ends, mention="@skillbench").splitlines()
        if line.startswith("| ")
    ]
    assert len(table) == 2
    assert "javascript" not in table[1]
    assert "|@mona" not in table[1]


def test_a_long_comparison_still_fits_a_check_run() -> None:
    skills = tuple(SKILL.model_copy(update={"path": f"{'x' * 70}/{n}"}) for n in range(3000))
    check = render_check(a_plan(changed=skills), some_ends(BETTER, SAME))
    assert len(check.summary) < 65_535
    assert " and 2980 more" in check.summary


def test_a_fork_is_told_by_its_whole_commit() -> None:
    check = render_unmeasured(HEAD, (SKILL,), (), fork="rudi/skills", mention="@skillbench")
    assert f"`@skillbench run @{HEAD}`" in check.summary
    assert "`rudi/skills`" in check.summary
    own = render_unmeasured(HEAD, (SKILL,), (), fork="", mention="@skillbench")
    assert "`@skillbench run`" in own.summary
    assert "fork" not in own.summary


def test_what_has_not_ended_counts_for_nothing() -> None:
    outcome = count_outcome(a_plan(3), some_ends(BETTER, None))
    assert (outcome.verdict, outcome.measured, outcome.is_ended) == ("better", 1, False)
    assert outcome.unmeasured == ("ungraded",)


def test_a_model_that_was_refused_beside_another_is_no_success() -> None:
    """The check run is green only where every run has a score."""
    end = RowEnd(runs=(a_run(BETTER),), state="refused", reason="gpt-9: nobody knows it.")
    check = render_check(a_plan(1), {"k1": end})
    assert check.title == "Better in 1 of 1 run; 1 came to no score"
    assert check.conclusion == "neutral"


@pytest.mark.parametrize(
    ("vs", "said", "column"),
    [
        (None, f"against base `{BASE[:12]}`", "Base"),
        ("none", "compared with `--vs none`", "No skill"),
        ("self", "compared with `--vs self`", "Other version"),
        ("ref:v1", "compared with `--vs ref:v1`", "Other version"),
    ],
)
def test_the_other_side_is_what_was_asked_for(vs: str | None, said: str, column: str) -> None:
    plan = a_plan(1, request=a_request(is_pull_request=True, head=HEAD, vs=vs))
    for text in (
        render_comment(plan, some_ends(SAME), mention="@skillbench"),
        render_check(plan, some_ends(SAME)).summary,
    ):
        assert f"Head `{HEAD[:12]}` {said}; " in text
        assert f"| Head | {column} |" in text
        assert vs is None or "against base" not in text


def test_a_skill_that_the_head_breaks_is_told_beside_what_was_measured() -> None:
    broken = ("The skill `b` cannot be used as the head has it: <b>@octocat</b> was here.",)
    plan = a_plan(1, broken=broken)
    check = render_check(plan, some_ends(BETTER))
    assert check.conclusion == "neutral"
    unasked = render_unmeasured(HEAD, (SKILL,), broken, fork="", mention="@skillbench")
    alone = render_unmeasured(HEAD, (), broken, fork="", mention="@skillbench")
    assert unasked.actions
    assert (alone.title, alone.actions) == ("Not measured: a skill cannot be used", ())
    for text in (
        check.summary,
        render_comment(plan, some_ends(BETTER), mention="@skillbench"),
        unasked.summary,
        alone.summary,
    ):
        assert "cannot be used as the head has it" in text
        assert "<b>" not in text


def test_a_long_list_of_reasons_leaves_room_for_the_table() -> None:
    end = RowEnd(runs=(a_run(BETTER),), state="refused", reason="nobody knows it. " * 9_000)
    comment = render_comment(a_plan(1), {"k1": end}, mention="@skillbench")
    assert len(comment) < 20_000
    assert "| `github-issue-1` |" in comment
