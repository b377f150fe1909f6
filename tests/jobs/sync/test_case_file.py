"""The shape of an eval file, and what of a file that is there stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.content.issue_case import draft_from_issue
from jobs.errors import Refused
from jobs.sync.case_file import case_fields, render_case_file

BODY = """\
## Skills
- word-count

## Language (Optional)
R

## Query
Zähle die Wörter.

## Expected Output
Eine Zahl.

## Attached Files / Input Context (Optional)
{files}

## Rubric Criteria (Assertions)
Form
- one line
- it says "3"
"""


def fields(files: str = "None", **changes: Any) -> dict[str, Any]:
    draft = draft_from_issue(7, BODY.replace("{files}", files))
    return case_fields(draft, ["word-count"]) | changes


def test_the_fields_stand_in_their_order_and_titles_of_groups_are_left_out() -> None:
    assert fields() == {
        "id": "github-issue-7",
        "prompt": "Zähle die Wörter.",
        "expected_output": "Eine Zahl.",
        "files": [],
        "assertions": ["one line", 'it says "3"'],
        "language": "R",
        "target_skills": ["word-count"],
    }
    assert list(fields()) == [
        *("id", "prompt", "expected_output", "files", "assertions", "language", "target_skills")
    ]


@pytest.mark.parametrize(
    ("written", "entries"),
    [
        ("- data/a.csv\n- data/b.csv", ["data/a.csv", "data/b.csv"]),
        ("* `data/a.csv`\n\n* none", ["`data/a.csv`"]),
        ("notes.md\nplan.txt", ["notes.md", "plan.txt"]),
        ("N/A", []),
        ("The visits of ten people.", ["The visits of ten people."]),
        ("Data:\n```r\nlibrary(x)\n```", ["Data:\n```r\nlibrary(x)\n```"]),
        ("- a.csv\n  with five columns", ["- a.csv\n  with five columns"]),
    ],
    ids=["list", "marks", "paths", "none", "prose", "code", "continued"],
)
def test_only_a_list_of_files_is_taken_apart(written: str, entries: list[str]) -> None:
    assert fields(written)["files"] == entries


def test_a_new_file_has_letters_as_they_are_and_ends_its_last_line() -> None:
    written = render_case_file(fields(), None)
    assert written is not None
    assert written.startswith('{\n  "id": "github-issue-7",\n  "prompt": "Zähle')
    assert written.endswith("]\n}\n")


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_file_that_is_there_keeps_its_spelling_and_its_own_keys(
    end: str, *, ascii_only: bool
) -> None:
    there = json.dumps({"note": "ours", **fields(prompt="Älter")}, ensure_ascii=ascii_only) + end
    written = render_case_file(fields(), there.encode())
    assert written is not None
    assert json.loads(written) == fields() | {"note": "ours"}
    assert written.endswith("\n") is bool(end)
    assert ("\\u" in written) is ascii_only
    assert render_case_file(fields(), written.encode()) is None


def test_other_names_of_a_field_and_what_the_issue_does_not_say_any_more_go() -> None:
    there = fields() | {"expectations": ["old"], "skill": "old", "environment": "r-pharma"}
    written = render_case_file(fields(), json.dumps(there).encode())
    assert written is not None
    assert json.loads(written) == fields()


@pytest.mark.parametrize(
    ("there", "words"),
    [
        (b"{", "is no JSON"),
        (b"\xff\xfe", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[]", "something else than one eval case"),
        (b'{"evals": []}', "something else than one eval case"),
    ],
)
def test_what_is_no_file_of_one_case_is_left_alone(there: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        render_case_file(fields(), there)


@given(st.text(), st.none() | st.binary() | st.dictionaries(st.text(), st.text()))
def test_any_text_of_an_issue_makes_a_file_that_says_the_same_when_it_is_written_again(
    body: str, there: bytes | dict[str, str] | None
) -> None:
    draft = draft_from_issue(7, BODY.replace("{files}", body) + body)
    wanted = case_fields(draft, draft.skills)
    content = json.dumps(there).encode() if isinstance(there, dict) else there
    try:
        written = render_case_file(wanted, content)
    except Refused:
        assert not isinstance(there, dict) or "evals" in there
        return
    assert written is not None
    assert json.loads(written).items() >= wanted.items()
    assert render_case_file(wanted, written.encode()) is None
