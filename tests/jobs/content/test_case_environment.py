"""An eval case may name an environment, and can do no more than name one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jobs.content.draft import CaseDraft
from jobs.content.file_cases import BrokenCase, drafts_from_file, drafts_from_skill
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.rubric import Statement
from jobs.content.sections import parse_sections
from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.values import EvalCase
from tests.jobs.content.trees import WORD_COUNT, write_tree

BODY = "## Skills\nword-count\n\n## Query\nCount.\n\n## Rubric Criteria\n- prints 42\n"
DRAFT = CaseDraft(
    id="x",
    source="file",
    place="`x.json`",
    prompt="Count.",
    expected_output="",
    statements=(Statement("prints 42"),),
    skills=("word-count",),
)
DIGEST_WITHOUT = "366534ebcd8d8798c4d72ce1dfef955364aabfd55420c927901fd6df85f06190"
"""Of `DRAFT`, as it was before cases could name an environment."""


def make(tmp_path: Path, draft: CaseDraft) -> EvalCase:
    snapshot = write_tree(tmp_path, {"word-count/SKILL.md": WORD_COUNT})
    return make_case(draft, snapshot, find_skills(snapshot))


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ("## Environment\nr-pharma\n", "r-pharma"),
        ("## environment (optional):\n\n- `r-pharma`\n", "r-pharma"),
        ("## Environment\n_No response_\n", ""),
        ("## Environment\nNone\n", ""),
        ("## Environment\n\n", ""),
        ("", ""),
    ],
)
def test_an_issue_names_one_in_a_section(section: str, named: str):
    assert draft_from_issue(7, BODY + section).environment == named
    assert draft_from_issue(7, section + BODY).environment == named


def test_the_sections_of_an_issue_form_are_on_their_own_level():
    body = BODY.replace("## ", "### ") + "### Environment\n\nr-pharma\n"
    assert draft_from_issue(7, body).environment == "r-pharma"


def test_a_heading_within_the_query_is_text():
    body = BODY.replace("Count.", "Count.\n\n### Environment\n\nWe use R 4.3 on Windows.")
    draft = draft_from_issue(7, body)
    assert draft.environment == ""
    assert draft.prompt == "Count.\n\n### Environment\n\nWe use R 4.3 on Windows."
    assert draft.remarks == ()


@pytest.mark.parametrize(
    "section",
    [
        "## Enviroment\nr-pharma\n",
        "### Environment\nr-pharma\n",
        "### Environment\n\n`R-Pharma`\n\n### Data\n120 rows\n",
        "## Environment: r-pharma\n",
    ],
)
def test_a_slip_in_the_title_is_remarked(section: str):
    """Else the sessions would run elsewhere, and nobody would know why."""
    for body in (BODY + section, BODY.replace("Count.\n", f"Count.\n\n{section}")):
        assert draft_from_issue(7, body).environment == ""
        [remark] = parse_sections(body).near_misses
        assert "write `## Environment`" in remark


@pytest.mark.parametrize(
    "below", ["Windows, at 20 °C", "windows\n\nand warm", "- windows", "windows\n- warm"]
)
def test_what_an_author_says_of_an_environment_is_no_slip(below: str):
    assert parse_sections(f"{BODY}### Environment\n{below}\n").near_misses == ()


def read(tmp_path: Path, environment: Any, *, beside: bool = False) -> CaseDraft | BrokenCase:
    """One case of a file of the repository's, or of a skill's own."""
    case = {"id": "a", "prompt": "Count.", "assertions": ["42"], "environment": environment}
    path = "word-count/evals/evals.json" if beside else "_automation/evals/a.json"
    content = json.dumps({"evals": [case]})
    snapshot = write_tree(tmp_path, {path: content, "word-count/SKILL.md": WORD_COUNT})
    found = (
        drafts_from_skill(snapshot, "word-count") if beside else drafts_from_file(snapshot, path)
    )
    [draft] = found
    return draft


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize(
    ("written", "named"),
    [("r-pharma", "r-pharma"), (" r-pharma\n", "r-pharma"), (None, ""), ("", ""), ("none", "")],
)
def test_json_names_one_under_its_key(
    tmp_path: Path, written: str | None, named: str, beside: bool
):
    draft = read(tmp_path, written, beside=beside)
    assert isinstance(draft, CaseDraft)
    assert draft.environment == named


@pytest.mark.parametrize("written", [{"image": "evil/box"}, ["r-pharma"], 1, True])
def test_json_cannot_define_one(tmp_path: Path, written: Any):
    draft = read(tmp_path, written)
    assert isinstance(draft, BrokenCase)
    assert "`environment` in `_automation/evals/a.json` must be the name" in draft.reason


@pytest.mark.parametrize("written", ["image: evil/box", "a b", "../x", "a\nb", "-x", "x" * 65])
def test_what_is_no_name_refuses_the_case(tmp_path: Path, written: str):
    with pytest.raises(Refused, match="must be one name and nothing else"):
        make(tmp_path, replace(DRAFT, environment=written))


def test_a_name_is_kept_in_lower_case_and_is_in_the_digest(tmp_path: Path):
    plain = make(tmp_path / "a", DRAFT)
    named = make(tmp_path / "b", replace(DRAFT, environment="R-Pharma"))
    same = make(tmp_path / "c", replace(DRAFT, environment="r-pharma"))
    assert (plain.environment, named.environment) == (None, "r-pharma")
    assert named.digest == same.digest != plain.digest


def test_a_case_without_one_keeps_the_digest_that_it_had(tmp_path: Path):
    """Finished runs are found again by it."""
    assert make(tmp_path, DRAFT).digest == DIGEST_WITHOUT
