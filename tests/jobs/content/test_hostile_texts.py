"""Whatever strangers write gives an eval case or a refusal, and soon."""

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.content.cases import all_cases, find_case
from jobs.content.draft import CaseDraft
from jobs.content.file_cases import BrokenCase
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.rubric import Statement, parse_rubric
from jobs.content.shelf import SkillShelf
from jobs.content.skill_file import parse_skill_file
from jobs.content.skills import find_skills
from jobs.errors import Refused
from tests.jobs.content.trees import WORD_COUNT, write_tree

ISSUE_CHARACTERS = 65_536
"""The longest body that GitHub stores."""

TITLES = (
    "## Skills\n", "### Language\r\n", "## Query\n", "## Expected Output\n",
    "## Attached Files / Input Context (Optional)\n", "## Rubric Criteria (Assertions)\n",
)  # fmt: skip
PIECES = (
    *TITLES, "word-count\n", "- ", "1. ", "# ", "```\n", "~~~", "> ", "| a | b |\n", "|---|---|\n",
    "<!--", "-->", "`", "[x](", ")", "../", "/etc/passwd\n", "None, ", "_No response_\n",
    "data/a.csv", "\t", "    ", "\r", "\0", "<details>\n", "**", "\n\n", "- [x] ", "\ud83e", ".",
)  # fmt: skip


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> SkillShelf:
    root = tmp_path_factory.mktemp("hostile")
    return find_skills(
        write_tree(root, {"word-count/SKILL.md": WORD_COUNT, "data/a.csv": "1", "a": "- x"})
    )


def case_or_refusal(body: str, shelf: SkillShelf) -> None:
    """Read a body to the end; raises whatever is not a refusal."""
    draft = draft_from_issue(1, body)
    if draft.missing():
        return
    with suppress(Refused):
        case = make_case(draft, shelf.snapshot, shelf)
        assert case.model_dump_json()
        texts = [case.prompt, case.expected_output, *case.notes]
        texts += [assertion.text for assertion in case.assertions]
        assert not any("\r" in text or text.isspace() for text in texts)


@settings(max_examples=150, deadline=None)
@given(body=st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_body_gives_a_case_or_a_refusal(shelf: SkillShelf, body: str):
    case_or_refusal(body, shelf)


@settings(max_examples=150, deadline=None)
@given(fields=st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), min_size=6))
def test_any_answers_in_the_template_give_a_case_or_a_refusal(shelf: SkillShelf, fields: list[str]):
    pairs = zip(TITLES, fields, strict=False)
    case_or_refusal("".join(f"{title}{field}\n" for title, field in pairs), shelf)


@settings(max_examples=100, deadline=None)
@given(texts=st.lists(st.text(max_size=50) | st.sampled_from(PIECES), min_size=4, max_size=4))
def test_any_strings_in_json_give_a_case_or_a_refusal(shelf: SkillShelf, texts: list[str]):
    prompt, expected, assertion, file = texts
    draft = CaseDraft(
        id="x",
        source="file",
        place="`x`",
        prompt=prompt.encode("utf-8", "replace").decode(),
        expected_output=expected.encode("utf-8", "replace").decode(),
        statements=(Statement(assertion.encode("utf-8", "replace").decode()),),
        files=(file.encode("utf-8", "replace").decode(),),
        skills=("word-count",),
    )
    with suppress(Refused):
        assert make_case(draft, shelf.snapshot, shelf).model_dump_json()


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=200) | st.lists(st.sampled_from(
    ("---\n", "name: ", "description: ", "a", ": ", "\n", "- ", "&a ", "*a ", "{", "[", "|\n", "!")
)).map(lambda parts: ("---\n" + "".join(parts)).encode()))  # fmt: skip
def test_any_skill_file_is_read_or_refused(content: bytes):
    with suppress(Refused):
        found = parse_skill_file(content, "x/SKILL.md", "x")
        assert found.name
        assert "/" not in found.name


@pytest.mark.parametrize(
    "piece",
    [
        "[", "](", "[a](", "*", "_", "**a", "`", "<", "<a ", "<!--", "> ", "- ", "1. ", "#", "| ",
        "|a|\n|-|\n", "\\", "&", "![", "a/", "./", "../", "a.b ", "```\n", "- a\n", "  - ", "(",
        "- [ ] ", "\n", "x", "é", "=\n", "a\n=\n", "-", "~~~", "None, ", "http://a/blob/b/", "))",
        "`a.b` ",
    ],
)  # fmt: skip
def test_a_body_of_one_thing_repeated_is_read_in_seconds(shelf: SkillShelf, piece: str):
    """The bound is wide: what it must not be is quadratic, which takes minutes."""
    filling = (piece * ISSUE_CHARACTERS)[: ISSUE_CHARACTERS // 12]
    body = "".join(f"{title}{filling}\n" for title in TITLES)
    started = time.process_time()
    case_or_refusal(body, shelf)
    parse_rubric(filling * 3)
    assert time.process_time() - started < 15


@pytest.mark.parametrize("title", [title.strip("#\r\n ") for title in TITLES])
@pytest.mark.parametrize(
    "piece",
    ["-", "*", "_", '"', "'", "`", "[", "<!--", "a", "a/", "`<!--", "No ", "(", "• a (\nX\n"],
)
def test_one_section_of_one_thing_is_read_in_seconds(shelf: SkillShelf, title: str, piece: str):
    """At full length, and with an end that makes a pattern which backtracks try everything."""
    filling = (piece * ISSUE_CHARACTERS)[:60_000] + "x"
    fields = {"Skills": "word-count", "Query": "q", "Rubric Criteria (Assertions)": "- a"}
    fields[title] = filling
    started = time.process_time()
    case_or_refusal("".join(f"## {key}\n{value}\n" for key, value in fields.items()), shelf)
    assert time.process_time() - started < 15


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from(("word-count", "data/a.csv", "None", "1. a", "\ud83e", "a\0b", "a" * 300)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(("text", "path", "name", "x")), inner, max_size=3
    ),
    max_leaves=6,
)  # fmt: skip
JSON_KEYS = (
    "id", "prompt", "expected_output", "files", "assertions", "expectations", "language",
    "target_skills", "skill_name", "skill", "evals",
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    content=JSON_VALUES
    | st.dictionaries(st.sampled_from(JSON_KEYS), JSON_VALUES)
    | st.lists(st.dictionaries(st.sampled_from(JSON_KEYS), JSON_VALUES), max_size=3)
)
def test_any_json_gives_cases_or_what_is_wrong_with_them(shelf: SkillShelf, content: object):
    path = shelf.snapshot.root / "_automation/evals/any.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    for case in all_cases(shelf.snapshot, shelf):
        if isinstance(case, BrokenCase):
            assert case.reason.encode()
        else:
            assert case.model_dump_json()
    with suppress(Refused):
        assert find_case("any", shelf.snapshot, shelf).id == "any"


@settings(max_examples=150, deadline=None)
@given(content=st.binary(max_size=60))
def test_any_bytes_in_an_eval_file_break_that_file_alone(shelf: SkillShelf, content: bytes):
    path = shelf.snapshot.root / "_automation/evals/any.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    assert all(case.id for case in all_cases(shelf.snapshot, shelf))
