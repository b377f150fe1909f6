"""Eval issues become files by one pull request, which people review and merge."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from demo.github.pull_actions import PullActions
from demo.play import PERSON
from tests.stories.scene import Scene, playing, steady
from tests.stories.triggers import seeded

GOLDEN = Path(__file__).parent / "golden"
CASE = """\
## Skills
- csv-profile

## Query
Count the rows of "a,b".

## Expected Output
The number 0.

## Rubric Criteria (Assertions)
- It says 0
- Es nennt die Zahl „null“
"""
STRANGER = "visitor"
BRANCH = "skillbench/sync-evals"


@pytest.fixture
async def scene(tmp_path: Path, app_key: str) -> AsyncIterator[Scene]:
    """Three eval issues: one that is whole, half a one, and one of a stranger (4)."""
    async with playing(tmp_path, app_key) as running:
        running.github.add_person(STRANGER)
        handle = running.repository
        handle.label(1, "benchmark", by=PERSON)
        handle.label(3, "eval", by=PERSON)
        title = "x | @maria `y` <b>"
        handle.open_issue(author=STRANGER, title=title, body=CASE, labels=["eval"])
        yield running


async def sync(scene: Scene, issue: int = 1) -> str:
    """Ask for a sync and wait for its end; gives the answer."""
    comment = scene.comment(issue, "@skillbench sync")
    ends = {"rocket", "confused"}
    await scene.until(lambda: bool(ends & set(scene.reactions(issue, comment))), "the end")
    return scene.bot_comments(issue)[-1]


def pulls(scene: Scene) -> list[int]:
    return sorted(scene.repository.repository.pulls)


def proposed(scene: Scene, number: int) -> dict[str, str]:
    """The files that a pull request adds or changes, by name."""
    repository = scene.repository.repository
    assert repository.head is not None
    head = repository.commits[repository.branches[repository.pulls[number].head]]
    changed = head.changed_since(repository.head)
    assert changed["removed"] == []
    paths = changed["added"] + changed["modified"]
    assert all(path.startswith("_automation/evals/") for path in paths)
    return {path.rpartition("/")[2]: head.entries[path].content.decode() for path in paths}


async def test_eval_issues_become_files_in_one_pull_request(scene: Scene) -> None:
    answer = await sync(scene)
    [number] = pulls(scene)
    said = steady(answer).partition("\n")[2]  # below the hidden tag
    assert said == (GOLDEN / "sync_answer.md").read_text(encoding="utf-8")
    pull = scene.repository.issue(number)
    assert pull.title == "Bring 2 eval cases of issues up to date"
    assert pull.author.login == scene.github.bot_login
    expected = (GOLDEN / "sync_pull_request.md").read_text(encoding="utf-8")
    assert steady(pull.body) == expected
    files = proposed(scene, number)
    assert files["github-issue-4.json"] == (GOLDEN / "sync_case.json").read_text(encoding="utf-8")
    assert json.loads(files["github-issue-1.json"])["files"] == ["csv-profile/examples/visits.csv"]
    assert sorted(files) == ["github-issue-1.json", "github-issue-4.json"]


async def test_what_changed_since_moves_the_same_pull_request_forward(scene: Scene) -> None:
    await sync(scene)
    [number] = pulls(scene)
    repository = scene.repository.repository
    first = repository.branches[BRANCH]
    await sync(scene)
    assert repository.branches[BRANCH] == first
    scene.repository.edit_issue(4, by=STRANGER, body=CASE.replace("null", "0"))
    await sync(scene)
    assert pulls(scene) == [number]
    assert repository.commits[repository.branches[BRANCH]].parents == (first,)
    assert "„0“" in proposed(scene, number)["github-issue-4.json"]


async def test_a_branch_that_people_committed_to_is_left_as_it_is(
    scene: Scene, tmp_path: Path
) -> None:
    await sync(scene)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "notes.txt").write_text("by hand")
    theirs = scene.repository.push(tmp_path / "theirs", by=PERSON, branch=BRANCH)
    scene.repository.edit_issue(4, by=STRANGER, body=CASE.replace("null", "0"))
    answer = await sync(scene)
    assert "Somebody has committed to the branch `skillbench/sync-evals`" in answer
    assert scene.repository.repository.branches[BRANCH] == theirs


async def test_once_merged_there_is_nothing_to_change_and_later_a_new_pull_request(
    scene: Scene,
) -> None:
    await sync(scene)
    [first] = pulls(scene)
    person = scene.github.site.account(PERSON)
    handle = scene.repository
    PullActions(scene.github.site).merge(handle.repository, handle.issue(first), person)
    answer = await sync(scene)
    assert "### 📄 Eval cases: nothing to change" in answer
    assert "2 unchanged, 1 skipped" in answer
    assert pulls(scene) == [first]
    handle.edit_issue(4, by=STRANGER, body=CASE.replace("null", "0"))
    answer = await sync(scene)
    assert "1 changed, 1 unchanged, 1 skipped" in answer
    second = pulls(scene)[-1]
    assert second != first
    assert list(proposed(scene, second)) == ["github-issue-4.json"]


async def test_one_that_people_closed_is_followed_by_a_new_one(scene: Scene) -> None:
    await sync(scene)
    [first] = pulls(scene)
    scene.repository.close(first, by=PERSON)
    answer = await sync(scene)
    second = pulls(scene)[-1]
    assert second != first
    assert f"[Pull request #{second}]" in answer
    assert not scene.repository.issue(first).is_open


async def test_issues_that_lose_their_label_leave_the_open_pull_request(scene: Scene) -> None:
    """Whatever was proposed and is wanted no more is taken out of the proposal."""
    await sync(scene)
    [number] = pulls(scene)
    scene.repository.unlabel(4, "eval", by=PERSON)
    scene.repository.unlabel(1, "benchmark", by=PERSON)
    await sync(scene)
    assert proposed(scene, number) == {}
    assert "this can be closed" in scene.repository.issue(number).body


async def test_a_repository_without_eval_issues_is_told_how_they_are_known(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key) as scene:
        answer = await sync(scene)
        assert "No open issue bears the label `benchmark` or `eval`." in answer
        assert pulls(scene) == []


async def test_a_missing_permission_is_named(scene: Scene) -> None:
    scene.github.withdraw("contents", left="read")
    answer = await sync(scene)
    assert "grant it the repository permission *Contents: write*" in answer.replace("&#42;", "*")


async def test_the_label_of_an_eval_case_syncs_where_the_repository_says_so(
    tmp_path: Path, app_key: str
) -> None:
    """Nobody asked in words, so the pull request is the only answer."""
    files = {".github/skillbench.yml": "evals: {sync: true}\n"}
    async with playing(tmp_path, app_key, seed=seeded(tmp_path, files)) as scene:
        scene.repository.label(1, "eval", by=PERSON)
        await scene.until(lambda: bool(pulls(scene)), "the pull request")
        assert list(proposed(scene, pulls(scene)[0])) == ["github-issue-1.json"]
        scene.repository.open_issue(author=PERSON, title="More", body=CASE, labels=["benchmark"])
        await scene.until(lambda: len(proposed(scene, pulls(scene)[0])) == 2, "the second file")
        assert len(pulls(scene)) == 1
        assert scene.bot_comments(1) == []
