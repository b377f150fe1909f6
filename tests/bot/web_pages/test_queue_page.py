"""What waits, runs and failed: who sees it."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from redis.asyncio import Redis

from bot.store.expected import RedisExpected
from bot.store.failed_requests import FAILED, MOST, RedisFailures
from jobs.requests import WEB, Repo
from tests.bot.web_pages.busy_queue import OPEN, SECRET, busy, page, tiles
from tests.bot.web_pages.queue_seed import (
    a_request,
    let_fail,
    let_wait,
)
from tests.bot.web_pages.reaching import OPERATOR, a_world


async def test_an_operators_user_sees_everything(redis_url: str, tmp_path: Path) -> None:
    async with busy(redis_url, tmp_path) as it:
        expected, until = RedisExpected(it.world.redis), datetime.now(UTC) + timedelta(hours=1)
        await expected.keep(it.waiting, until)
        await expected.keep(it.running, until - timedelta(hours=2))  # it takes longer
        await it.world.sign_in(OPERATOR)
        text = await page(it.world.client)
        assert tiles(text) == {
            "running": "1", "waiting": "1", "workers alive": "2", "deliveries to look at": "0",
        }  # fmt: skip
        assert "run secret-model" in text
        assert f'href="{it.world.github.base_url}/acme/secret/issues/21"' in text
        assert "<strong>mallory</strong>" in text
        assert re.search(rf"ends about <time [^>]*>{until:%Y-%m-%d %H:%M} UTC", text)
        assert "until about" not in text
        assert "was away." in text
        assert "<script>alert" not in text
        assert text.count("/queue/cancel") == 2
        assert text.count("/queue/retry") == 1


async def test_of_what_somebody_does_not_see_only_the_number_is_told(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path, public_pages=True) as it:
        for signed_in in (False, True):
            if signed_in:
                await it.world.sign_in("mona")
            text = await page(it.world.client)
            assert tiles(text)["waiting"] == "1"
            assert "acme/open" in text
            for word in ("secret", "mallory", "was away", "#21", "#33"):
                assert word not in text, word
            assert "0 running and 1 waiting of them" in text


async def test_without_a_sign_in_nothing_is_shown_unless_public_pages_are_on(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        answer = await it.world.client.get("/queue")
        assert (answer.status_code, answer.headers["location"]) == (
            303,
            "/sign-in?next=%2Fqueue",
        )


async def test_a_repository_that_became_private_is_out_of_sight(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path, public_pages=True) as it:
        await it.world.see(OPEN, is_private=True)
        assert "acme/open" not in await page(it.world.client)


async def test_what_was_public_a_week_ago_may_be_private_now(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path, public_pages=True) as it:
        await it.world.see(OPEN, days_ago=7.01)
        assert "acme/open" not in await page(it.world.client)


async def test_runs_of_datasets_are_the_operators_alone(redis_url: str, tmp_path: Path) -> None:
    async with busy(redis_url, tmp_path, public_pages=True) as it:
        asked = a_request(
            WEB, 0, kind="dataset", origin="web", asker="olivia", key="web:dataset:1", models=()
        )
        await let_wait(it.world.redis, asked)
        await it.world.sign_in("mona")
        assert "olivia" not in await page(it.world.client)
        await it.world.sign_in(OPERATOR)
        assert 'href="/tasks">Tasks</a>' in await page(it.world.client)


async def test_of_two_hundred_that_wait_all_are_shown_and_of_more_a_number(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        many = [
            a_request(world.repo(SECRET), number + 1, key=f"comment:acme/secret:{number}")
            for number in range(1_050)
        ]
        await let_wait(world.redis, *many)
        await world.sign_in(OPERATOR)
        text = await page(world.client)
        assert tiles(text)["waiting"] == "1,050"
        assert text.count('class="place"') == 200
        assert "850 more wait behind these." in text
        assert "No worker is alive." in text


async def test_only_so_many_failures_are_kept_and_each_once(redis: Redis) -> None:
    now = datetime.now(UTC)
    repo = Repo(owner="acme", name="secret", installation_id=7)
    for number in range(MOST + 5):
        request = a_request(repo, number + 1)
        for _ in range(2):
            await let_fail(redis, request, at=now - timedelta(minutes=number))
    old = a_request(repo, 999)
    await let_fail(redis, old, at=now - timedelta(days=31))
    newest = await RedisFailures(redis).newest(now)
    assert [one.request.issue for one in newest] == list(range(1, MOST + 1))
    assert await redis.hlen(FAILED) <= MOST + 1  # type: ignore[misc]


async def test_the_page_says_when_it_is_the_same_as_before(redis_url: str, tmp_path: Path) -> None:
    async with busy(redis_url, tmp_path) as it:
        await it.world.sign_in(OPERATOR)
        first = await it.world.client.get("/queue")
        assert first.headers["cache-control"] == "private, no-cache"
        tag = {"if-none-match": first.headers["etag"]}
        assert (await it.world.client.get("/queue", headers=tag)).status_code == 304
        await it.act("cancel", reference=await it.reference(it.waiting))
        assert (await it.world.client.get("/queue", headers=tag)).status_code == 200
