"""Commands in comments, as the people on the thread see them answered."""

import asyncio

from tests.stories.scene import PERSON, Scene


async def test_a_run_command_is_carried_out_and_reacted_to(scene: Scene) -> None:
    """👀 on the command itself, 🚀 at its end."""
    comment = scene.comment(2, "@skillbench run scripted-demo\r\n\r\nBecause it changed.\r\n")
    await scene.reacted(2, comment, "rocket")
    assert scene.reactions(2, comment) == ["eyes", "rocket"]
    [report] = scene.reports(2)
    assert "scripted-demo" in report
    assert "\r" not in report


async def test_help_lists_the_commands_and_starts_nothing(scene: Scene) -> None:
    """The way in for everybody."""
    scene.comment(2, "@skillbench help :)")
    await scene.until(lambda: bool(scene.bot_comments(2)), "the help")
    assert "`@skillbench run" in scene.bot_comments(2)[0]
    assert scene.stage.model_api.requests == []


async def test_an_unknown_model_is_refused_with_the_nearest(scene: Scene) -> None:
    """Before any session: a wrong name costs nothing."""
    comment = scene.comment(2, "@skillbench run scripted-dmo")
    await scene.reacted(2, comment, "confused")
    assert "scripted-demo" in scene.bot_comments(2)[-1]
    assert scene.reports(2) == []


async def test_a_reader_may_not_spend(scene: Scene) -> None:
    """One polite line, no run."""
    scene.github.add_person("rudi", {"sample-org/skills": "read"})
    scene.comment(2, "@skillbench run scripted-demo", by="rudi")
    await scene.until(lambda: bool(scene.bot_comments(2)), "the refusal")
    await scene.github.deliveries_done()
    assert len(scene.bot_comments(2)) == 1
    assert "write" in scene.bot_comments(2)[0]
    assert scene.stage.model_api.requests == []


async def test_two_people_asking_for_the_same_run_share_one(scene: Scene) -> None:
    """One bill, two answers."""
    first = scene.comment(2, "@skillbench run scripted-demo")
    second = scene.comment(2, "@skillbench run scripted-demo")
    await asyncio.gather(scene.reacted(2, first, "rocket"), scene.reacted(2, second, "rocket"))
    assert len(scene.reports(2)) == 1
    assert sum("done before" in body or "Measured before" in body for body in scene.bot_comments(2))


async def test_force_measures_again(scene: Scene) -> None:
    """The asker has the last word."""
    first = scene.comment(2, "@skillbench run scripted-demo")
    await scene.reacted(2, first, "rocket")
    second = scene.comment(2, "@skillbench run scripted-demo --force")
    await scene.reacted(2, second, "rocket")
    assert len(scene.reports(2)) == 2


async def test_an_edit_that_changes_no_command_starts_nothing(scene: Scene) -> None:
    """A corrected typo is no second bill."""
    comment = scene.comment(2, "@skillbench run scripted-demo")
    await scene.reacted(2, comment, "rocket")
    scene.repository.edit_comment(
        comment, by=PERSON, body="@skillbench run scripted-demo\n\n(typo fixed)"
    )
    await scene.github.deliveries_done()
    probe = scene.comment(2, "@skillbench help")
    assert probe
    await scene.until(lambda: "show the commands" in scene.bot_comments(2)[-1], "the help")
    assert len(scene.reports(2)) == 1
