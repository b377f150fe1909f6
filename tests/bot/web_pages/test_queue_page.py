"""What waits, runs and failed: who sees it, and who may do something about it."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from bot.cancels import Cancels, flag_key
from bot.queues import EVENTS, JOB_KEY, REQUESTS
from bot.store.expected import RedisExpected
from bot.store.failed_requests import FAILED, MOST, RedisFailures
from jobs.cancelling import Cancelled
from jobs.requests import WEB, Repo, Request
from tests.bot.web_pages.queue_seed import (
    HOSTILE,
    a_request,
    let_fail,
    let_live,
    let_rights_be,
    let_run,
    let_wait,
)
from tests.bot.web_pages.reaching import OPERATOR, World, a_world, give

OPEN, SECRET = "acme/open", "acme/secret"


@dataclass(frozen=True, slots=True)
class Busy:
    """A world in which something waits, runs and has failed in both repositories."""

    world: World
    waiting: Request
    """In the private one, asked for by mallory."""
    running: Request
    """In the public one, asked for by mona."""
    failure: str
    """Id of what failed in the private one."""

    async def reference(self, request: Request) -> str:
        found = await Cancels(self.world.redis).find_waiting(request.repo.full_name, request.issue)
        return found[0][0]

    async def act(self, what: str, **fields: str) -> httpx.Response:
        """Press a button of the page."""
        key = await self.world.form_key("/queue")
        return await self.world.client.post(f"/queue/{what}", data={"key": key, **fields})

    async def queued(self) -> list[Request]:
        """The requests on the queue."""
        ids = await self.world.redis.zrange(REQUESTS, 0, -1)
        jobs = [await self.world.redis.get(JOB_KEY + one.decode()) for one in ids]
        return [Request.model_validate(json.loads(job)["a"][0]) for job in jobs if job]


@asynccontextmanager
async def busy(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[Busy]:
    async with a_world(redis_url, folder, **changes) as world:
        secret, is_open = world.repo(SECRET), world.repo(OPEN)
        waiting = a_request(secret, 21, asker="mallory", models=("secret-model",))
        running = a_request(is_open, 12)
        await let_wait(world.redis, running, waiting)
        await let_run(world.redis, running)
        failed = a_request(secret, 33, asker="mallory", override_budget=True)
        failure = await let_fail(world.redis, failed, reason=f"**Stopped**: {HOSTILE} was away.")
        await let_live(world.redis, 2)
        for repo in (secret, is_open):
            await let_rights_be(world.redis, repo)
        yield Busy(world, waiting, running, failure.id)


async def page(client: httpx.AsyncClient) -> str:
    answer = await client.get("/queue")
    assert answer.status_code == 200
    return answer.text


def tiles(text: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", text))


async def test_an_operators_user_sees_everything(redis_url: str, tmp_path: Path) -> None:
    async with busy(redis_url, tmp_path) as it:
        await RedisExpected(it.world.redis).keep(it.waiting, datetime(2026, 5, 4, 13, tzinfo=UTC))
        await it.world.sign_in(OPERATOR)
        text = await page(it.world.client)
        assert tiles(text) == {
            "running": "1", "waiting": "1", "workers alive": "2", "deliveries to look at": "0",
        }  # fmt: skip
        assert "run secret-model" in text
        assert f'href="{it.world.github.base_url}/acme/secret/issues/21"' in text
        assert "<strong>mallory</strong>" in text
        assert "2026-05-04 13:00 UTC" in text
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


async def test_one_with_the_role_cancels_what_waits_as_the_command_does(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        give(it.world, "mona", SECRET, "write")
        await it.world.sign_in("mona")
        reference = await it.reference(it.waiting)
        answer = await it.act("cancel", reference=reference)
        assert (answer.status_code, answer.headers["location"]) == (303, "/queue?told=cancelled")
        assert [one.key for one in await it.queued()] == [it.running.key]
        [job_id] = await it.world.redis.zrange(EVENTS, 0, -1)
        ending = json.loads(await it.world.redis.get(JOB_KEY + job_id.decode()))["a"][0]
        assert ending["cancelled"] == {"by": "mona", "by_label": False, "comes_back": False}
        told = await it.world.client.get(answer.headers["location"])
        assert "The request is cancelled." in told.text
        again = await it.act("cancel", reference=reference)
        assert again.headers["location"] == "/queue?told=ended"
        assert await it.world.redis.zcard(EVENTS) == 1


async def test_what_is_carried_out_is_flagged_for_its_worker(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        await it.world.sign_in(OPERATOR)
        reference = await it.reference(it.running)
        await it.act("cancel", reference=reference)
        flag = await it.world.redis.get(flag_key(reference))
        assert Cancelled.model_validate_json(flag).by == OPERATOR
        assert "is being cancelled" in await page(it.world.client)


@pytest.mark.parametrize("role", ["read", "triage"])
async def test_one_without_the_role_cancels_and_asks_for_nothing_but_their_own(
    redis_url: str, tmp_path: Path, role: Any
) -> None:
    async with busy(redis_url, tmp_path) as it:
        give(it.world, "mona", SECRET, role)
        await it.world.sign_in("mona")
        text = await page(it.world.client)
        assert "run secret-model" in text
        assert "/queue/cancel" not in text
        assert "/queue/retry" not in text
        refused = await it.act("cancel", reference=await it.reference(it.waiting))
        assert refused.status_code == 403
        assert "takes the role write" in refused.text
        assert (await it.act("retry", failure=it.failure)).status_code == 403
        assert len(await it.queued()) == 2
        own = a_request(it.world.repo(SECRET), 22, asker="Mona")
        await let_wait(it.world.redis, own)
        done = await it.act("cancel", reference=await it.reference(own))
        assert done.headers["location"] == "/queue?told=cancelled"


async def test_the_repositorys_file_says_which_role_it_takes(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        repo = it.world.repo(SECRET)
        give(it.world, "mona", SECRET, "write")
        await let_rights_be(it.world.redis, repo, cancel="maintain", run="triage")
        await it.world.sign_in("mona")
        reference = await it.reference(it.waiting)
        assert (await it.act("cancel", reference=reference)).status_code == 403
        assert (await it.act("retry", failure=it.failure)).status_code == 303


async def test_where_the_file_is_not_known_it_takes_the_most(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        repo = it.world.repo(SECRET)
        await it.world.redis.delete(f"skillbench:rights:{repo.installation_id}:acme/secret")
        give(it.world, "mona", SECRET, "maintain")
        await it.world.sign_in("mona")
        refused = await it.act("cancel", reference=await it.reference(it.waiting))
        assert refused.status_code == 403
        assert "takes the role admin" in refused.text


async def test_what_somebody_does_not_see_answers_like_what_is_not_there(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        await it.world.sign_in("mallory")  # who asked for it, and may not read it any more
        reference = await it.reference(it.waiting)
        unseen = await it.act("cancel", reference=reference)
        unknown = await it.act("cancel", reference="0" * 12)
        assert unseen.headers["location"] == unknown.headers["location"] == "/queue?told=ended"
        unseen = await it.act("retry", failure=it.failure)
        unknown = await it.act("retry", failure="nothing")
        assert unseen.headers["location"] == unknown.headers["location"] == "/queue?told=gone"
        assert len(await it.queued()) == 2


async def test_what_failed_is_asked_for_again_once_and_in_ones_own_name(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        give(it.world, "mona", SECRET, "write")
        await it.world.sign_in("mona")
        for told in ("asked", "before", "before"):
            answer = await it.act("retry", failure=it.failure)
            assert answer.headers["location"] == f"/queue?told={told}"
        [asked] = [one for one in await it.queued() if one.issue == 33]
        assert asked.asker == "mona"
        assert (asked.models, asked.kind) == (("claude-sonnet",), "benchmark")
        assert not asked.override_budget  # which a maintainer may have let pass
        assert asked.comment_id is None
        assert "asked for again" in await page(it.world.client)


async def test_a_run_without_a_score_is_repeated_as_the_command_says(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        run = "0f3a9c2e77d1"
        request = a_request(it.world.repo(SECRET), 34, models=("gpt-4.1", "claude-sonnet"))
        failure = await let_fail(it.world.redis, request, how="ungraded", run=run, title="case 34")
        await it.world.sign_in(OPERATOR)
        text = await page(it.world.client)
        assert f'href="/repos/acme/secret/runs/{run}"' in text
        await it.act("retry", failure=failure.id)
        [asked] = [one for one in await it.queued() if one.issue == 34]
        assert (asked.run, asked.force, asked.models) == (run, True, ())
        assert asked.asker == OPERATOR


async def test_of_pull_requests_and_pushes_nothing_is_asked_for_again_here(
    redis_url: str, tmp_path: Path
) -> None:
    """What of a pull request may run is for its command, or its button, to say."""
    async with busy(redis_url, tmp_path) as it:
        secret = it.world.repo(SECRET)
        await it.world.sign_in(OPERATOR)
        for changes in (
            {"is_pull_request": True},
            {"origin": "push", "kind": "changed_skills"},
            {"issue": 0, "origin": "schedule", "kind": "sweep"},
            {"kind": "verdict"},
        ):
            request = a_request(secret, **({"issue": 40} | changes))
            failure = await let_fail(it.world.redis, request)
            assert (await it.act("retry", failure=failure.id)).status_code == 403
        assert len(await it.queued()) == 2


async def test_an_owner_that_is_served_no_more_is_paid_for_no_more(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path, allowed_owners="zoo") as it:
        await it.world.sign_in(OPERATOR)
        refused = await it.act("retry", failure=it.failure)
        assert refused.status_code == 403
        assert "do not name acme" in refused.text


@pytest.mark.parametrize("path", ["/queue/cancel", "/queue/retry"])
async def test_a_form_of_another_site_does_nothing(
    redis_url: str, tmp_path: Path, path: str
) -> None:
    async with busy(redis_url, tmp_path) as it:
        client = it.world.client
        fields = {"reference": await it.reference(it.waiting), "failure": it.failure}
        assert (await client.post(path, data=fields)).status_code == 403
        await it.world.sign_in(OPERATOR)
        key = await it.world.form_key("/queue")
        for headers, typed in (
            ({}, ""),
            ({}, "0" * 64),
            ({"origin": "https://evil.example"}, key),
            ({"sec-fetch-site": "cross-site"}, key),
        ):
            answer = await client.post(path, data=fields | {"key": typed}, headers=headers)
            assert answer.status_code == 403
        assert (await client.get(path)).status_code == 405
        assert len(await it.queued()) == 2


async def test_the_key_of_one_persons_forms_is_no_good_for_another(
    redis_url: str, tmp_path: Path
) -> None:
    async with busy(redis_url, tmp_path) as it:
        await it.world.sign_in("mallory")
        theirs = await it.world.form_key("/queue")
        await it.world.sign_in(OPERATOR)
        fields = {"key": theirs, "reference": await it.reference(it.waiting)}
        assert (await it.world.client.post("/queue/cancel", data=fields)).status_code == 403


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
