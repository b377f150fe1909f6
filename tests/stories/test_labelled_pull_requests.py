"""The label on a pull request asks for what `run` does there; a new base needs a new check run."""

from pathlib import Path

from demo.play import PERSON
from tests.stories.pulls import check_on, ended, mark_eval, open_fork, open_pull, pulls_of, tree
from tests.stories.scene import Scene


async def test_the_label_asks_for_the_comparison_and_comes_off_with_its_end(
    scene: Scene, tmp_path: Path
) -> None:
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.label(number)
    await scene.label_gone(number)
    assert "### ⚪ No difference in 1 run" in await ended(scene, number)
    assert len(scene.reports(number)) == 1
    scene.label(number)
    await scene.label_gone(number)
    assert "measured before" in scene.bot_comments(number)[-1]
    assert len(scene.bot_comments(number)) == 3


async def test_on_a_fork_it_is_told_how_to_ask(scene: Scene, tmp_path: Path) -> None:
    """A label names no commit; whoever put it there may not have looked at this one."""
    mark_eval(scene)
    number = open_fork(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.label(number)
    await scene.label_gone(number)
    (answer,) = scene.bot_comments(number)
    assert f"comment `@skillbench run @{pulls_of(scene).head(number)}`" in answer
    assert scene.stage.model_api.requests == []


async def test_who_may_not_spend_labels_in_vain(scene: Scene, tmp_path: Path) -> None:
    scene.github.add_person("rudi", {"sample-org/skills": "triage"})
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.label(number, by="rudi")
    await scene.until(lambda: bool(scene.bot_comments(number)), "an answer")
    assert "only people with write permission" in scene.bot_comments(number)[0]


async def test_another_base_makes_the_check_run_anew(scene: Scene, tmp_path: Path) -> None:
    """What was measured there is about another comparison."""
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.comment(number, "@skillbench run")
    await ended(scene, number)
    await check_on(scene, number, "No difference")
    other = tree(tmp_path / "2", files={"csv-profile/notes.txt": "Notes"})
    place = scene.repository.repository
    place.branches["next"] = place.branches[place.default_branch]
    scene.repository.push(other, by=PERSON, branch="next")
    pulls_of(scene).retarget(number, "next", by=PERSON)
    check = await check_on(scene, number, "Not measured yet")
    assert check.conclusion == "neutral"
