"""An issue's body becomes the fields of an eval case."""

import pytest

from jobs.content.issue_case import draft_from_issue, read_language
from jobs.content.skill_names import read_skill_lines

BODY = """## Skills
word-count

## Query
Write a list like
- [ ] one
- [x] two

## Expected Output
A list

## Rubric Criteria (Assertions)
- [ ] has a table
- [X] has a title
"""


def test_a_query_is_verbatim_and_ticks_are_no_part_of_assertions():
    draft = draft_from_issue(7, BODY)
    assert draft.id == "github-issue-7"
    assert draft.prompt == "Write a list like\n- [ ] one\n- [x] two"
    assert [statement.text for statement in draft.statements] == ["has a table", "has a title"]
    assert draft.missing() == []


def test_line_ends_make_no_difference():
    assert draft_from_issue(7, BODY.replace("\n", "\r\n")) == draft_from_issue(7, BODY)


@pytest.mark.parametrize(
    ("gone", "named"),
    [
        ("## Query", "a prompt (section `Query`)"),
        ("## Skills", "a skill (section `Skills`)"),
        ("## Rubric Criteria (Assertions)", "`Rubric Criteria (Assertions)`"),
    ],
)
def test_a_missing_section_is_named(gone: str, named: str):
    [missing] = draft_from_issue(7, BODY.replace(gone, "## Something else")).missing()
    assert named in missing


def test_a_rubric_of_prose_says_how_to_write_assertions():
    body = BODY.replace("- [ ] has a table\n- [X] has a title", "It has a table, of course.")
    [missing] = draft_from_issue(7, body).missing()
    assert "beginning with a dash" in missing


def test_a_rubric_that_is_a_bare_path_is_one_statement():
    body = BODY.replace("- [ ] has a table\n- [X] has a title", "`word-count/bench/rubric.md`")
    [statement] = draft_from_issue(7, body).statements
    assert statement.text == "word-count/bench/rubric.md"


@pytest.mark.parametrize(
    ("section", "names"),
    [
        ("word-count", ["word-count"]),
        ("- `Word_Count`\n- csv-clean", ["`Word_Count`", "csv-clean"]),
        ("1. word-count (main)\n2. csv-clean", ["word-count (main)", "csv-clean"]),
        ("- [ ] word-count\n- [x] csv-clean", ["word-count", "csv-clean"]),
        ("[word-count](../tree/main/word-count)", ["[word-count](../tree/main/word-count)"]),
        ("| skill |\n|---|", []),
        ("| skill |\n|---|\n| word-count |", ["word-count"]),
        ("| skill | branch |\n|---|---|\n| word-count | main |", ["word-count"]),
        ("| # | Skill name |\n|---|---|\n| 1 | `word-count` |\n| 2 |", ["`word-count`"]),
        ("| branch | skill |\n|---|---|\n| main | word-count |", ["word-count"]),
        ("```\nword-count\n```", ["word-count"]),
        ("None", []),
        ("-", []),
        ("_No response_", []),
        ("<!-- nothing -->", []),
        ("", []),
    ],
)
def test_names_of_skills_are_read_out_of_lists_and_tables(section: str, names: list[str]):
    assert list(read_skill_lines(section)) == names


@pytest.mark.parametrize(
    ("section", "language"),
    [
        ("R", "R"),
        ("`R`", "R"),
        ("- R\n- Python", "R, Python"),
        ("None", None),
        ("N/A", None),
        ("_No response_", None),
        ("", None),
    ],
)
def test_the_language_is_a_word_or_none(section: str, language: str | None):
    assert read_language(section) == language
