"""A permission is withdrawn half-way: it is said once in the log, nothing is tried for ever."""

from pathlib import Path

import pytest

from tests.stories.scene import PERSON, Scene
from tests.stories.test_leaving import ended, running

NOT_GRANTED = "Resource not accessible by integration"


def withdraw_issues(scene: Scene) -> None:
    """An owner takes the permission Issues (write) back."""
    for method in ("POST", "PATCH", "DELETE"):
        on = f"{method} /repos/sample-org/skills/issues/*"
        scene.github.faults.answer(403, on=on, times=None, message=NOT_GRANTED)


def remove_repository(scene: Scene) -> None:
    """An owner takes the repository out of the installation: all of it answers 404."""
    scene.github.faults.answer(404, on="* /repos/sample-org/skills*", times=None)


def archive(scene: Scene) -> None:
    scene.repository.archive()


@pytest.mark.parametrize("withdraw", [withdraw_issues, remove_repository, archive])
async def test_what_is_withdrawn_ends_the_request_with_one_line_in_the_log(
    tmp_path: Path, app_key: str, withdraw, capfd: pytest.CaptureFixture[str]
) -> None:
    """No report, no further try, no second bill; the run is kept by the bot."""
    async with running(tmp_path, app_key) as (scene, gate):
        withdraw(scene)
        capfd.readouterr()
        gate.released.set()
        await ended(scene)
        await scene.github.deliveries_done()
        logged = capfd.readouterr().out
        assert logged.count("nowhere_to_answer") == 1
        assert "request_failed" not in logged
        assert scene.reports(1) == []
        refused = [one for one in scene.github.requests if one.status in {403, 404}]
        sent = [f"{one.method} {one.path}" for one in refused if one.method != "GET"]
        assert len(sent) == len(set(sent)), "the same is not tried twice"


async def test_once_it_is_given_back_the_result_is_found_and_not_paid_again(
    tmp_path: Path, app_key: str
) -> None:
    async with running(tmp_path, app_key) as (scene, gate):
        withdraw_issues(scene)
        gate.released.set()
        await ended(scene)
        paid = len(scene.stage.model_api.requests)
        scene.github.faults.clear()
        scene.repository.unlabel(1, "needs-benchmark", by=PERSON)
        scene.label(1)
        await scene.label_gone(1)
        assert "Measured before" in scene.bot_comments(1)[-1]
        assert len(scene.stage.model_api.requests) == paid
