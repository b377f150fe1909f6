"""What an assertion tests, and whether skill or prompt give its answer away."""

import pytest

from jobs.leaks.assertion_class import count_classes, find_leaks, has_few_outcomes
from jobs.values import Assertion

PROMPT = "Derive the analysis dataset ADSL from `dm.csv` and write a summary of the visits."
SKILL = """# admiral
Use the function `derive_vars_dtm` for date-times. The report states the number of randomised
subjects per arm. Never drop subjects without a visit.
"""


def look(text: str, prompt: str = PROMPT, skill: str = SKILL):
    [leak] = find_leaks([Assertion(id="A1", text=text)], prompt, [skill])
    return leak


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The total number of visits is 42", "outcome"),
        ("ADSL has one row per subject", "outcome"),
        ("The summary mentions `dm.csv`", "outcome"),
        ("The report states the number of randomised subjects per arm.", "vocabulary"),
        ("Date-times come from `derive_vars_dtm`", "vocabulary"),
        ('The text says "derive_vars_dtm"', "vocabulary"),
        ("Uses `derive_vars_dtm` for date-times", "technique"),
        ("The script calls derive_vars_dtm()", "technique"),
        ("The solution is implemented in R", "technique"),
        ("The answer follows the skill's checklist", "technique"),
        ("Visits are summed up in a table", "outcome"),
        ("The script runs without an error and writes table.csv", "outcome"),
        ("The workbook loads in R as three tables", "outcome"),
        ("The script runs `make check`", "technique"),
        ("States that 3 patients used aspirin", "outcome"),
        ("The report says which test was used", "outcome"),
        ("The code should use vectors", "technique"),
        ("Derive the analysis dataset ADSL from dm.csv", "vocabulary"),
    ],
)
def test_the_class_is_told_from_the_words(text: str, kind: str) -> None:
    assert look(text).kind == kind


def test_where_a_copied_assertion_stands_is_told() -> None:
    copied = look("the report states the number of RANDOMISED subjects per arm")
    assert (copied.in_skill, copied.in_prompt) == (True, False)
    asked = look("Derive the analysis dataset ADSL from dm.csv")
    assert (asked.in_skill, asked.in_prompt) == (False, True)


def test_a_term_of_the_prompt_or_of_nobody_gives_nothing_away() -> None:
    assert look("The file `dm.csv` is read", skill="reads dm.csv").terms == ()
    assert look("The column `AGEGR1` exists").terms == ()
    assert look("Has `derive_vars_dtm` and `derive_vars_dtm`").terms == ("derive_vars_dtm",)


def test_a_part_of_a_word_is_no_copy() -> None:
    assert not look("states the number of randomised subjects per ar").in_skill


def test_odd_texts_are_classed_all_the_same() -> None:
    texts = ["", "`` `", '"' * 5_000, "uses " * 5_000, "`\u2028x`", "\u0130" * 100]
    leaks = find_leaks([Assertion(id=f"A{n}", text=t) for n, t in enumerate(texts)], "", [])
    assert len(leaks) == len(texts)
    assert sum(count_classes(leaks).values()) == len(texts)


@pytest.mark.parametrize(
    ("texts", "few"),
    [
        ((), False),
        (("There are 42 visits", "Uses R"), False),
        (("There are 42 visits", "Uses R", "Calls `sum`"), True),
    ],
)
def test_few_outcomes_are_less_than_half(texts: tuple[str, ...], few: bool) -> None:
    assertions = [Assertion(id=f"A{n}", text=text) for n, text in enumerate(texts)]
    assert has_few_outcomes(find_leaks(assertions, "", [])) is few
