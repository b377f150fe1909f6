"""The page of the queue on a running bot: what it shows happens, what its buttons do is told."""

import asyncio
import re
from pathlib import Path

import httpx
from redis.asyncio import Redis

from bot.store.ledger import RedisLedger
from demo.model_api import Gate, HttpError, ScriptedModelApi, Stall
from tests.stories.scene import WAIT_S, Scene, playing
from tests.stories.test_crash import is_judging

TOO_LONG = HttpError(status=429, type="rate_limit_error", headers={"retry-after": "600"})


async def press(scene: Scene, what: str, field: str) -> str:
    """Press the first button of its kind; gives the page that comes then."""
    async with httpx.AsyncClient(base_url=scene.stage.bot_url, follow_redirects=True) as client:
        page = (await client.get("/queue")).text
        form = re.search(
            rf'action="/queue/{what}"><input type="hidden" name="key" value="(\w+)">'
            rf'<input type="hidden" name="{field}" value="([^"]+)">',
            page,
        )
        assert form is not None, page
        answer = await client.post(f"/queue/{what}", data={"key": form[1], field: form[2]})
        return answer.raise_for_status().text


async def until_shown(scene: Scene, words: str) -> str:
    """Wait until the page says something; gives it."""
    async with asyncio.timeout(WAIT_S):
        while words not in (page := await scene.get("/queue")):
            await asyncio.sleep(0.1)
    return page


async def let_runs_have_taken(seconds: float, scene: Scene) -> None:
    """Rewrite in the ledger how long the sessions of past runs took."""
    async with Redis.from_url(scene.stage.settings.redis_url) as redis:
        ledger = RedisLedger(redis)
        for one in await ledger.records(scene.repository.full_name):
            took = dict.fromkeys(one.wall_s or {}, seconds)
            await ledger.note(one.model_copy(update={"wall_s": took}))


async def test_what_runs_is_shown_with_its_run_and_stopped_by_a_button(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(), Gate()
    api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        scene.label(1)
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        page = await until_shown(scene, 'class="parts"')
        run = re.search(rf'href="(/repos/{scene.repository.full_name}/runs/[0-9a-f]+)"', page)
        assert run is not None
        assert "github-issue-1" in await scene.get(run[1])
        assert "The request is cancelled." in await press(scene, "cancel", "reference")
        await scene.label_gone(1)
        [said] = scene.bot_comments(1)
        assert "### 🛑 Cancelled by the operator" in said
        assert "Nothing is running." in await until_shown(scene, "Nothing is running.")


async def test_a_run_without_a_score_is_shown_and_asked_for_again_by_a_button(
    tmp_path: Path, app_key: str
) -> None:
    api = ScriptedModelApi()
    api.fail(TOO_LONG, times=10, when=lambda asked: not is_judging(asked))
    async with playing(tmp_path, app_key, model_api=api) as scene:
        asked = scene.comment(2, "@skillbench run scripted-demo")
        await scene.reacted(2, asked, "confused")
        page = await until_shown(scene, "no score")
        assert "It came to no score; the report says why." in page
        before = len(scene.reports(2))
        assert "It is asked for again." in await press(scene, "retry", "failure")
        await scene.until(lambda: len(scene.reports(2)) > before, "the second report")
        assert "asked for again" in await scene.get("/queue")
        assert "/queue/retry" not in await scene.get("/queue")


async def test_until_when_a_request_will_have_ended_is_told_where_past_runs_say(
    tmp_path: Path, app_key: str
) -> None:
    api, gate = ScriptedModelApi(), Gate()
    async with playing(tmp_path, app_key, model_api=api, max_requests_overall=1) as scene:
        scene.label(1)
        await scene.label_gone(1)
        await let_runs_have_taken(3600, scene)  # else the next one's end is expected at once
        api.fail(Stall(gate=gate), times=1, when=lambda asked: not is_judging(asked))
        asked = scene.comment(1, "@skillbench run scripted-demo --force")
        await asyncio.wait_for(gate.reached.wait(), WAIT_S)
        waits = scene.comment(2, "@skillbench run scripted-demo")
        page = await until_shown(scene, "ends about")
        assert '<span class="unseen">place </span>1' in page
        gate.released.set()
        await scene.reacted(1, asked, "rocket")
        await scene.reacted(2, waits, "rocket")
