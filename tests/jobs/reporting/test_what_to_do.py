"""The report says whether its reader must act, from what was found and no further."""

import pytest

from jobs.reporting.conclusion import conclude
from jobs.reporting.what_to_do import render_what_to_do
from jobs.results import RunResult
from tests.builders import (
    a_result,
    a_session,
    an_arm_score,
    an_assertion_score,
    some_assertions,
)


def a_result_of(*pairs: tuple[str, str], **changes) -> RunResult:
    """A run whose assertions were met so, with the skill and without it."""
    rows = [
        an_assertion_score(assertion, (having,), (lacking,), split=False)
        for assertion, (having, lacking) in zip(some_assertions(len(pairs)), pairs, strict=True)
    ]
    met = [[pair[arm] for pair in pairs].count("pass") for arm in (0, 1)]
    return a_result(
        assertions=tuple(rows),
        with_skill=an_arm_score(met[0], 0, len(pairs) - met[0]),
        without_skill=an_arm_score(met[1], 0, len(pairs) - met[1]),
        **changes,
    )


BETTER, WORSE, MET, MISSED = ("pass", "fail"), ("fail", "pass"), ("pass", "pass"), ("fail", "fail")
FIVE = "**A1**, **A2**, **A3**, **A4**, **A5**"


@pytest.mark.parametrize(
    ("pairs", "advice"),
    [
        ([BETTER, MET], "Nothing."),
        ([BETTER, BETTER, WORSE], "Nothing urgent; the skill was worse on **A3**."),
        ([WORSE, MET], "Look at **A1** before the skill goes out: worse there."),
        ([BETTER, WORSE], "Look closer: better on **A1** and worse on **A2**."),
        (
            [MET, MET],
            "Nothing; but all was met either way, so harder assertions would tell more.",
        ),
        (
            [MET, MISSED],
            "Nothing; but the skill made no difference here, so see whether it is about this task.",
        ),
        ([WORSE] * 6, f"Look at {FIVE}, 1 more before the skill goes out: worse there."),
    ],
)
def test_the_advice_follows_from_the_conclusion(pairs, advice):
    result = a_result_of(*pairs)
    conclusion = conclude(result)
    assert conclusion is not None
    assert render_what_to_do(result, conclusion) == f"**To do** {advice}"


def test_a_skill_that_was_never_loaded_is_found_first():
    sessions = (a_session(skill_loaded=False), *a_result().sessions[1:])
    result = a_result_of(BETTER, sessions=sessions)
    conclusion = conclude(result)
    assert conclusion is not None
    assert "`trigger` measures its description" in render_what_to_do(result, conclusion)


def test_where_nothing_was_handed_in_the_transcripts_are_named():
    sessions = tuple(one.model_copy(update={"outputs": ()}) for one in a_result().sessions)
    result = a_result_of(MISSED, sessions=sessions)
    conclusion = conclude(result)
    assert conclusion is not None
    assert "transcripts" in render_what_to_do(result, conclusion)
