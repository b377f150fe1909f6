"""The door, over a real socket: who is let in, and what everybody else is told."""

import asyncio
import json
from collections.abc import AsyncIterator
from urllib.parse import quote

import httpx
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.webhook import MAX_BODY, check_signature
from tests.bot.web import (
    SECRET,
    a_comment_payload,
    a_label_payload,
    a_payload,
    an_account,
    deliver,
    headers_for,
    queued_events,
    sign,
    some_settings,
    web_client,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[httpx.AsyncClient, Redis]]:
    """One server for the whole file."""
    folder = tmp_path_factory.mktemp("door")
    async with (
        embedded_redis(folder) as url,
        web_client(some_settings(url)) as client,
        Redis.from_url(url) as redis,
    ):
        yield client, redis


@pytest_asyncio.fixture(loop_scope="module")
async def web(door: tuple[httpx.AsyncClient, Redis]) -> httpx.AsyncClient:
    await door[1].flushall()
    return door[0]


@pytest_asyncio.fixture(loop_scope="module")
async def redis(door: tuple[httpx.AsyncClient, Redis]) -> Redis:
    return door[1]


async def test_a_signed_comment_is_queued(web: httpx.AsyncClient, redis: Redis) -> None:
    answer = await deliver(web, "issue_comment", a_comment_payload())
    assert answer.status_code == 202
    assert answer.json() == {"outcome": "queued"}
    [event] = await queued_events(redis)
    assert event["type"] == "issue_commented"
    assert event["body"] == "@skillbench run claude-sonnet"


async def test_the_signature_is_checked_over_the_raw_bytes(
    web: httpx.AsyncClient, redis: Redis
) -> None:
    """Emoji, escapes and odd spacing: whoever encodes the text anew gets another hash."""
    raw = json.dumps(a_label_payload(), ensure_ascii=False, indent=3).encode()
    escaped = json.dumps(a_label_payload(), ensure_ascii=True).encode()
    for body in (raw, escaped, b"\n " + raw + b" \r\n"):
        assert (await deliver(web, "issues", body)).status_code == 202
    assert len(await queued_events(redis)) == 3


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "sha256=" + "0" * 64,
        "sha1=" + "0" * 40,
        "é" * 10,
        sign(b"another body"),
        sign(json.dumps(a_comment_payload()).encode(), "another secret"),
        sign(json.dumps(a_comment_payload()).encode()).removeprefix("sha256="),
    ],
)
async def test_what_github_did_not_sign_is_turned_away(
    web: httpx.AsyncClient, redis: Redis, signature: str
) -> None:
    body = json.dumps(a_comment_payload()).encode()
    headers = {
        name: value.encode("utf-8") for name, value in headers_for(body, "issue_comment").items()
    }
    headers["X-Hub-Signature-256"] = signature.encode("utf-8")
    answer = await web.post("/webhook", content=body, headers=headers)
    assert answer.status_code == 401
    assert "X-Hub-Signature-256" in answer.json()["reason"]
    assert await redis.dbsize() == 0


async def test_a_missing_signature_says_so(web: httpx.AsyncClient) -> None:
    body = b"{}"
    headers = headers_for(body, "ping")
    del headers["X-Hub-Signature-256"]
    answer = await web.post("/webhook", content=body, headers=headers)
    assert answer.status_code == 401
    assert "missing" in answer.json()["reason"]


async def test_the_answer_never_tells_the_right_signature() -> None:
    right = sign(b"body")
    with pytest.raises(Exception, match="does not match") as turned:
        check_signature(SECRET.encode(), b"body", "sha256=" + "0" * 64)
    assert right not in str(turned.value)
    assert right.removeprefix("sha256=") not in str(turned.value)


@pytest.mark.parametrize(
    ("event", "body"),
    [
        ("issues", b""),
        ("issues", b"{"),
        ("issues", b"[]"),
        ("issues", b'"labeled"'),
        ("issues", b'{"action": "labeled"}'),
        ("issues", b'{"action": 5}'),
        ("issues", b"\xff\xfe{}"),
        ("issue_comment", b'{"action": "created", "comment": {}}'),
        ("issue_comment", json.dumps(a_comment_payload(comment={"id": "x"})).encode()),
        ("push", b"nothing"),
        ("ping", b"{" * 100_000),
        ("ping", b'{"a":' * 100_000),
        ("issues", b'{"action": "labeled", "issue": ' + b"[" * 100_000),
        ("issue_comment", b'{"action": "created", "comment": {"body": "\\ud800"}}'),
    ],
)
async def test_malformed_payloads_are_a_400_that_names_the_event(
    web: httpx.AsyncClient, redis: Redis, event: str, body: bytes
) -> None:
    answer = await deliver(web, event, body)
    assert answer.status_code == 400
    assert event in answer.json()["reason"]
    assert await redis.dbsize() == 0


@pytest.mark.parametrize("header", ["X-GitHub-Event", "X-GitHub-Delivery"])
@pytest.mark.parametrize("value", [None, "", "a b", "x" * 101, "../../etc"])
async def test_a_delivery_without_its_ids_is_a_400(
    web: httpx.AsyncClient, header: str, value: str | None
) -> None:
    body = json.dumps(a_comment_payload()).encode()
    headers = headers_for(body, "issue_comment")
    if value is None:
        del headers[header]
    else:
        headers[header] = value
    answer = await web.post("/webhook", content=body, headers=headers)
    assert answer.status_code == 400
    assert header.lower() in answer.json()["reason"].lower()


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded",
        "Application/X-WWW-Form-Urlencoded; charset=utf-8",
        "multipart/form-data; boundary=x",
    ],
)
async def test_a_hook_that_sends_forms_is_told_which_setting_to_change(
    web: httpx.AsyncClient, redis: Redis, content_type: str
) -> None:
    """It is signed correctly and would parse to nothing: silence would hide it for ever."""
    body = ("payload=" + quote(json.dumps(a_comment_payload()))).encode()
    headers = headers_for(body, "issue_comment") | {"Content-Type": content_type}
    answer = await web.post("/webhook", content=body, headers=headers)
    assert answer.status_code == 415
    assert "content type to application/json" in answer.json()["reason"]
    assert await redis.dbsize() == 0


async def test_a_body_that_is_announced_too_large_is_not_read(web: httpx.AsyncClient) -> None:
    reader, writer = await asyncio.open_connection(web.base_url.host, web.base_url.port)
    writer.write(
        b"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n{" % (MAX_BODY + 1)
    )
    status = await asyncio.wait_for(reader.readline(), 5)
    writer.close()
    await writer.wait_closed()
    assert b" 413 " in status


async def test_a_streamed_body_is_cut_off_at_the_limit(web: httpx.AsyncClient) -> None:
    """Chunked, it announces no length at all."""
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 4 * MAX_BODY:
            sent += 1024 * 1024
            yield b" " * 1024 * 1024

    headers = headers_for(b"", "issues")
    try:
        answer = await web.post("/webhook", content=endless(), headers=headers)
    except httpx.TransportError:  # the server hung up while we were still sending
        assert sent <= MAX_BODY + 20 * 1024 * 1024
    else:
        assert answer.status_code == 413


async def test_a_body_of_exactly_the_limit_is_read(web: httpx.AsyncClient) -> None:
    head = b'{"action": "x", "pad": "'
    body = head + b"a" * (MAX_BODY - len(head) - 2) + b'"}'
    assert len(body) == MAX_BODY
    assert (await deliver(web, "push", body)).status_code == 200


async def test_a_streamed_body_within_the_limit_is_read_whole(
    web: httpx.AsyncClient, redis: Redis
) -> None:
    body = json.dumps(a_comment_payload()).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 100):
            yield body[start : start + 100]

    answer = await web.post(
        "/webhook", content=pieces(), headers=headers_for(body, "issue_comment")
    )
    assert answer.status_code == 202
    assert len(await queued_events(redis)) == 1


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("ping", {"zen": "Keep it logically awesome.", "hook_id": 1}),
        ("push", {"ref": "refs/heads/x", "deleted": True, "after": "0" * 40, "commits": []}),
        ("push", {"ref": "refs/tags/v1.2.0", "after": "a" * 40, "head_commit": None}),
        ("issues", a_payload("transferred", changes={})),
        ("issues", a_payload("an_action_of_the_future")),
        ("issues", a_payload("opened")),
        ("issue_comment", a_comment_payload(action="deleted")),
        ("an_event_of_the_future", {"action": "created", "deep": [[[{}]]]}),
        ("security_advisory", {"action": "published"}),
        ("repository", {}),
    ],
)
async def test_events_of_no_interest_are_answered_with_the_reason(
    web: httpx.AsyncClient, redis: Redis, event: str, payload: object
) -> None:
    answer = await deliver(web, event, payload)
    assert answer.status_code == 200
    assert answer.json()["outcome"] == "ignored"
    assert answer.json()["reason"]
    assert await redis.dbsize() == 0


async def test_a_repeated_delivery_is_answered_and_dropped(
    web: httpx.AsyncClient, redis: Redis
) -> None:
    first = await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
    again = await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
    other = await deliver(
        web,
        "issue_comment",
        a_comment_payload(sender=an_account("hubot")),
        X_GitHub_Delivery="d-1",
        X_GitHub_Hook_Installation_Target_ID="78",
    )
    assert (first.status_code, again.status_code, other.status_code) == (202, 200, 202)
    assert again.json() == {"outcome": "repeated"}
    assert len(await queued_events(redis)) == 2


async def test_only_post_is_taken(web: httpx.AsyncClient) -> None:
    assert (await web.get("/webhook")).status_code == 405
