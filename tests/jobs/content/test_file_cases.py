"""What JSON says is taken as it stands; what is wrong breaks its own case and no other."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.content.draft import CaseDraft
from jobs.content.file_cases import BrokenCase, drafts_from_file, drafts_from_skill
from jobs.content.rubric import Statement
from tests.jobs.content.trees import WORD_COUNT, Content, write_tree

PATH = "_automation/evals/first.json"
WHOLE: dict[str, Any] = {
    "id": "github-issue-7",
    "prompt": "Count words.\r\n",
    "expected_output": "A number",
    "files": ["data/a.csv"],
    "assertions": ["prints 42"],
    "language": "R",
    "target_skills": ["word-count"],
}


def read(tmp_path: Path, content: Any, path: str = PATH) -> list[CaseDraft | BrokenCase]:
    text: Content = content if isinstance(content, str | bytes) else json.dumps(content)
    snapshot = write_tree(tmp_path, {path: text, "word-count/SKILL.md": WORD_COUNT})
    if path == PATH:
        return drafts_from_file(snapshot, path)
    return drafts_from_skill(snapshot, "word-count")


def read_one(tmp_path: Path, **changed: Any) -> CaseDraft:
    [draft] = read(tmp_path, {**WHOLE, **changed})
    assert isinstance(draft, CaseDraft), draft
    return draft


def test_all_fields_are_read(tmp_path: Path):
    assert read_one(tmp_path) == CaseDraft(
        id="github-issue-7",
        source="file",
        place=f"`{PATH}`",
        prompt="Count words.",
        expected_output="A number",
        statements=(Statement("prints 42"),),
        files=("data/a.csv",),
        language="R",
        skills=("word-count",),
        folders=(".", "_automation/evals"),
        own_path=PATH,
    )


@pytest.mark.parametrize(
    ("changed", "field", "value"),
    [
        ({"id": None}, "id", "first"),
        ({"id": 12}, "id", "12"),
        ({"language": None}, "language", None),
        ({"language": "None"}, "language", None),
        ({"prompt": ["Count", "words."]}, "prompt", "Count\nwords."),
        ({"prompt": "_No response_"}, "prompt", ""),
        ({"expected_output": 42}, "expected_output", "42"),
        ({"expected_output": None}, "expected_output", ""),
        ({"expected_output": "None"}, "expected_output", "None"),
        ({"prompt": "half \ud83e a pair"}, "prompt", "half \ufffd a pair"),
        ({"prompt": "a\0b"}, "prompt", "a\ufffdb"),
        ({"files": "data/a.csv"}, "files", ("data/a.csv",)),
        ({"files": None}, "files", ()),
        ({"files": [{"path": "data/a.csv"}]}, "files", ("data/a.csv",)),
        ({"target_skills": "word-count"}, "skills", ("word-count",)),
        ({"target_skills": ["a, b", "None"]}, "skills", ("a, b",)),
        ({"target_skills": None, "skill": "a"}, "skills", ("a",)),
        ({"assertions": ["a", "", " _No response_ "]}, "statements", (Statement("a"),)),
        ({"assertions": [{"text": "a"}, {"description": "b"}]}, "statements",
         (Statement("a"), Statement("b"))),
        ({"assertions": None, "expectations": ["a"]}, "statements", (Statement("a"),)),
        ({"assertions": ["1. a", "2. b"]}, "statements", (Statement("a"), Statement("b"))),
    ],
)  # fmt: skip
def test_fields_in_other_shapes_are_read_too(
    tmp_path: Path, changed: dict[str, Any], field: str, value: object
):
    assert getattr(read_one(tmp_path, **changed), field) == value


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"id": [1]}, "`id`"),
        ({"id": True}, "`id`"),
        ({"id": "x" * 300}, "`id`"),
        ({"prompt": {"a": 1}}, "`prompt`"),
        ({"prompt": True}, "`prompt`"),
        ({"expected_output": [1]}, "`expected_output`"),
        ({"assertions": ["a", 3]}, "Entry 2 of `assertions`"),
        ({"assertions": [{"x": "a"}]}, "Entry 1 of `assertions`"),
        ({"files": [["a"]]}, "Entry 1 of `files`"),
        ({"target_skills": 5}, "`target_skills`"),
        ({"language": ["a", 1]}, "`language`"),
    ],
)
def test_a_field_of_the_wrong_type_is_named_with_its_file(
    tmp_path: Path, changed: dict[str, Any], named: str
):
    [broken] = read(tmp_path, {**WHOLE, **changed})
    assert isinstance(broken, BrokenCase)
    assert named in broken.reason
    assert f"`{PATH}`" in broken.reason
    assert broken.path == PATH


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "line 1"),
        ('{\n"id": }', "line 2"),
        ("", "line 1"),
        (b"\xff\xfe{\0", "0xff at offset 0"),
        ("[" * 100_000, "no JSON"),
        ('{"id": ' + "9" * 10_000 + "}", "no JSON"),
        ("x" * 1_100_000, "1 MB"),
        ("3", "an object is needed"),
        ('"text"', "an object is needed"),
        ('{"evals": {"id": 1}}', "`evals`"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_broken_case(
    tmp_path: Path, content: str | bytes, named: str
):
    [broken] = read(tmp_path, content)
    assert isinstance(broken, BrokenCase)
    assert broken.id == "first"
    assert named in broken.reason


def test_a_byte_order_mark_is_no_error(tmp_path: Path):
    [draft] = read(tmp_path, b"\xef\xbb\xbf" + json.dumps(WHOLE).encode())
    assert isinstance(draft, CaseDraft)


def test_one_bad_case_in_a_list_leaves_the_others(tmp_path: Path):
    nameless = {**WHOLE, "id": None}
    first, second, third = read(tmp_path, [{**WHOLE, "prompt": True}, 5, nameless])
    assert isinstance(first, BrokenCase)
    assert first.id == "github-issue-7"
    assert isinstance(second, BrokenCase)
    assert second.id == "first#2"
    assert isinstance(third, CaseDraft)
    assert third.id == "first#3"


def test_a_skill_s_own_cases_are_named_after_its_path(tmp_path: Path):
    content = {
        "skill_name": "word-count",
        "evals": [{**WHOLE, "id": 1}, {"prompt": "p", "expectations": ["a"]}, {"id": {}}],
    }
    first, second, third = read(tmp_path, content, "word-count/evals/evals.json")
    assert isinstance(first, CaseDraft)
    assert (first.id, first.source, first.skills) == ("word-count#1", "skill", ("word-count",))
    assert first.folders == ("word-count", "word-count/evals", ".")
    assert second.id == "word-count#2"
    assert isinstance(third, BrokenCase)
    assert third.id == "word-count#3"


def test_a_skill_without_cases_has_none(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"word-count/SKILL.md": WORD_COUNT})
    assert drafts_from_skill(snapshot, "word-count") == []
