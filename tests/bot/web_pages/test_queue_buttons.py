"""Who may cancel what waits and ask again for what failed, and what that does."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cancels import flag_key
from bot.queues import EVENTS, JOB_KEY
from jobs.cancelling import Cancelled
from tests.bot.web_pages.busy_queue import SECRET, busy, page
from tests.bot.web_pages.queue_seed import (
    a_request,
    let_fail,
    let_rights_be,
    let_wait,
)
from tests.bot.web_pages.reaching import OPERATOR, give


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
