"""Assertions are what readers see as items; titles of groups and marks are not part of them."""

import pytest

from jobs.content.rubric import (
    Statement,
    clean_strings,
    parse_rubric,
    reads_like_title,
    remarks_on_strings,
)


def texts(markdown: str) -> list[str]:
    return [found.text for found in parse_rubric(markdown)]


def test_sub_headings_are_groups():
    assert parse_rubric(
        "### Structure\n- has a title\n\n### Values:\n- total is 9\n- mean is 3"
    ) == [
        Statement("has a title", "Structure"),
        Statement("total is 9", "Values"),
        Statement("mean is 3", "Values"),
    ]


@pytest.mark.parametrize(
    "markdown",
    [
        "Style\n- one pipe per step\n- # REVIEW: note at the cut-off\nQC readiness\n- script runs",
        (
            "**Style**\n\n- one pipe per step\n- # REVIEW: note at the cut-off\n\n"
            "**QC readiness**\n\n- script runs"
        ),
        "Style:\n* one pipe per step\n* # REVIEW: note at the cut-off\nQC readiness\n* script runs",
        (
            "- Style\n  - one pipe per step\n  - # REVIEW: note at the cut-off\n- QC readiness\n"
            "  - script runs"
        ),
        (
            "- Style:\n  - one pipe per step\n  - # REVIEW: note at the cut-off\n- QC readiness:\n"
            "  - script runs"
        ),
        (
            "Style\n---\n- one pipe per step\n- # REVIEW: note at the cut-off\n\n"
            "QC readiness\n---\n- script runs"
        ),
    ],
)
def test_bare_lines_between_items_are_groups_too(markdown: str):
    assert parse_rubric(markdown) == [
        Statement("one pipe per step", "Style"),
        Statement("# REVIEW: note at the cut-off", "Style"),
        Statement("script runs", "QC readiness"),
    ]


def test_a_bare_line_right_after_an_item_s_text_is_a_group_or_the_sentence_s_end():
    markdown = (
        "- one pipe per step\nQC readiness\n- all present: A, B,\nC at minimum\n"
        "- the upper bound of\nHR is low\n- says so (and\nMore)\n- wraps\n  Indented here"
    )
    assert parse_rubric(markdown) == [
        Statement("one pipe per step", None),
        Statement("all present: A, B, C at minimum", "QC readiness"),
        Statement("the upper bound of HR is low", "QC readiness"),
        Statement("says so (and More)", "QC readiness"),
        Statement("wraps Indented here", "QC readiness"),
    ]


@pytest.mark.parametrize(
    "markdown",
    [
        ("1. names three groups\n2. compares two plans\n-. checks by simulation\n"
        "7.  explains overlap"),
        ("1. names three groups\n2. compares two plans\n. checks by simulation\n"
        "7.  explains overlap"),
        ("1) names three groups\n2) compares two plans\n(3) checks by simulation\n"
        "(4)explains overlap"),
        "1.names three groups\n2.compares two plans\n2.checks by simulation\n3.explains overlap",
        ("- 1. names three groups\n- 2. compares two plans\n- . checks by simulation\n"
        "- 7.  explains overlap"),
        "• names three groups\n• compares two plans\n– checks by simulation\n• explains overlap",
        "-names three groups\n-compares two plans\n-checks by simulation\n-explains overlap",
        ("- [ ] names three groups\n- [x] compares two plans\n- [X] checks by simulation\n"
        "* [ ]  explains overlap"),
        "☐ names three groups\n☑ compares two plans\n✅ checks by simulation\n☐ explains overlap",
        ("> - names three groups\n> - compares two plans\n>\n> + checks by simulation\n"
        "> + explains overlap"),
        ("```markdown\n- names three groups\n- compares two plans\n- checks by simulation\n"
        "- explains overlap\n```"),
        ("| # | Assertion | Points |\n|--|--|--|\n| 1 | names three groups | 2 |\n"
        "| 2 | compares two plans | 1 |\n| 3 | checks by simulation | |\n| 4 | explains overlap |"),
        ("- names three groups\n-\n- compares two plans\n- \n- checks by simulation\n"
        "- explains overlap\n- _No response_\n- [ ]"),
    ],
    ids=[
        "dash-dot", "lone-dot", "brackets", "unspaced-numbers", "numbers-in-bullets", "bullets",
        "unspaced-dashes", "boxes", "drawn-boxes", "quoted", "fenced", "table", "empty-items",
    ],
)  # fmt: skip
def test_every_kind_of_list_gives_the_same_assertions(markdown: str):
    assert texts(markdown) == [
        "names three groups",
        "compares two plans",
        "checks by simulation",
        "explains overlap",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1.5 is the mean",
        ".5 is the mean",
        "-1 is returned",
        "2024 is the year",
        "`- [ ]` is printed",
        "# REVIEW: stays",
        "x || y holds for all <rows>",
        "`a | b` is used",
        "*all* rows are **kept**",
    ],
)
def test_what_belongs_to_the_text_is_kept(text: str):
    assert texts(f"- {text}\n- next") == [text, "next"]


def test_what_stands_below_an_item_belongs_to_it():
    markdown = "- the total is right:\n\n  ```\n  9\n  ```\n- it holds because of\n  - rounding\n"
    assert texts(markdown) == [
        "the total is right:\n```\n9\n```",
        "it holds because of\n- rounding",
    ]


def test_a_table_of_numbers_keeps_what_each_number_is():
    table = "| metric | expected | weight |\n|--|--|--|\n| mean | 3 | 1 |\n| `sd` | 0.5 | 2 |"
    assert texts(table) == ["metric: mean; expected: 3", "metric: `sd`; expected: 0.5"]


def test_a_column_of_criteria_leads_the_row():
    table = "| ID | Criterion | Tolerance |\n|--|--|--|\n| A-1 | total is 9 | 0.1 |"
    assert texts(table) == ["total is 9 (Tolerance: 0.1)"]


@pytest.mark.parametrize(
    "markdown",
    [
        "",
        "See the attached rubric.",
        "### Only\n### Headings",
        "| a |\n|--|",
        "-",
        "- \n- ",
        "_No response_",
        "***",
        "<p>html</p>",
    ],
)
def test_a_rubric_without_items_has_no_assertions(markdown: str):
    assert texts(markdown) == []


@pytest.mark.parametrize(
    ("text", "is_title"),
    [
        ("QC readiness", True),
        ("Platform-wide FWER quantification", True),
        ("**Style**", True),
        ("If there are too few rows:", True),
        ("Script runs", False),
        ("the output is 0", False),
        ("using the package", False),
        ("plot.png exists", False),
        ("Total N <= 700", False),
        ("Power is reported for all of the hypotheses", False),
        ("", False),
    ],
)
def test_a_title_is_told_from_a_statement(text: str, is_title: bool):
    assert reads_like_title(text) is is_title


def test_strings_that_look_like_titles_or_are_cut_are_remarked_upon_and_kept():
    titles, cut = remarks_on_strings(["QC readiness", "all present: A, B,", "script runs"])
    assert "A1 (`QC readiness`)" in titles
    assert "A2" in cut
    assert remarks_on_strings(["script runs", "the output is 0"]) == []


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        (["1. a", "2. b", ". c", "7.  d"], ["a", "b", "c", "d"]),
        (["3. is the third root", "b"], ["3. is the third root", "b"]),
        ([" a ", "# REVIEW: b"], ["a", "# REVIEW: b"]),
    ],
)
def test_strings_lose_their_numbers_only_if_they_were_a_numbered_list(
    written: list[str], cleaned: list[str]
):
    assert clean_strings(written) == cleaned


def test_items_that_are_all_bold_are_items():
    assert texts("- **Structure**\n- **Values**") == ["**Structure**", "**Values**"]
    assert texts("- **Structure** is there\n- **Values**: present") == [
        "**Structure** is there",
        "**Values**: present",
    ]
