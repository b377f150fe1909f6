"""Faults on demand: what the caller sees, and what has happened all the same."""

import asyncio
import time
from datetime import timedelta

import httpx
import pytest

from demo.github import LocalGitHub
from tests.demo.github.conftest import MovableClock, Stage, bearer, make_jwt

REPO = "/repos/octo/skills"
COMMENTS = f"{REPO}/issues/1/comments"
ON_COMMENT = "POST */comments"


@pytest.fixture(autouse=True)
def _an_issue(stage: Stage) -> None:
    stage.repo.open_issue(author="maria", title="T", body="b")


async def _comment(stage: Stage, body: str = "x") -> httpx.Response:
    return await stage.http.post(COMMENTS, json={"body": body})


@pytest.mark.parametrize("status", [401, 404, 422, 429, 500, 502, 503])
async def test_a_status_is_answered_as_often_as_asked_and_nothing_happens(
    stage: Stage, status: int
) -> None:
    fault = stage.gh.faults.answer(status, on=ON_COMMENT, times=2)
    assert [(await _comment(stage)).status_code for _ in range(3)] == [status, status, 201]
    assert fault.met == 2
    assert len(stage.repo.comments(1)) == 1
    assert [e.took_effect for e in stage.gh.requests] == [False, False, True]


async def test_a_5xx_after_the_effect_leaves_the_comment_there(stage: Stage) -> None:
    stage.gh.faults.answer(502, on=ON_COMMENT, after_effect=True)
    assert (await _comment(stage)).status_code == 502
    assert stage.repo.comments(1) == ["x"]


@pytest.mark.parametrize(("after_effect", "left"), [(True, ["x"]), (False, [])])
async def test_a_dropped_connection_gives_no_answer_at_all(
    stage: Stage, left: list[str], *, after_effect: bool
) -> None:
    stage.gh.faults.drop_connection(on=ON_COMMENT, after_effect=after_effect)
    with pytest.raises(httpx.TransportError):
        await _comment(stage)
    assert stage.repo.comments(1) == left
    assert [exchange.status for exchange in stage.gh.requests] == [0]
    assert (await _comment(stage, "y")).status_code == 201


async def test_a_secondary_limit_has_quota_left_and_may_keep_silent_about_the_wait(
    stage: Stage,
) -> None:
    stage.gh.faults.secondary_limit(on=ON_COMMENT)
    silent = await _comment(stage)
    assert (silent.status_code, "retry-after" in silent.headers) == (403, False)
    assert "secondary rate limit" in silent.json()["message"]
    stage.gh.faults.secondary_limit(on=ON_COMMENT, retry_after_s=7)
    assert (await _comment(stage)).headers["retry-after"] == "7"


async def test_a_limit_with_a_length_ends_by_the_clock(stage: Stage) -> None:
    stage.gh.faults.secondary_limit(on=ON_COMMENT, lasting=timedelta(seconds=75))
    assert [(await _comment(stage)).status_code for _ in range(3)] == [403, 403, 403]
    stage.clock.pass_time(timedelta(seconds=75))
    assert (await _comment(stage)).status_code == 201


async def test_a_primary_limit_names_its_reset(stage: Stage) -> None:
    stage.gh.faults.primary_limit(resets_in=timedelta(minutes=3))
    answer = await _comment(stage)
    assert answer.headers["x-ratelimit-remaining"] == "0"
    reset = int(answer.headers["x-ratelimit-reset"])
    assert reset == int((stage.clock() + timedelta(minutes=3)).timestamp())


async def test_the_real_limit_counts_down_and_is_renewed_after_an_hour(app_key: str) -> None:
    clock = MovableClock()
    gh = LocalGitHub(clock=clock, private_key_pem=app_key, hourly_limit=2)
    gh.add_repository("octo", "skills")
    async with (
        gh.serve() as served,
        httpx.AsyncClient(base_url=served.api_url, headers=bearer(make_jwt(gh))) as app,
    ):
        answers = [await app.get("/app") for _ in range(3)]
        clock.pass_time(timedelta(hours=1))
        answers.append(await app.get("/app"))
    assert [a.status_code for a in answers] == [200, 200, 403, 200]
    assert [a.headers["x-ratelimit-remaining"] for a in answers] == ["1", "0", "0", "1"]


async def test_latency_delays_the_answer(stage: Stage) -> None:
    stage.gh.faults.latency(0.05, on="GET *", times=1)
    started = time.monotonic()
    assert (await stage.http.get(REPO)).status_code == 200
    assert time.monotonic() - started >= 0.05


async def test_a_held_request_waits_until_it_is_let_go(stage: Stage) -> None:
    gate = stage.gh.faults.hold(on=ON_COMMENT)
    waiting = asyncio.create_task(_comment(stage))
    async with asyncio.timeout(5):
        await gate.reached.wait()
    assert stage.repo.comments(1) == []
    gate.release.set()
    assert (await waiting).status_code == 201


async def test_a_fault_meets_only_what_it_names_and_can_be_cleared(stage: Stage) -> None:
    stage.gh.faults.answer(500, on="PATCH /repos/*", times=None)
    assert (await _comment(stage)).status_code == 201
    assert (await stage.http.patch(f"{REPO}/issues/1", json={"body": "c"})).status_code == 500
    stage.gh.faults.clear()
    assert (await stage.http.patch(f"{REPO}/issues/1", json={"body": "c"})).status_code == 200


async def test_the_record_holds_what_went_over_the_socket_but_no_credential(stage: Stage) -> None:
    await _comment(stage, "hello")
    exchange = stage.gh.requests[-1]
    assert (exchange.method, exchange.path, exchange.status) == ("POST", COMMENTS, 201)
    assert exchange.request_body == {"body": "hello"}
    assert exchange.answer["body"] == "hello"
    assert exchange.at == stage.clock()
    assert "authorization" not in exchange.headers
