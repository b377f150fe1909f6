"""What is weak about an assertion is told from its words; a good one is left alone."""

from collections.abc import Sequence

import pytest

from jobs.inquiries.assertion_faults import find_faults
from jobs.values import Assertion

PROMPT = "Write a table of the mean blood pressure for each visit and each arm of the trial."
SKILL = "Always give the number of patients beside every mean, in the same cell."
GOOD = (
    "The table has one row for each of the 4 visits",
    "The mean of visit 2 is 121.4 in the arm `placebo`",
    "States that 3 patients were left out, and why",
    "The skewed column is summed up by its median, 118",
    "The script runs without an error and writes table.csv",
    "Names two limits of the analysis",
)


def faults(*texts: str) -> list[tuple[str, str]]:
    """Where and what, of these among enough good ones."""
    padded = (*texts, *GOOD[:3]) if len(texts) < 3 else texts
    assertions = [Assertion(id=f"A{n}", text=text) for n, text in enumerate(padded, 1)]
    return [(one.where, one.what) for one in find_faults(assertions, PROMPT, [SKILL])]


def test_good_assertions_are_left_alone() -> None:
    assert faults(*GOOD) == []


@pytest.mark.parametrize(
    "text",
    [
        "Does not mention any patient by name",
        "The report doesn't invent references",
        "Avoids causal language",
        "No file is overwritten",
        "The answer contains no marketing words",
        "It never recommends a dose",
        "The code is free of warnings",
        "Should not use a library",
        "Output must not include a p-value",
    ],
)
def test_what_an_empty_answer_fulfils_is_told(text: str) -> None:
    assert ("A1", "an empty answer fulfils it, since it only says what must not be there") in (
        faults(text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Does not stop at the mean but reports the standard deviation of each group",
        "States that no patient was lost to follow-up",
        "Uses a log scale instead of a linear one",
        "Explains why the result is not significant",
    ],
)
def test_what_also_says_something_positive_is_no_empty_promise(text: str) -> None:
    assert not any("empty answer" in what for _, what in faults(text))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("The output is good", "good"),
        ("Uses an appropriate test", "appropriate"),
        ("The table is well-formatted", "well-formatted"),
        ("Gives a comprehensive overview", "comprehensive"),
        ("Is easy to follow", "easy to follow"),
    ],
)
def test_a_word_that_two_readers_see_differently_is_told(text: str, word: str) -> None:
    assert ("A1", f"two readers may differ on `{word}`") in faults(text)


def test_a_word_beside_a_figure_is_measured_by_it() -> None:
    assert faults("The summary is clear: at most 5 sentences") == []


def test_what_stands_in_the_prompt_or_in_the_skill_is_told() -> None:
    assert faults("a table of the mean blood pressure, for each visit.") == [
        ("A1", "stands word for word in the prompt")
    ]
    assert faults("Give the number of patients beside every mean") == [
        ("A1", "stands word for word in the skill's SKILL.md")
    ]


def test_an_assertion_on_how_the_work_was_done_is_told() -> None:
    assert faults("Uses `median()` and not `mean()` for the skewed column") == [
        ("A1", "tests how the work was done, not what came of it")
    ]


def test_words_that_only_the_skill_names_are_told() -> None:
    skill = "Always call the table `vital_signs_mean`."
    assertions = [Assertion(id="A1", text="There is a table `vital_signs_mean`")]
    assertions += [Assertion(id=f"A{n}", text=text) for n, text in enumerate(GOOD, 2)]
    [fault] = find_faults(assertions, PROMPT, [skill])
    assert fault.where == "A1"
    assert fault.what.endswith("that the task does not name: `vital_signs_mean`")
    assert list(find_faults(assertions, f"{PROMPT} Call it `vital_signs_mean`.", [skill])) == []


def test_a_case_that_mostly_tests_obedience_is_told() -> None:
    found = faults("Uses `median()`", "Calls `table()`", "Names 2 limits of the analysis")
    assert found[0] == (
        "case",
        "few of its assertions test the outcome (3 assertions: 1 outcome, 2 technique)",
    )


def test_a_short_phrase_may_stand_anywhere() -> None:
    assert faults("a table of 4 rows") == []


def test_what_is_said_twice_is_told_once() -> None:
    found = faults("Names two limits", "names *two* limits.")
    assert found == [("A2", "says the same as A1")]


def test_a_title_is_told_from_a_statement() -> None:
    assert ("A1", "reads like the title of a group, and is scored as an assertion") in faults(
        "Data handling"
    )


@pytest.mark.parametrize("texts", [GOOD[:1], GOOD[:2]])
def test_too_few_assertions_are_told(texts: Sequence[str]) -> None:
    assertions = [Assertion(id=f"A{n}", text=text) for n, text in enumerate(texts, 1)]
    [fault] = find_faults(assertions, "", [])
    assert fault.where == "case"
    assert f"only {len(texts)} assertion" in fault.what


def test_hostile_words_stay_words() -> None:
    """What is quoted is at most a word of ours; the text itself is escaped where it is shown."""
    for _, what in faults("<b>@everyone</b> appropriate `x`", "good | better | best"):
        assert "@" not in what
        assert "<" not in what


def test_a_rubric_of_any_length_is_read_in_no_time() -> None:
    texts = [f"word {'very ' * 400}{n}" for n in range(200)]
    assert faults(*texts) == []
