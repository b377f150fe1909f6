"""What becomes of an eval issue, whatever stands in it or in the place of its file."""

import json
from pathlib import Path
from typing import Any

import pytest

from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.ports import Issue
from jobs.sync.outcomes import (
    MOST_ISSUES,
    Outcome,
    changed_files,
    find_left_behind,
    find_outcomes,
)
from jobs.sync.proposal import Synced, render_answer, render_pull_request, render_title
from tests.builders import an_issue
from tests.jobs.sync.bodies import render_issue

FOLDER = "evals/files"
PATH = f"{FOLDER}/github-issue-7.json"
CASE = {
    "id": "github-issue-7",
    "prompt": "Count.",
    "expected_output": "3",
    "files": [],
    "assertions": ["It says 3"],
    "target_skills": ["count"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A commit with one skill and the folder of eval files."""
    (tmp_path / "skills" / "count").mkdir(parents=True)
    (tmp_path / "skills" / "count" / "SKILL.md").write_text(
        "---\nname: count\ndescription: Counts.\n---\nCount.\n"
    )
    (tmp_path / FOLDER).mkdir(parents=True)
    return tmp_path


def an_eval(number: int = 7, **changes: Any) -> Issue:
    return an_issue(number=number, body=render_issue({**CASE, **changes}))


def outcome(root: Path, issue: Issue) -> Outcome:
    snapshot = Snapshot(root, "c" * 40)
    [found] = find_outcomes([issue], FOLDER, snapshot, find_skills(snapshot))
    return found


def test_a_new_case_is_added_under_its_number(root: Path) -> None:
    found = outcome(root, an_eval())
    assert (found.word, found.path, found.assertions) == ("added", PATH, 1)
    assert json.loads(found.text) == CASE
    assert changed_files([found]) == {PATH: found.text}


def test_skills_are_written_by_the_names_that_find_them(root: Path) -> None:
    found = outcome(root, an_eval(target_skills=["`count`", "skills/count"]))
    assert json.loads(found.text)["target_skills"] == ["count", "skills/count"]


def test_a_skill_that_is_not_there_is_remarked_upon(root: Path) -> None:
    found = outcome(root, an_eval(target_skills=["r2rtf"]))
    assert found.word == "added"
    assert found.remarks == ("This repository has no skill `r2rtf`.",)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"assertions": []}, "it lacks assertions"),
        ({"prompt": ""}, "it lacks a prompt"),
        ({"target_skills": []}, "it lacks a skill"),
        ({"prompt": "count/prompt.md"}, "`count/prompt.md`"),
        ({"assertions": [f"Is {number}" for number in range(201)]}, "201 assertions"),
    ],
)
def test_what_is_no_case_is_skipped_with_the_reason(
    root: Path, changes: dict[str, Any], reason: str
) -> None:
    found = outcome(root, an_eval(**changes))
    assert found.word == "skipped"
    assert reason in found.reason
    assert changed_files([found]) == {}


def test_a_link_in_the_place_of_the_file_is_left_alone(root: Path) -> None:
    (root / "secret.json").write_text("{}")
    (root / PATH).symlink_to("../../secret.json")
    assert "is a link" in outcome(root, an_eval()).reason
    (root / PATH).unlink()
    (root / PATH).symlink_to("nowhere")
    assert "is a link" in outcome(root, an_eval()).reason


def test_a_folder_that_is_a_link_is_left_alone(root: Path) -> None:
    (root / FOLDER).rmdir()
    (root / "elsewhere").mkdir()
    (root / FOLDER).symlink_to("../elsewhere")
    (root / "elsewhere" / "github-issue-7.json").write_text("{}")
    assert "lies in one" in outcome(root, an_eval()).reason


def test_a_folder_in_the_place_of_the_file_is_left_alone(root: Path) -> None:
    (root / PATH).mkdir()
    assert outcome(root, an_eval()).word == "skipped"


def test_files_of_issues_that_are_none_any_more_are_named(root: Path) -> None:
    for name in ("github-issue-7.json", "github-issue-8.json", "other.json"):
        (root / FOLDER / name).write_text("{}")
    found = find_left_behind([an_eval()], FOLDER, Snapshot(root, "c" * 40))
    assert found == ["github-issue-8.json"]


def test_very_many_issues_are_bounded_and_fit_into_what_is_said(root: Path) -> None:
    snapshot = Snapshot(root, "c" * 40)
    issues = [
        an_eval(number).model_copy(update={"title": "@all | <b> `x`" * 20, "author": "`[x](y)"})
        for number in range(1, MOST_ISSUES + 3)
    ]
    found = find_outcomes(issues, FOLDER, snapshot, find_skills(snapshot))
    assert len(found) == MOST_ISSUES
    synced = Synced(
        outcomes=found,
        labels=("eval",),
        folder=FOLDER,
        left_out=len(issues) - MOST_ISSUES,
        asker="mona",
        mention="@skillbench",
    )
    for text in (render_pull_request(synced), render_answer(synced, None)):
        assert len(text.encode()) < 65_000
        assert "2 issues more than the 500 of one sync" in text
        assert "@all" not in text
        assert "[x](y)" not in text
    assert render_title(synced) == "Bring 500 eval cases of issues up to date"
