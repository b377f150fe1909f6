"""What goes in comes out, what cannot be read is not lost, and asking twice is asking once."""

import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from redis.asyncio import Redis

from bot.queues import (
    ANSWER_UNREADABLE,
    CARRY_OUT_REQUEST,
    HANDLE_EVENT,
    JOB_KEY,
    REQUESTS,
    RequestQueue,
    enqueue,
    find_asking,
    make_job,
    read_event,
    read_job,
    write_job,
)
from jobs.requests import Request
from tests.builders import a_request
from tests.handlers.events import a_commented, a_labelled

KNOWN = {HANDLE_EVENT, CARRY_OUT_REQUEST}


async def test_a_request_waits_as_plain_json_with_its_version(redis: Redis) -> None:
    request = a_request(models=("claude-sonnet",), force=True)
    assert await enqueue(redis, request)
    [job_id] = await redis.zrange(REQUESTS, 0, -1)
    job = json.loads(await redis.get(JOB_KEY + job_id.decode()) or b"")
    assert job["f"] == CARRY_OUT_REQUEST
    assert job["a"][0]["version"] == 1
    assert Request.model_validate(job["a"][0]) == request


@pytest.mark.parametrize("origin", ["comment", "label"])
async def test_the_same_key_is_taken_once_while_it_waits(redis: Redis, origin: str) -> None:
    request = a_request(origin=origin)
    assert await enqueue(redis, request)
    assert not await enqueue(redis, request)
    assert await redis.zcard(REQUESTS) == 1


async def _end(redis: Redis, request: Request) -> None:
    """What a worker does to a job that has ended."""
    await redis.zrem(REQUESTS, f"request:{request.key}")
    await redis.delete(JOB_KEY + f"request:{request.key}")


async def test_a_comment_is_remembered_for_a_week(redis: Redis) -> None:
    """Its delivery may come again long after the run has ended."""
    request = a_request(key="comment:acme/skills:100:abc", origin="comment")
    await enqueue(redis, request)
    await _end(redis, request)
    assert not await enqueue(redis, request)
    left = timedelta(milliseconds=await redis.pttl(f"skillbench:asked:{request.key}"))
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)


async def test_another_comment_with_the_same_command_is_taken(redis: Redis) -> None:
    """No kept result of the first stands in its way."""
    first = a_request(key="comment:acme/skills:100:abc", origin="comment")
    await enqueue(redis, first)
    await _end(redis, first)
    assert await enqueue(redis, a_request(key="comment:acme/skills:101:abc", force=True))


async def test_a_label_put_on_once_more_asks_once_more(redis: Redis) -> None:
    request = a_request(key="label:acme/skills#21", origin="label", comment_id=None)
    await enqueue(redis, request)
    await _end(redis, request)
    assert await enqueue(redis, request)


async def test_a_job_left_without_its_place_in_the_queue_does_not_block_its_key(
    redis: Redis,
) -> None:
    request = a_request(key="label:acme/skills#21", origin="label", comment_id=None)
    await enqueue(redis, request)
    await redis.zrem(REQUESTS, f"request:{request.key}")
    assert await enqueue(redis, request)


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"\x80\x04\x95pickle",
        b"null",
        b"[]",
        b'"x"',
        b"{}",
        make_job("renamed_function", {"repo": {}}, 1),
        b'{"t": null, "f": "handle_event", "a": [1, 2], "k": {}, "et": 1}',
        b'{"t": null, "f": "handle_event", "a": [1], "k": {"x": 1}, "et": 1}',
        b'{"t": null, "f": "handle_event", "a": {}, "k": {}, "et": 1}',
        b'{"t": null, "f": ["handle_event"], "a": [1], "k": {}, "et": 1}',
        b'{"t": null, "f": "handle_event", "a": [1], "k": {}, "et": "yesterday"}',
    ],
)
def test_a_job_that_makes_no_sense_is_kept_as_text_for_an_answer(stored: bytes) -> None:
    job = read_job(stored, known=KNOWN)
    assert job["f"] == ANSWER_UNREADABLE
    assert job["a"] == [stored.decode("utf-8", errors="replace")]


def test_a_job_is_read_as_arq_wants_it() -> None:
    job = {"t": None, "f": HANDLE_EVENT, "a": ["x"], "k": {}, "et": 5}
    assert read_job(write_job(job), known=KNOWN) == job


@pytest.mark.parametrize("event", [a_commented("Zähle 🧮"), a_labelled()])
def test_an_event_survives_the_queue(event: object) -> None:
    stored = json.loads(make_job(HANDLE_EVENT, {"version": 1, "event": event}, 1))
    assert read_event(stored["a"][0]) == event


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        {"version": 2, "event": {"type": "issue_commented"}},
        {"version": 1, "event": {"type": "pushed"}},
        {"version": 1, "event": {"type": "issue_commented", "delivery": 5}},
    ],
)
def test_an_event_of_another_version_is_not_guessed_at(stored: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_event(stored)


async def test_who_put_a_request_on_its_queue_is_known_to_whoever_asks_again(
    redis: Redis,
) -> None:
    request = a_request(key="label:acme/skills#21", origin="label", comment_id=None)
    assert await find_asking(redis, request) is None
    before = datetime.now(UTC) - timedelta(seconds=1)
    queue = RequestQueue(redis)
    assert await queue.enqueue(request, delivery="d-1")
    assert not await queue.enqueue(request, delivery="d-2")
    asking = await queue.find_asking(request)
    assert asking is not None
    assert asking.delivery == "d-1"
    assert before < asking.at <= datetime.now(UTC)
    await _end(redis, request)
    assert await queue.enqueue(request, delivery="d-3")
    asking = await queue.find_asking(request)
    assert asking is not None
    assert asking.delivery == "d-3"
