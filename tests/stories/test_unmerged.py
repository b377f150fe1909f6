"""What was measured on a pull request says nothing of the default branch until it lies there."""

from pathlib import Path

from demo.play import PERSON
from tests.stories.pulls import check_on, ended, mark_eval, open_pull, pulls_of, tree
from tests.stories.pushes import check_done
from tests.stories.scene import Scene


async def asked(scene: Scene, issue: int, command: str) -> str:
    """The answer to a command that reads."""
    before = len(scene.bot_comments(issue))
    scene.comment(issue, f"@skillbench {command}")
    await scene.until(lambda: len(scene.bot_comments(issue)) > before, f"an answer to {command}")
    return scene.bot_comments(issue)[-1]


async def test_a_run_against_no_skill_becomes_a_result_with_the_merge_and_is_not_paid_again(
    scene: Scene, tmp_path: Path
) -> None:
    mark_eval(scene)
    number = open_pull(scene, tree(tmp_path / "1", "Be brief."))
    await check_on(scene, number)
    scene.comment(number, "@skillbench run --vs none")
    await ended(scene, number)
    (report,) = scene.reports(number)
    assert f'"issue": {number}, "pull": {number}, ' in report
    assert "Nothing was measured in this repository yet" in await asked(scene, 1, "results")
    assert "1 measured case" in await asked(scene, number, "results")
    assert "csv-profile" not in await asked(scene, 2, "summary")
    paid = len(scene.stage.model_api.requests)
    pulls_of(scene).close(number, by=PERSON)
    merged = scene.repository.push(tree(tmp_path / "2", "Be brief."), by=PERSON)
    check = await check_done(scene, merged)
    assert check.title == "Nothing to measure: known at this version"
    assert "1 measured case" in await asked(scene, 1, "results")
    assert len(scene.stage.model_api.requests) == paid
