"""What a person reads when something breaks: always an answer, never a false number."""

from pathlib import Path

from demo.model_api import Reply, ScriptedModelApi
from tests.stories.scene import Scene, playing


async def test_a_report_whose_answer_was_lost_is_not_posted_twice(scene: Scene) -> None:
    """GitHub took the comment and the connection broke before it could say so."""
    scene.github.faults.drop_connection(on="POST */comments", times=1, after_effect=True)
    scene.label(1)
    await scene.label_gone(1)
    assert len(scene.reports(1)) == 1
    assert len(scene.bot_comments(1)) == 2


async def test_github_failing_for_a_while_loses_nothing(scene: Scene) -> None:
    """502s on reads and writes are waited out."""
    scene.github.faults.answer(502, on="GET */issues/*", times=1)
    scene.github.faults.answer(502, on="POST */comments", times=1)
    scene.label(1)
    await scene.label_gone(1)
    assert len(scene.reports(1)) == 1


async def test_an_archive_that_cannot_be_uploaded_is_said_in_the_report(scene: Scene) -> None:
    """The report matters more than its archive."""
    scene.github.faults.answer(403, on="POST */releases", times=20)
    scene.label(1)
    await scene.label_gone(1)
    [report] = scene.reports(1)
    assert "**No archive** of this run" in report


async def test_a_run_over_the_days_limit_is_refused_with_the_numbers(
    tmp_path: Path, app_key: str
) -> None:
    """Refused before the first model call."""
    async with playing(tmp_path, app_key, max_usd_per_day="4", max_usd_per_run="5") as scene:
        scene.label(1)
        await scene.label_gone(1)
        last = scene.bot_comments(1)[-1]
        assert "4.00 USD" in last
        assert "5.00 USD" in last
        assert scene.stage.model_api.requests == []
        assert scene.reactions(1)[-1] == "confused"


async def test_an_owner_who_is_not_allowed_spends_nothing(tmp_path: Path, app_key: str) -> None:
    """Anyone can install a public App."""
    async with playing(tmp_path, app_key, allowed_owners="somebody-else") as scene:
        scene.label(1)
        await scene.until(lambda: bool(scene.bot_comments(1)), "the refusal")
        assert "SKILLBENCH_ALLOWED_OWNERS" in scene.bot_comments(1)[0]
        assert scene.stage.model_api.requests == []


async def test_two_sessions_that_leave_nothing_are_no_success(tmp_path: Path, app_key: str) -> None:
    """0 % against 0 % of nothing: said plainly, without a rocket, and the judge is not paid."""
    api = ScriptedModelApi(behaviour=lambda _: Reply(text=""))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        scene.label(1)
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert "\n## ⚠️ Neither session produced anything" in report
        assert any("neither session produced anything" in said for said in scene.bot_comments(1))
        assert "rocket" not in scene.reactions(1)
        assert scene.reactions(1)[-1] == "confused"
