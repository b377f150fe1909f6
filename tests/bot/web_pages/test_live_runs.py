"""A run that goes on is told to everybody who may see it, as it changes, until it ends."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from bot.app import create_app
from bot.cli.server import Server, make_config
from bot.cli.serving import listen
from bot.embedded_redis import embedded_redis
from bot.store.live_sessions import HELD, LiveWriter
from bot.store.seen_repos import RedisSeenRepos
from bot.web.followers import MOST_FOLLOWERS
from jobs.alongside import alongside
from jobs.values import Arm
from tests.bot.sse import UPDATE_S, WAIT_S, Watcher, text_of, watching
from tests.bot.web import some_settings
from tests.bot.web_pages.live_seed import (
    ADDRESS,
    HOSTILE,
    REPO,
    RUN,
    LiveStage,
    a_head,
    a_move,
    a_reading,
    an_arm,
    live_stage,
)

EVENTS = f"{ADDRESS}/events"
FOLLOWERS = 200


@pytest.fixture
async def stage(redis_url: str) -> AsyncIterator[LiveStage]:
    async with live_stage(redis_url) as made:
        yield made


async def seen(stage: LiveStage) -> None:
    """Wait until the run can be seen."""
    async with asyncio.timeout(WAIT_S):
        async for _ in stage.reader.follow(RUN):
            if await stage.reader.look(RUN) is not None:
                return


async def test_a_run_is_told_turn_by_turn(stage: LiveStage) -> None:
    stage.show_second_trial()
    await seen(stage)
    async with watching(stage.client, EVENTS) as watcher:
        news = await watcher.until(lambda text: "6 turns of 100" in text)
        assert "runs Bash" in text_of(news)
        assert "3 failed calls, 1 retry" in text_of(news)
        assert "2 of 2 readings" in text_of(news)
        assert news["said"] == "Running, trial 2 of 3."
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 7))
        news = await watcher.until(lambda text: "7 turns of 100" in text)
        assert "the model thinks" in text_of(news)
        assert news["said"] == "Running, trial 2 of 3.", "no milestone was reached"
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 8, end="no_output"))
        news = await watcher.until(lambda text: "finished without any output" in text)
        assert news["said"] == "Running, trial 2 of 3. With the skill: finished without any output."
        stage.writer.show(RUN, a_reading(1, 2))
        stage.writer.move(RUN, a_move("judging", "trial 2 of 3"))
        await watcher.until(lambda text: "First order reads, answer 2" in text)
        stage.writer.move(RUN, a_move("ended"))
        assert await watcher.ended() == "ended"


async def test_who_connects_again_is_not_told_what_they_have_seen(stage: LiveStage) -> None:
    stage.show_second_trial()
    await seen(stage)
    async with watching(stage.client, EVENTS) as watcher:
        await watcher.until(lambda text: "6 turns" in text)
        assert watcher.last is not None
        last = watcher.last.id
    assert last
    async with watching(stage.client, EVENTS, seen=last) as watcher:
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 7))
        assert "7 turns" in text_of(json.loads((await watcher.next()).data))


async def test_what_a_model_calls_its_tools_breaks_out_of_nothing(stage: LiveStage) -> None:
    stage.writer.begin(a_head().model_copy(update={"eval_id": HOSTILE, "asker": HOSTILE}))
    odd = an_arm(Arm.WITH_SKILL, 1, 2, tools={HOSTILE: 3}, doing=HOSTILE)
    stage.writer.show(RUN, odd)
    stage.writer.move(RUN, a_move("running", HOSTILE))
    await seen(stage)
    page = (await stage.client.get(ADDRESS)).raise_for_status().text
    assert "<script>alert" not in page
    assert "\u202e" not in page
    async with watching(stage.client, EVENTS) as watcher:
        news = await watcher.until(lambda text: "2 turns" in text)
    assert all("<script>" not in part for part in news["parts"].values())


async def test_two_hundred_who_watch_one_run_take_one_connection(stage: LiveStage) -> None:
    stage.show_second_trial()
    await seen(stage)
    base, limits = str(stage.client.base_url), httpx.Limits(max_connections=None)
    before = (await stage.redis.info("clients"))["connected_clients"]
    async with httpx.AsyncClient(base_url=base, limits=limits) as many, AsyncExitStack() as stack:
        watchers: list[Watcher] = [
            await stack.enter_async_context(watching(many, EVENTS)) for _ in range(FOLLOWERS)
        ]
        for watcher in watchers:
            await watcher.until(lambda text: "6 turns" in text, within_s=WAIT_S)
        now = (await stage.redis.info("clients"))["connected_clients"]
        assert now - before < 20
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 7))
        told = [
            watcher.until(lambda text: "7 turns" in text, within_s=WAIT_S) for watcher in watchers
        ]
        assert len(await asyncio.gather(*told)) == FOLLOWERS < MOST_FOLLOWERS


async def test_a_run_whose_worker_was_killed_is_not_shown_as_running(stage: LiveStage) -> None:
    async with (killed := LiveWriter(stage.redis)).writing():
        replace(stage, writer=killed).show_second_trial()
        await seen(stage)
    async with watching(stage.client, EVENTS) as watcher:
        await watcher.until(lambda text: "running trial 2 of 3" in text)
        # nobody tells it, and nobody renews the lease: what time does to it, done at once
        await stage.redis.zadd(HELD, {RUN: 1})
        news = await watcher.until(lambda text: "not heard of" in text, within_s=WAIT_S)
        assert "Another one takes the run up soon" in text_of(news)
    async with watching(stage.client, "/running/events") as watcher:
        await watcher.until(lambda text: not text)


async def test_a_cancelled_run_says_who_cancelled_it_and_is_followed_no_more(
    stage: LiveStage,
) -> None:
    stage.show_second_trial()
    await seen(stage)
    async with watching(stage.client, EVENTS) as watcher:
        stage.writer.move(RUN, a_move("stopped"))
        await watcher.until(lambda text: "interrupted" in text)
        stage.writer.move(RUN, a_move("cancelled", "by mona"))
        assert await watcher.ended() == "cancelled"
    page = (await stage.client.get(ADDRESS)).text
    assert "by mona" in page
    assert "data-live" not in page, "it would load itself anew without end"
    assert "http-equiv" not in page


async def test_what_runs_now_is_listed_for_who_may_see_it(stage: LiveStage) -> None:
    hidden = REPO.model_copy(update={"name": "unheard-of"})
    async with watching(stage.client, "/running/events") as watcher:
        await watcher.until(lambda text: not text)
        stage.writer.begin(a_head("f" * 12, hidden))
        stage.writer.move("f" * 12, a_move("running"))
        stage.show_second_trial()
        news = await watcher.until(lambda text: "github-issue-21" in text)
        assert "acme/skills" in text_of(news)
        assert "unheard-of" not in text_of(news)
        assert f'href="{ADDRESS}"' in news["parts"]["running"]
    async with watching(stage.client, "/running/events?repo=acme/other") as watcher:
        await watcher.until(lambda text: not text)


async def test_a_page_that_was_kept_tells_no_turns_of_before(stage: LiveStage) -> None:
    stage.show_second_trial()
    await seen(stage)
    for path in ("/", "/repos/acme/skills"):
        kept = await stage.client.get(path)
        turns = next(one.turns for one in await stage.reader.running())
        assert f"{turns} turns" in kept.text
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 6 + turns))
        async with asyncio.timeout(WAIT_S):
            async for _ in stage.reader.follow(RUN):
                if next(one.turns for one in await stage.reader.running()) != turns:
                    break
        asked = {"if-none-match": kept.headers["etag"]}
        later = await stage.client.get(path, headers=asked)
        assert (later.status_code, f"{turns} turns" in later.text) == (200, False)


async def test_what_one_may_not_see_is_not_there(redis_url: str) -> None:
    public = {"public_url": "https://bench.example.org", "public_pages": True}
    async with live_stage(redis_url, **public) as stage:
        stage.show_second_trial()
        await seen(stage)
        async with watching(stage.client, EVENTS) as watcher:  # of a public repository
            await watcher.until(lambda text: "6 turns" in text)
        await RedisSeenRepos(stage.redis).see(REPO.model_copy(update={"private": True}))
        nothing = await stage.client.get("/repos/acme/skills/runs/eeeeeeeeeeee/events")
        answer = await stage.client.get(EVENTS)
        assert answer.status_code == nothing.status_code == 404
        assert answer.text == nothing.text
        async with watching(stage.client, "/running/events") as watcher:
            await watcher.until(lambda text: not text)


async def test_what_becomes_private_is_not_told_to_whoever_watches_already(redis_url: str) -> None:
    public = {"public_url": "https://bench.example.org", "public_pages": True}
    async with live_stage(redis_url, **public) as stage:
        stage.show_second_trial()
        await seen(stage)
        watching_one = watching(stage.client, EVENTS)
        watching_all = watching(stage.client, "/running/events")
        async with watching_one as one, watching_all as all_runs:
            await one.until(lambda text: "6 turns" in text)
            await all_runs.until(lambda text: "github-issue-21" in text)
            await RedisSeenRepos(stage.redis).see(REPO.model_copy(update={"private": True}))
            async with alongside(go_on(stage)):
                async with asyncio.timeout(WAIT_S):
                    async for _ in one.events:  # until it ends
                        pass
                await all_runs.until(lambda text: not text, within_s=WAIT_S)


async def go_on(stage: LiveStage) -> None:
    """Turn after turn, without end."""
    for turns in itertools.count(7):
        stage.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, turns))
        await asyncio.sleep(0.1)


async def test_a_run_of_another_repository_is_not_found_here(stage: LiveStage) -> None:
    other = REPO.model_copy(update={"name": "other"})
    await RedisSeenRepos(stage.redis).see(other)
    stage.show_second_trial()
    await seen(stage)
    for path in (f"/repos/acme/other/runs/{RUN}", f"/repos/acme/other/runs/{RUN}/events"):
        assert (await stage.client.get(path)).status_code == 404


async def test_a_server_that_goes_ends_the_streams_of_runs(redis_url: str, tmp_path: Path) -> None:
    app = create_app(some_settings(redis_url, data_dir=tmp_path / "data"))
    bound = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with live_stage(redis_url) as stage:
        stage.show_second_trial()
        await seen(stage)
        serving = asyncio.create_task(Server(make_config(app)).serve_until(end, bound))
        async with (
            httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client,
            watching(client, EVENTS) as watcher,
            watching(client, "/running/events") as other,
        ):
            await watcher.until(lambda text: "6 turns" in text)
            await other.until(lambda text: "github-issue-21" in text)
            end.set_result(None)
            async with asyncio.timeout(UPDATE_S * 2):
                assert [one async for one in watcher.events] == []  # ended, and not broken off
                assert [one async for one in other.events] == []
        await serving


async def test_a_redis_that_goes_ends_the_stream_and_is_told_all_again(short_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with embedded_redis(short_path) as url:
            stage = await stack.enter_async_context(live_stage(url))
            stage.show_second_trial()
            await seen(stage)
            watcher = await stack.enter_async_context(watching(stage.client, EVENTS))
            await watcher.until(lambda text: "6 turns" in text)
        async with asyncio.timeout(WAIT_S):
            assert [one async for one in watcher.events] == []
        assert (await stage.client.get(ADDRESS)).status_code == 503
        async with embedded_redis(short_path):  # an empty one
            await RedisSeenRepos(stage.redis).see(REPO)
            await seen(stage)
            async with watching(stage.client, EVENTS) as again:
                news = await again.until(lambda text: "6 turns" in text, within_s=WAIT_S)
                assert "2 of 2 readings" in text_of(news)
            await stack.aclose()
