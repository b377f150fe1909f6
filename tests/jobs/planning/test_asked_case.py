"""Which eval case is run where the issue is none: nothing is guessed, everything is named."""

import json
from pathlib import Path

import pytest

from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.planning.asked_case import find_asked_case
from jobs.values import EvalCase
from tests.builders import A_COMMIT, a_request, an_issue

QUESTION = "How do I install this? The page says nothing about it."
HALF = "## Skills\n\n- csv\n\n## Query\n\nProfile it."


def write_skill(root: Path, name: str, cases: int) -> None:
    folder = root / name
    folder.mkdir()
    text = f"---\nname: {name}\ndescription: Does {name} when asked.\n---\nDo it.\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    files = root / "_automation" / "evals"
    files.mkdir(parents=True, exist_ok=True)
    for number in range(cases):
        case = {
            "id": f"{name}-{number}",
            "prompt": "Do it.",
            "target_skills": [name],
            "assertions": ["It is done"],
        }
        (files / f"{name}-{number}.json").write_text(json.dumps(case), encoding="utf-8")


def find(root: Path, body: str = QUESTION, **changes: object) -> EvalCase:
    snapshot = Snapshot(root, A_COMMIT, "skills")
    issue = an_issue(number=21, body=body)
    return find_asked_case(a_request(**changes), snapshot, find_skills(snapshot), issue)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_skill(tmp_path, "csv", 1)
    write_skill(tmp_path, "pdf", 2)
    write_skill(tmp_path, "docx", 0)
    return tmp_path


def test_on_an_issue_about_something_else_one_is_asked_which_case_is_meant(root: Path) -> None:
    with pytest.raises(Refused) as refusal:
        find(root)
    assert str(refusal.value) == (
        "This issue is no eval case, so say which one is meant:\n\n"
        "- `--eval` with one of `csv-0`, `pdf-0` and `pdf-1`\n"
        "- or `--skill` with one of `csv` and `pdf`"
    )


def test_the_only_case_of_a_skill_is_run_for_its_name(root: Path) -> None:
    assert find(root, skill="csv").id == "csv-0"


def test_of_several_cases_none_is_picked(root: Path) -> None:
    with pytest.raises(Refused, match=r"`pdf-0` and `pdf-1`\. Name one with `--eval`"):
        find(root, skill="pdf")


def test_a_skill_without_a_case_is_told_so(root: Path) -> None:
    with pytest.raises(Refused, match="no other one is about the skill `docx`"):
        find(root, skill="docx")


def test_a_case_that_is_named_is_taken_wherever_it_is_asked_for(root: Path) -> None:
    assert find(root, eval_id="pdf-1").id == "pdf-1"


@pytest.mark.parametrize("skill", [None, "csv"])
def test_half_a_case_is_mended_and_not_replaced(root: Path, skill: str | None) -> None:
    with pytest.raises(Refused, match="lacks assertions"):
        find(root, HALF, skill=skill)


def test_a_repository_without_cases_learns_how_an_issue_becomes_one(tmp_path: Path) -> None:
    write_skill(tmp_path, "docx", 0)
    with pytest.raises(Refused, match="the sections `Skills`, `Query` and `Rubric Criteria`"):
        find(tmp_path)
