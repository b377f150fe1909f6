"""A push changes a description: measured anew where the repository's file wants it."""

import shutil
from pathlib import Path

from demo.play import PERSON
from tests.stories.scene import Scene, playing
from tests.stories.triggers import SAMPLE, ask, queries

WISH = "trigger:\n  on_push: true\n"
BETTER = "description: Writes release notes from the git history, for users of a new version."


def push(scene: Scene, folder: Path, *, wish: str = WISH, description: str = "") -> str:
    """Push the samples with the repository's file, and another description of one skill."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SAMPLE, folder)
    (folder / ".github").mkdir()
    (folder / ".github/skillbench.yml").write_text(wish)
    if description:
        skill = folder / "release-notes/SKILL.md"
        lines = skill.read_text().split("\n")
        lines[2] = description
        skill.write_text("\n".join(lines))
    return scene.repository.push(folder, by=PERSON)


def said_on(scene: Scene, commit: str) -> list[str]:
    comments = scene.repository.repository.commit_comments
    return [one.body for one in comments if one.commit == commit]


async def test_a_push_that_changes_a_description_is_answered_on_its_commit(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key) as scene:
        push(scene, tmp_path / "tree")
        commit = push(scene, tmp_path / "tree", description=BETTER)
        await scene.until(lambda: bool(said_on(scene, commit)), "the report")
        [report] = said_on(scene, commit)
        assert "fires when it should in " in report
        assert "<!-- skillbench:trigger:v1 " in report
        assert len(queries(scene)) == 30


async def test_a_push_is_passed_over_where_nobody_wants_it_measured(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key) as scene:
        push(scene, tmp_path / "tree", wish="")
        commit = push(scene, tmp_path / "tree", wish="", description=BETTER)
        await scene.github.deliveries_done()
        await ask(scene, "@skillbench trigger --skill nosuch")
        assert said_on(scene, commit) == []
        assert scene.stage.model_api.requests == []


async def test_a_push_that_would_cost_too_much_says_so_on_its_commit(
    tmp_path: Path, app_key: str
) -> None:
    async with playing(tmp_path, app_key, max_tokens_per_run=100_000) as scene:
        push(scene, tmp_path / "tree")
        commit = push(scene, tmp_path / "tree", description=BETTER)
        await scene.until(lambda: bool(said_on(scene, commit)), "the answer")
        assert "more than the limit of 100,000 tokens" in said_on(scene, commit)[0]
        assert queries(scene) == []
