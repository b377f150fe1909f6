"""What a session reaches through its proxy, and what is counted on the way."""

import asyncio
import json

import httpx
import pytest

from demo.model_api import Drop, ErrorInStream, Gate, HttpError, Reply, Stall
from demo.model_api.steps import Reported
from tests.jobs.proxy.opened import KEY, MODEL, TOKEN, a_body, opened_proxy

COUNTED = Reported(input=100, output=40, cache_read=2_000, cache_write=300)


async def test_an_answer_comes_through_with_the_key_added_outside(api, opened):
    api.script(Reply(text="There are 42 words."))
    answer = await opened.ask()
    assert answer.status_code == 200
    assert "message_start" in answer.text
    assert "message_stop" in answer.text
    assert TOKEN not in json.dumps(dict(api.requests[0].body))


async def test_usage_of_a_streamed_answer_is_counted_once(api, opened):
    api.script(Reply(text="42", tokens=COUNTED))
    await opened.ask()
    usage = opened.usage
    assert (usage.requests, usage.input_tokens, usage.output_tokens) == (1, 100, 40)
    assert (usage.cache_read_tokens, usage.cache_write_tokens) == (2_000, 300)
    assert usage.cost_usd is not None
    assert usage.cost_usd > 0
    assert [spent["output_tokens"] for spent in opened.spent] == [40]


async def test_usage_of_an_answer_in_one_piece_is_counted_too(api, opened):
    api.script(Reply(text="42", tokens=COUNTED))
    answer = await opened.ask(stream=False)
    assert answer.json()["content"][0]["text"] == "42"
    assert opened.usage.output_tokens == 40


async def test_the_model_that_really_answered_is_remembered(api, opened):
    api.script(Reply(text="a", served_model="claude-haiku-4-5-20251001"))
    await opened.ask()
    assert opened.served_models == ("claude-haiku-4-5-20251001",)


async def test_pieces_are_passed_on_before_the_answer_is_whole(api, opened):
    gate = Gate()
    api.script(Stall(after_events=4, gate=gate))
    headers = {"x-api-key": TOKEN}
    async with asyncio.timeout(20):
        async with opened.client.stream(
            "POST", "/v1/messages", json=a_body(), headers=headers
        ) as answer:
            chunks = answer.aiter_text()
            seen = await anext(chunks)
            while "content_block_delta" not in seen:
                seen += await anext(chunks)
            assert "message_stop" not in seen
            await gate.reached.wait()
            gate.released.set()
            async for chunk in chunks:
                seen += chunk
    assert "message_stop" in seen


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("POST", "/v1/files"),
        ("POST", "/v1/messages/batches"),
        ("POST", "/v1/complete"),
        ("POST", "/v1/messages/"),
        ("POST", "//v1/messages"),
        ("POST", "/v1/%6dessages"),
        ("POST", "/v1/messages/../files"),
        ("POST", "/v1/messages?limit=1"),
        ("POST", "http://169.254.169.254/v1/messages"),
        ("GET", "/v1/models"),
        ("GET", "/v1/messages"),
        ("DELETE", "/v1/messages"),
        ("POST", "/"),
    ],
)
async def test_nothing_but_the_message_endpoints_is_open(api, opened, method, target):
    request = httpx.Request(method, "http://proxy/", headers={"x-api-key": TOKEN}, json=a_body())
    request.extensions["target"] = target.encode()
    answer = await opened.client.send(request)
    assert answer.status_code in {403, 405}
    assert answer.json()["error"]["message"].startswith("skillbench: only")
    assert not api.requests
    assert not api.look_ups


@pytest.mark.parametrize("token", ["", "wrong", KEY, TOKEN[:-1], TOKEN + "x"])
async def test_only_the_sessions_own_token_opens(api, opened, token):
    answer = await opened.ask(token=token)
    assert answer.status_code == 401
    assert not api.requests


async def test_the_token_may_come_as_a_bearer(api, opened):
    api.script(Reply(text="42"))
    headers = {"authorization": f"Bearer {TOKEN}"}
    answer = await opened.client.post("/v1/messages", json=a_body(), headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_somebody_is_there(opened, method):
    """Claude Code looks before it asks."""
    assert (await opened.client.request(method, "/")).status_code == 200


async def test_counting_tokens_costs_nothing(server, opened):
    """Passed on; the scripted API has no such endpoint and says so itself."""
    answer = await opened.client.post(
        "/v1/messages/count_tokens", json=a_body(), headers={"x-api-key": TOKEN}
    )
    assert answer.status_code == 404
    assert "skillbench" not in answer.text
    assert opened.usage.requests == 0


async def test_headers_of_the_session_stay_behind_unless_the_api_needs_them(tmp_path):
    """What the API is sent is seen by an API that echoes it."""
    seen = {}

    async def echo(request: httpx.Request) -> httpx.Response:
        seen.update(request.headers)
        return httpx.Response(429, json={}, headers={"set-cookie": "a=b", "retry-after": "3"})

    sent = {"x-api-key": TOKEN, "cookie": "c=d", "anthropic-beta": "x", "x-forwarded-for": "::1"}
    transport = httpx.MockTransport(echo)
    async with opened_proxy(tmp_path, "http://api.example", transport=transport) as opened:
        answer = await opened.client.post("/v1/messages", json=a_body(), headers=sent)
    assert seen["x-api-key"] == KEY
    assert seen["anthropic-beta"] == "x"
    assert not {"cookie", "authorization", "x-forwarded-for"} & set(seen)
    assert answer.headers["retry-after"] == "3"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("status", [400, 401, 429, 500, 529])
async def test_failures_of_the_api_are_passed_on_as_they_are(api, opened, status):
    api.fail(HttpError(status=status, headers={"retry-after": "7"}))
    answer = await opened.ask()
    assert answer.status_code == status
    assert answer.headers["retry-after"] == "7"
    assert answer.json()["type"] == "error"
    assert opened.usage.requests == 0


async def test_an_error_that_quotes_the_key_does_not_bring_it_into_the_session(api, opened):
    api.fail(HttpError(status=400, message=f"bad request with x-api-key: {KEY}"))
    answer = await opened.ask()
    assert KEY not in answer.text
    assert "x-api-key: ***" in answer.text


async def test_an_api_that_cannot_be_reached_is_worth_another_try(tmp_path):
    async with opened_proxy(tmp_path, "http://127.0.0.1:9") as opened:
        answer = await opened.ask()
    assert answer.status_code == 502
    assert "x-should-retry" not in answer.headers


async def test_an_answer_that_breaks_off_is_broken_for_the_session_too(api, opened):
    """A clean end would be taken for a whole answer."""
    api.fail(Drop(after_events=4))
    with pytest.raises(httpx.HTTPError):
        await opened.ask()
    assert opened.proxy.broke_off
    assert opened.usage.requests == 1


async def test_a_stream_that_ends_in_an_error_is_no_whole_answer(api, opened):
    api.fail(ErrorInStream(after_events=4))
    with pytest.raises(httpx.HTTPError):
        await opened.ask()
    assert opened.proxy.broke_off


async def test_a_whole_answer_after_a_broken_one_mends_it(api, opened):
    api.fail(Drop(after_events=4))
    api.script(Reply(text="42"))
    with pytest.raises(httpx.HTTPError):
        await opened.ask()
    await opened.ask()
    assert not opened.proxy.broke_off


async def test_a_client_that_leaves_frees_the_way_for_its_next_request(api, opened):
    """Claude Code gives a silent request up and asks again."""
    stall = Stall(after_events=3)
    api.fail(stall)
    api.script(Reply(text="42"))
    async with asyncio.timeout(20):
        first = asyncio.create_task(opened.ask())
        await stall.gate.reached.wait()
        first.cancel()
        answer = await opened.ask()
    assert "message_stop" in answer.text
    assert opened.usage.requests == 2


async def test_an_error_in_a_session_does_not_end_the_connection_of_others(api, opened):
    api.script(Reply(text="42"))
    assert (await opened.ask(model="claude-opus-4-8")).status_code == 403
    assert (await opened.ask()).status_code == 200
    assert [asked.model for asked in api.requests] == [MODEL]
