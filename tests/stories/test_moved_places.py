"""The repository changes under a run: it is archived, or gets another name."""

from pathlib import Path

from tests.stories.test_leaving import ended, running


async def test_a_run_in_a_repository_that_was_archived_is_kept_and_not_paid_again(
    tmp_path: Path, app_key: str
) -> None:
    """Nothing can be written there; once it can, the second label finds what the first paid."""
    async with running(tmp_path, app_key) as (scene, gate):
        scene.repository.archive()
        gate.released.set()
        await ended(scene)
        paid = len(scene.stage.model_api.requests)
        refused = [one for one in scene.github.requests if one.status == 403]
        assert len(refused) <= 3, "no retry loop"
        scene.repository.archive(is_archived=False)
        scene.repository.unlabel(1, "needs-benchmark", by="maria")
        scene.label(1)
        await scene.label_gone(1)
        assert "Measured before" in scene.bot_comments(1)[-1]
        assert len(scene.stage.model_api.requests) == paid
        [reason] = endings(tmp_path)
        assert "archived" in reason


def endings(tmp_path: Path) -> list[str]:
    """Why requests have ended before their time, as the blob store keeps it."""
    kept = (tmp_path / "data/blobs/requests").glob("*/ended")
    return [reason for reason in (place.read_text() for place in kept) if reason]


async def test_a_report_reaches_a_repository_under_its_new_name(
    tmp_path: Path, app_key: str
) -> None:
    """GitHub redirects; nobody has to ask again."""
    async with running(tmp_path, app_key) as (scene, gate):
        scene.repository.rename("abilities")
        gate.released.set()
        await scene.label_gone(1)
        [report] = scene.reports(1)
        assert "Higher with the skill" in report
        assert scene.reactions(1) == ["eyes", "rocket"]
