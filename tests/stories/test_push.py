"""A push changes a description, and the commit gets told how it triggers now."""

import shutil
from pathlib import Path

from demo.play import HERE
from tests.stories.scene import PERSON, Scene

WISH = "trigger:\n  on_push: true\n"
OTHER = "name: release-notes\ndescription: Does things with lists.\n"


def push(scene: Scene, folder: Path, *, described: str | None = None, wish: str = WISH) -> str:
    """The sample with a wish of its own, and with another description of one skill."""
    shutil.copytree(HERE / "sample", folder)
    if wish:
        (folder / ".github").mkdir()
        (folder / ".github/skillbench.yml").write_text(wish)
    if described is not None:
        skill = folder / "release-notes/SKILL.md"
        _, _, body = skill.read_text().partition("\n---\n")
        skill.write_text(f"---\n{described}---\n{body}")
    return scene.repository.push(folder, by=PERSON)


def said_on(scene: Scene, commit: str) -> list[str]:
    comments = scene.repository.repository.commit_comments
    return [one.body for one in comments if one.commit == commit]


async def said(scene: Scene, commit: str) -> str:
    await scene.until(lambda: bool(said_on(scene, commit)), f"a comment on {commit[:7]}")
    (comment,) = said_on(scene, commit)
    return comment


async def test_a_changed_description_is_measured_and_the_commit_is_told(
    scene: Scene, tmp_path: Path
) -> None:
    """Each state in turn, the first one again at the end; two pushes change no description."""
    first = push(scene, tmp_path / "1")
    worse = push(scene, tmp_path / "2", described=OTHER)
    told = await said(scene, worse)
    assert "release-notes fires when it should in 0 of 6 queries" in told
    same = push(scene, tmp_path / "3", described=OTHER)
    back = push(scene, tmp_path / "4")
    assert "release-notes fires when it should in " in await said(scene, back)
    assert said_on(scene, first) == said_on(scene, same) == []
    assert not scene.repository.repository.pulls
    assert [scene.bot_comments(number) for number in (1, 2, 3)] == [[], [], []]


async def test_a_push_that_is_delivered_again_is_answered_once(
    scene: Scene, tmp_path: Path
) -> None:
    commit = push(scene, tmp_path / "1", described=OTHER)
    await said(scene, commit)
    await scene.github.deliveries_done()
    (delivery,) = [one for one in scene.github.deliveries if one.event == "push"]
    again = scene.github.redeliver(delivery)
    await scene.github.deliveries_done()
    assert again.status_code == 200
    assert len(said_on(scene, commit)) == 1


async def test_a_repository_that_asks_for_nothing_hears_nothing(
    scene: Scene, tmp_path: Path
) -> None:
    """Whatever is said afterwards comes behind it: requests of a repository take turns."""
    silent = push(scene, tmp_path / "1", described=OTHER, wish="")
    back = push(scene, tmp_path / "2")
    await said(scene, back)
    assert said_on(scene, silent) == []
