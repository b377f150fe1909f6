"""The issue, or the comment that asked, is not there any more when the run has ended."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from demo.model_api import Gate, ScriptedModelApi, Stall
from tests.stories.scene import PERSON, WAIT_S, Scene, playing
from tests.stories.test_cancel import lacks_skill


@asynccontextmanager
async def running(tmp_path: Path, app_key: str) -> AsyncIterator[tuple[Scene, Gate]]:
    """Issue 1 is labelled, and the session without the skill waits at the gate.

    What it gives behind the gate is no work; so it would be with the skill, and the score other.
    """
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lacks_skill)
    async with playing(tmp_path, app_key, model_api=api) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        yield scene, gate


async def ended(scene: Scene) -> None:
    """Wait until the one request has ended, and not for another try."""
    async with asyncio.timeout(WAIT_S):
        while 'skillbench_requests_total{outcome="ended"} 1.0' not in await scene.get("/metrics"):
            await asyncio.sleep(0.05)


def transfer(scene: Scene) -> None:
    target = scene.github.add_repository("other-org", "attic", installed=False)
    scene.repository.transfer_issue(1, target, by=PERSON)


def delete(scene: Scene) -> None:
    scene.repository.delete_issue(1, by=PERSON)


@pytest.mark.parametrize("leave", [transfer, delete])
async def test_an_issue_that_leaves_meanwhile_ends_its_request(
    tmp_path: Path, app_key: str, leave: Callable[[Scene], None]
) -> None:
    """The run is kept in the archive; nothing is written anywhere else, and nothing retried."""
    async with running(tmp_path, app_key) as (scene, gate):
        leave(scene)
        sent = len(scene.github.requests)
        gate.released.set()
        await ended(scene)
        writes = [one for one in scene.github.requests[sent:] if one.method != "GET"]
        assert not any("other-org" in one.path for one in writes)
        assert [one.path.rpartition("/")[2] for one in writes if one.status < 300] == [
            "releases",
            "assets",
        ]


async def test_the_report_follows_an_issue_to_where_the_app_is_installed(
    tmp_path: Path, app_key: str
) -> None:
    """Whoever asked looks for the answer on their issue, wherever it is by now."""
    async with running(tmp_path, app_key) as (scene, gate):
        target = scene.github.add_repository("sample-org", "attic")
        moved = scene.repository.transfer_issue(1, target, by=PERSON)
        sent = len(scene.github.requests)
        gate.released.set()
        await ended(scene)
        bodies = [comment.body for comment in target.issue(moved.number).comments]
        assert len([body for body in bodies if "<!-- skillbench:v1 " in body]) == 1
        writes = [one for one in scene.github.requests[sent:] if one.method != "GET"]
        told = [one for one in writes if "/issues/" in one.path and one.status < 300]
        assert len(told) == 1, "nothing but the report"


async def test_what_a_locked_issue_could_not_be_told_is_known_when_it_is_opened_again(
    tmp_path: Path, app_key: str
) -> None:
    """Paid once: the second label leads to the archive of the first run."""
    async with running(tmp_path, app_key) as (scene, gate):
        scene.repository.lock(1, by=PERSON)
        gate.released.set()
        await ended(scene)
        assert scene.reports(1) == []
        paid = len(scene.stage.model_api.requests)
        scene.repository.issue(1).is_locked = False
        scene.repository.unlabel(1, "needs-benchmark", by=PERSON)
        scene.label(1)
        await scene.label_gone(1)
        answer = scene.bot_comments(1)[-1]
        assert "Measured before" in answer
        assert "/benchmark-results-" in answer
        assert len(scene.stage.model_api.requests) == paid


@pytest.mark.parametrize("command", ["run", "trigger", "dataset sample-care basic"])
async def test_nothing_is_paid_for_on_an_issue_that_is_locked(
    scene: Scene, command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """No report could be posted there; whoever runs the bot reads why, once."""
    scene.repository.comment(1, by=PERSON, body="Hello")
    scene.repository.lock(1, by=PERSON)
    capfd.readouterr()
    scene.comment(1, f"@skillbench {command}")
    await ended(scene)
    await scene.github.deliveries_done()
    assert capfd.readouterr().out.count("nowhere_to_answer") == 1
    assert scene.stage.model_api.requests == []
    writes = [one for one in scene.github.requests if "/issues/" in one.path]
    assert len([one for one in writes if one.method == "POST"]) <= 1


async def test_a_command_that_was_deleted_is_carried_out_once(scene: Scene) -> None:
    """Written, corrected, deleted: three deliveries, one run, and no reaction is missed."""
    comment = scene.comment(2, "@skillbench run scripted-demo")
    body = "@skillbench run scripted-demo (typo fixed)"
    scene.repository.edit_comment(comment, by=PERSON, body=body)
    scene.repository.delete_comment(comment, by=PERSON)
    await scene.until(lambda: "benchmarked" in scene.repository.labels(2), "the end of the run")
    assert len(scene.reports(2)) == 1
    assert len(scene.bot_comments(2)) == 2
