"""The repository's own file is checked where it is changed: beside the commit."""

from pathlib import Path

from demo.github.check_actions import CheckActions
from demo.github.records import Check
from demo.play import PERSON
from tests.stories.pushes import push
from tests.stories.scene import Scene

FILE = ".github/skillbench.yml"


def config_checks(scene: Scene, commit: str) -> list[Check]:
    checks = scene.repository.repository.checks
    return [one for one in checks if (one.commit, one.name) == (commit, "skillbench config")]


async def config_check(scene: Scene, commit: str) -> Check:
    await scene.until(lambda: bool(config_checks(scene, commit)), "the check of the file")
    [check] = config_checks(scene, commit)
    return check


async def test_a_push_with_a_slip_is_annotated_and_the_next_one_is_green(
    scene: Scene, tmp_path: Path
) -> None:
    bad = push(scene, tmp_path / "bad", {FILE: "models: [haiku]\nlauncher: clade-code\n"})
    check = await config_check(scene, bad)
    assert (check.status, check.conclusion) == ("completed", "failure")
    [remark] = check.annotations
    assert (remark["path"], remark["start_line"], remark["title"]) == (FILE, 2, "launcher")
    assert remark["message"] == ("it must be `api` or `claude-code`. Did you mean `claude-code`?")
    good = push(scene, tmp_path / "good", {FILE: "models: [haiku]\n"})
    assert (await config_check(scene, good)).conclusion == "success"
    assert len(config_checks(scene, bad)) == 1


async def test_its_button_does_the_check_again(scene: Scene, tmp_path: Path) -> None:
    """GitHub may have been away when it was written, or the bot may be younger than it."""
    commit = push(scene, tmp_path / "bad", {FILE: "launcher: clade-code\n"})
    check = await config_check(scene, commit)
    check.title = "Lost"
    person = scene.github.site.account(PERSON)
    CheckActions(scene.github.site).rerequest(scene.repository.repository, check, person)
    await scene.until(lambda: check.title == "The file cannot be used: 1 problem", "the check")
    assert (check.status, check.conclusion) == ("completed", "failure")
    assert config_checks(scene, commit) == [check]


async def test_a_push_that_leaves_the_file_alone_has_no_such_check(
    scene: Scene, tmp_path: Path
) -> None:
    commit = push(scene, tmp_path / "other", {"notes.txt": "x"})
    later = push(scene, tmp_path / "later", {FILE: "trials: 2\n"})
    await config_check(scene, later)
    assert config_checks(scene, commit) == []
