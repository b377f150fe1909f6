"""The check run of a push, from what is kept."""

from datetime import UTC, datetime
from typing import Any

import pytest

from jobs.check_runs import LONGEST_TEXT
from jobs.pushes.check import is_ended, render_push
from jobs.pushes.plan import ChangedSkill, EndState, PushPlan, PushRow, RowEnd
from jobs.results import RunRecord
from tests.builders import a_run_record
from tests.input_builders import a_repo

SKILL = ChangedSkill(path="skills/count", name="count", sha="c" * 64)
WEB = "https://github.com"


def record(score: float, *, tokens: int = 1000, wall_s: float = 10.0) -> RunRecord:
    return a_run_record(
        score={"with_skill": score, "without_skill": 0.5},
        tokens={"with_skill": tokens, "without_skill": 1},
        wall_s={"with_skill": wall_s, "without_skill": 1.0},
        url=f"https://github.com/acme/skills/issues/7#issuecomment-{tokens}",
    )


def a_row(model: str = "m-1", **changes: Any) -> PushRow:
    parts: dict[str, Any] = {
        "eval_id": "github-issue-7",
        "issue": 7,
        "skill": SKILL,
        "model": model,
        "model_identity": model,
        "launcher": "api",
        "previous": record(0.75),
        "request": "changed:1",
    }
    return PushRow(**(parts | changes))


def a_plan(*rows: PushRow, **changes: Any) -> PushPlan:
    parts: dict[str, Any] = {
        "repo": a_repo(),
        "before": "b" * 40,
        "after": "a" * 40,
        "asked_at": datetime(2026, 3, 1, tzinfo=UTC),
        "changed": (SKILL,),
        "rows": rows,
    }
    return PushPlan(**(parts | changes))


def an_end(state: EndState = "done", model: str = "m-1", **parts: Any) -> dict[str, RowEnd]:
    return {model: RowEnd(model_identity=model, state=state, **parts)}


def test_what_the_sets_say_stands_below_the_table() -> None:
    line = "**With this, the set of `a`** on `m`: 🟢 **helps**"
    ends = {"changed:1": an_end(record=record(1.0), previous=record(0.75))}
    check = render_push(a_plan(a_row()), ends, web_url=WEB, sets=[line])
    assert f"|\n\n{line}\n\n<sub>Scores" in check.summary
    assert is_ended(a_plan(a_row()), ends)
    assert not is_ended(a_plan(a_row(), a_row("m-2")), ends)


def test_while_something_waits_it_is_in_progress() -> None:
    ends = {"changed:1": an_end(record=record(1.0), previous=record(0.75))}
    check = render_push(a_plan(a_row(), a_row("m-2")), ends, web_url=WEB)
    assert (check.status, check.conclusion) == ("in_progress", None)
    assert check.title == "1 of 2 runs done"
    assert "| ⏳ | — | — | — |" in check.summary


@pytest.mark.parametrize("is_known", [False, True])
def test_a_result_that_counts_nowhere_is_told_as_none(*, is_known: bool) -> None:
    now = record(1.0).model_copy(update={"canary_passed": True})
    row = a_row(request="", known=now, is_known=True) if is_known else a_row()
    ends = {} if is_known else {"changed:1": an_end("unsound", record=now)}
    check = render_push(a_plan(row), ends, web_url=WEB)
    assert (check.title, check.conclusion) == ("1 counting nowhere", "neutral")
    assert "| [⚠️ counting nowhere](https://github.com/acme" in check.summary
    assert "100%" not in check.summary


def test_a_row_shows_before_now_and_what_has_changed() -> None:
    end = an_end(record=record(0.92, tokens=900, wall_s=12.0), previous=record(0.75, tokens=1000))
    check = render_push(a_plan(a_row()), {"changed:1": end}, web_url=WEB)
    assert (check.status, check.conclusion, check.title) == ("completed", "success", "1 better")
    place = "https://github.com/acme/skills/issues/7"
    assert (
        f"| [#7]({place}) | count | `m-1` | [75%]({place}#issuecomment-1000) "
        f"| [92%]({place}#issuecomment-900) | ▲ 17 points | 900 ▼ 10% | 12 s ▲ 20% |"
    ) in check.summary


@pytest.mark.parametrize(
    ("end", "title", "conclusion"),
    [
        (an_end(record=record(0.5), previous=record(0.75)), "1 worse", "success"),
        (an_end(record=record(0.75), previous=record(0.75)), "1 the same", "success"),
        (an_end(record=record(0.75)), "1 measured for the first time", "success"),
        (an_end("superseded"), "Superseded by a newer push", "neutral"),
        (an_end("cancelled"), "1 cancelled", "neutral"),
        (an_end("refused", reason="The day's limit is reached."), "1 not possible", "neutral"),
        (
            an_end("ungraded", record=a_run_record(score=None, state="ungraded")),
            "1 not graded",
            "neutral",
        ),
    ],
)
def test_its_end_says_how_it_went(end: dict[str, RowEnd], title: str, conclusion: str) -> None:
    check = render_push(a_plan(a_row()), {"changed:1": end}, web_url=WEB)
    assert (check.status, check.title, check.conclusion) == ("completed", title, conclusion)


def test_what_could_not_be_done_is_explained_once() -> None:
    rows = (a_row(), a_row("m-2"))
    reason = "The day's limit is reached."
    ends = {"changed:1": an_end("refused", reason=reason) | an_end("refused", "m-2", reason=reason)}
    assert render_push(a_plan(*rows), ends, web_url=WEB).text == reason


def test_results_that_were_there_are_nothing_to_measure() -> None:
    row = a_row(request="", known=record(0.92), previous=record(0.75))
    check = render_push(a_plan(row), {}, web_url=WEB)
    assert check.title == "Nothing to measure: known at this version"
    assert (check.status, check.conclusion) == ("completed", "success")
    assert "▲ 17 points" in check.summary


def test_what_was_left_out_is_said_and_is_no_success() -> None:
    row = a_row(request="", known=record(0.92))
    left_out = "3 more runs were left out: `github-issue-9` (3)."
    check = render_push(a_plan(row, left_out=(left_out,)), {}, web_url=WEB)
    assert f"- {left_out}" in check.summary
    assert check.conclusion == "neutral"


def test_foreign_names_are_text() -> None:
    odd = ChangedSkill(path="a|`b`", name="<b>@everyone</b> | x", sha="d" * 64)
    row = a_row(skill=odd, eval_id="x`|y", issue=0)
    summary = render_push(a_plan(row, changed=(odd,)), {}, web_url=WEB).summary
    assert "<b>" not in summary
    assert "@everyone" not in summary
    (line,) = [one for one in summary.split("\n") if "⏳" in one]
    assert line.count("|") == 9


def test_rows_that_github_has_no_room_for_are_left_out_and_all_else_stays() -> None:
    """Two hundred skills at once: what is measured stands first, then what was left out."""
    rows = [a_row(f"model-{number}-{'x' * 40}", eval_id="e" * 80) for number in range(400)]
    left_out = "180 more runs were left out."
    check = render_push(a_plan(*rows, left_out=(left_out,)), {}, web_url=WEB)
    assert len(check.summary) <= LONGEST_TEXT
    lines = check.summary.split("\n")
    assert 100 < sum("`model-" in line for line in lines) < 400
    assert all(line.count("|") == 9 for line in lines if line.startswith("|"))
    assert "*The other rows have no room here.*" in lines
    assert f"- {left_out}" in lines
