"""The bot, its Redis or GitHub was away: whoever asked gets one answer, and nobody pays twice."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cli.serving import run_worker
from bot.github.app import GitHubApp
from bot.upkeep.late_posts import LatePosts
from bot.wiring import wired
from demo.play import PERSON
from jobs.requests import Request
from tests.stories.scene import WAIT_S, NoPacing, Scene, playing
from tests.stories.test_crash import environment_of


@pytest.fixture
async def idle(tmp_path: Path, app_key: str) -> AsyncIterator[Scene]:
    """A bot whose worker is not at work yet."""
    async with playing(tmp_path, app_key, worker=False) as scene:
        yield scene


@asynccontextmanager
async def at_work(scene: Scene, tmp_path: Path) -> AsyncIterator[None]:
    """A worker that starts now."""
    work = run_worker(scene.stage.settings, tmp_path / "work", pacer=NoPacing())
    working = asyncio.create_task(work)
    try:
        yield
    finally:
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def empty_redis(scene: Scene) -> None:
    async with Redis.from_url(scene.stage.settings.redis_url) as redis:
        await redis.flushall()


def hook_of(scene: Scene) -> tuple[str, str]:
    secret = scene.stage.settings.github_webhook_secret.get_secret_value()
    return f"{scene.stage.bot_url}/webhook", secret


async def test_what_was_asked_while_the_door_was_shut_is_answered(
    idle: Scene, tmp_path: Path
) -> None:
    """Neither delivery got through; both are asked for when the worker starts."""
    url, secret = hook_of(idle)
    idle.github.set_webhook("http://127.0.0.1:9/webhook", secret)
    idle.label(1)
    idle.comment(2, "@skillbench help")
    await idle.github.deliveries_done()
    idle.github.set_webhook(url, secret)
    async with at_work(idle, tmp_path):
        await idle.label_gone(1)
        await idle.until(lambda: bool(idle.bot_comments(2)), "the help")
        await idle.github.deliveries_done()
    assert len(idle.reports(1)) == 1
    assert len(idle.bot_comments(1)) == 2
    assert len(idle.bot_comments(2)) == 1
    redelivered = [one for one in idle.github.deliveries if one.is_redelivery]
    assert len(redelivered) == 2
    assert all(one.status == "OK" for one in redelivered)


async def test_what_waited_in_a_redis_that_was_emptied_is_carried_out(
    idle: Scene, tmp_path: Path
) -> None:
    """Both were answered with 202, so GitHub has no reason to send them again."""
    idle.label(1)
    comment = idle.comment(2, "@skillbench run scripted-demo")
    await idle.github.deliveries_done()
    await empty_redis(idle)
    async with at_work(idle, tmp_path):
        await idle.label_gone(1)
        await idle.reacted(2, comment, "rocket")
    assert len(idle.reports(1)) == 1
    assert len(idle.reports(2)) == 1


async def test_after_a_rebuild_nothing_finished_is_run_again(scene: Scene, tmp_path: Path) -> None:
    """Asked from another issue, where no comment tells of the run: only the ledger can know."""
    scene.label(2)
    await scene.label_gone(2)
    paid = len(scene.stage.model_api.requests)
    await empty_redis(scene)
    assert await rebuild(scene, "sample-org/skills") == (0, "sample-org/skills: 1 run\n")
    comment = scene.comment(1, "@skillbench run scripted-demo --eval github-issue-2")
    await scene.reacted(1, comment, "rocket")
    assert scene.reports(1) == []
    answer = scene.bot_comments(1)[-1]
    assert "Measured before" in answer
    assert "/issues/2#issuecomment-" in answer
    assert len(scene.stage.model_api.requests) == paid


async def test_a_rebuild_of_everything_names_each_repository_and_what_it_passed_over(
    scene: Scene,
) -> None:
    scene.github.add_repository("sleepy-org", "skills")
    scene.github.suspend("sleepy-org")
    code, said = await rebuild(scene, "--all")
    assert code == 0
    assert "sample-org/skills: 0 runs" in said
    assert "sleepy-org: skipped" in said


async def rebuild(scene: Scene, *arguments: str) -> tuple[int, str]:
    """The command, as an operator types it: its exit code and what it says."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "rebuild", *arguments),
        env=environment_of(scene.stage.settings),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return await process.wait(), said.decode()


@pytest.mark.slow
async def test_a_result_that_github_would_not_take_is_posted_when_it_is_back(
    idle: Scene, tmp_path: Path
) -> None:
    """After the last try it is kept; the asker gets one report, and it costs nothing more."""
    settings = idle.stage.settings
    blobs = Blobs(settings.blobs)
    idle.repository.label(1, "needs-benchmark", by=PERSON)
    request = Request.model_validate(
        {
            "key": "label:sample-org/skills#1",
            "repo": {
                "owner": "sample-org",
                "name": "skills",
                "installation_id": idle.github.installation_id,
            },
            "issue": 1,
            "asker": PERSON,
            "origin": "label",
            "asked_at": datetime.now(UTC),
        }
    )
    async with wired(settings, tmp_path / "first", pacer=NoPacing()) as wiring:
        carrying_out = asyncio.create_task(wiring.carry_out(request, True))
        await idle.until(lambda: bool(idle.bot_comments(1)), "the acknowledgement")
        idle.github.faults.answer(502, on="POST */comments", times=None)
        await asyncio.wait_for(carrying_out, 60)
    assert idle.reports(1) == []
    assert idle.repository.labels(1) == ["needs-benchmark"]
    paid = len(idle.stage.model_api.requests)
    idle.github.faults.clear()
    await empty_redis(idle)
    async with at_work(idle, tmp_path):
        await put_back(idle, after=timedelta(hours=1))
        await late_gone(blobs)
    assert idle.repository.labels(1) == ["benchmarked"]
    assert len(idle.reports(1)) == 1
    assert "Finished: 1 report" in idle.bot_comments(1)[0]
    assert len(idle.stage.model_api.requests) == paid


async def late_gone(blobs: Blobs) -> None:
    """Wait until nothing is kept to be posted any more."""
    async with asyncio.timeout(WAIT_S):
        while [one async for one in blobs.walk("late")]:
            await asyncio.sleep(0.05)


async def put_back(scene: Scene, *, after: timedelta) -> None:
    """The chore, as it would be done so much later."""
    settings = scene.stage.settings
    async with Redis.from_url(settings.redis_url) as redis, GitHubApp(settings) as github:
        blobs = Blobs(settings.blobs)
        later = datetime.now(UTC) + after
        await LatePosts(app=github, redis=redis, blobs=blobs, clock=lambda: later).run()
