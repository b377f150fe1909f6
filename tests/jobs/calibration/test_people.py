"""What people say outlives the store, keeps its order, and never grows past its comment."""

from datetime import timedelta
from typing import Any

import pytest

from jobs.calibration.people import (
    MARKER_BYTES,
    MOST_KEPT,
    PersonVerdict,
    RunVerdicts,
    find_verdicts_marker,
    read_comments,
    render_verdicts_marker,
)
from jobs.calibration.said import count_people, find_scores_with, get_one_word
from jobs.reporting.context import ReportContext
from jobs.reporting.people import render_people, said_beside
from jobs.values import Arm
from tests.builders import NOON, a_comment, a_result

RUN = "5e1f00d5a1ad"


def said(asking: str = "a", **changes: Any) -> PersonVerdict:
    defaults = {
        "asking": asking,
        "assertion": "A2",
        "arm": Arm.WITHOUT_SKILL,
        "verdict": "pass",
        "reason": "table 2 has it",
        "by": "maria",
        "at": NOON,
        "judge": ("fail", "fail"),
    }
    return PersonVerdict(**(defaults | changes))


def verdicts(*those: PersonVerdict) -> RunVerdicts:
    return RunVerdicts(run=RUN, eval_id="e", series=("m", "j", "p")).joined(those)


def test_the_last_word_counts_and_the_earlier_one_is_kept() -> None:
    later = said("b", verdict="fail", at=NOON + timedelta(seconds=1))
    both = verdicts(later, said("a"))
    assert list(both.current.values()) == [later]
    assert both.corrected == (said("a"),)


def test_within_a_second_the_later_comment_counts() -> None:
    first, second = said("z", comment=7), said("a", comment=8, verdict="fail")
    assert list(verdicts(second, first).current.values()) == [second]


def test_within_a_second_an_edit_of_the_comment_counts() -> None:
    first, edited = said("z", comment=7), said("a", comment=7, verdict="fail")
    assert list(verdicts(first).joined([edited]).current.values()) == [edited]


def test_what_is_said_twice_is_once_and_keeps_its_whole_reason() -> None:
    cut = said("a", reason="table…")
    assert verdicts(cut).joined([said("a")]).verdicts == (said("a"),)
    assert verdicts(said("a")).joined([cut]).verdicts == (said("a"),)


@pytest.mark.parametrize(
    "reason", ["-->", "<!-- x -->", "a--b", "🧮 Übersicht", "\u202eevil", '"quoted" \\ back']
)
def test_any_reason_survives_in_the_hidden_line_and_ends_it_nowhere(reason: str) -> None:
    whole = verdicts(said(reason=reason))
    line = render_verdicts_marker(whole)
    assert line.count("-->") == 1
    assert find_verdicts_marker(f"# Report\n\n{line}\n") == whole


def test_as_many_as_may_be_always_fit() -> None:
    """Reasons are cut before a verdict is lost."""
    many = verdicts(
        *(said(f"{n:012x}", reason="ü" * 500, group="g" * 90) for n in range(MOST_KEPT))
    )
    line = render_verdicts_marker(many)
    assert len(line.encode()) <= MARKER_BYTES + 5_000
    found = find_verdicts_marker(line)
    assert found is not None
    assert [one.asking for one in found.verdicts] == [one.asking for one in many.verdicts]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<!-- skillbench:verdicts -->",
        "<!-- skillbench:verdicts [] -->",
        '<!-- skillbench:verdicts {"run": "../x", "eval_id": ""} -->',
        "> <!-- skillbench:verdicts {} -->",
        "<!-- skillbench:verdicts " + "[" * 100_000 + " -->",
    ],
)
def test_what_cannot_be_read_is_nothing(body: str) -> None:
    assert find_verdicts_marker(body) is None


def test_only_the_apps_own_comments_of_this_run_are_believed() -> None:
    line = render_verdicts_marker(verdicts(said()))
    ours, theirs = a_comment(body=line, by_this_app=True), a_comment(body=line, by_this_app=False)
    assert read_comments([theirs], RUN) == ()
    assert read_comments([ours], "another0run0") == ()
    assert read_comments([theirs, ours], RUN) == (said(),)


def test_the_score_with_peoples_words_is_worked_out_beside_the_judges() -> None:
    """Without the skill the judge gives pass, fail and partial; a person passes the second."""
    result = a_result()
    assert find_scores_with(result, verdicts(said()).current) == (2.5 / 3, 2.5 / 3)
    unsure = verdicts(said(verdict="cannot_verify"))
    assert find_scores_with(result, unsure.current) == (0.75, 0.75)
    assert result.without_skill is not None
    assert result.without_skill.score == 0.5


def test_where_people_could_verify_nothing_there_is_no_score_with_their_words() -> None:
    ids = [one.assertion.id for one in a_result().assertions]
    none = verdicts(*(said(one, assertion=one, verdict="cannot_verify") for one in ids))
    assert find_scores_with(a_result(), none.current) is None
    told = render_people(a_result(), ReportContext(people=none))
    assert "nothing would be left to score" in told


def test_people_are_counted_against_what_the_judge_said() -> None:
    both = verdicts(said("a"), said("b", arm=Arm.WITH_SKILL, assertion="A3"))
    assert count_people(a_result(), both) == {"pass/fail": 1, "pass/partial": 1}
    assert get_one_word(("pass", "fail")) == "split"


def test_a_report_of_which_nobody_said_anything_says_nothing_of_people() -> None:
    assert render_people(a_result(), ReportContext(people=verdicts())) == ""
    assert said_beside(None, "A1", Arm.WITH_SKILL, a_result()) == ""
    assert render_verdicts_marker(verdicts()) == ""


def test_hostile_words_do_nothing_in_the_table() -> None:
    bad = said(reason="| x | <b> @maria [a](https://evil.example) `c`", by="@eve|<i>", comment=3)
    told = render_people(a_result(), ReportContext(people=verdicts(bad)))
    row = next(line for line in told.splitlines() if line.startswith("| A2"))
    for harm in ("<b>", "<i>", "@maria", "@eve", "](https://evil", "`c`"):
        assert harm not in row
    assert row.count(" | ") == 4
