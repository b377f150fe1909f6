"""Senders that dawdle, or hang up half way: neither holds the door nor breaks it."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from bot.webhook import LARGE_BODY, TurnedAway, read_body


def a_request(*messages: dict[str, Any]) -> Request:
    """A POST whose body arrives in these messages, and then never goes on."""
    waiting = list(messages)

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    return Request({"type": "http", "method": "POST", "headers": []}, receive)


async def test_a_sender_that_dawdles_does_not_keep_the_door_open() -> None:
    request = a_request({"type": "http.request", "body": b"{", "more_body": True})
    with pytest.raises(TurnedAway, match="took longer") as turned:
        await read_body(request, longest_s=0.05)
    assert turned.value.status == 408


async def test_a_sender_that_hangs_up_is_no_failure_of_ours() -> None:
    request = a_request(
        {"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}
    )
    with pytest.raises(TurnedAway, match="cut off") as turned:
        await read_body(request)
    assert turned.value.status == 400


async def test_large_bodies_share_few_places_and_small_ones_wait_for_nobody() -> None:
    """Whoever sends them has not proven who they are: they may take no more memory than that."""
    large = asyncio.Semaphore(1)
    half = {"type": "http.request", "body": b"x" * (LARGE_BODY + 1), "more_body": True}
    end = {"type": "http.request", "body": b"", "more_body": False}
    small = {"type": "http.request", "body": b"{}", "more_body": False}
    first = asyncio.create_task(read_body(a_request(half), large=large, longest_s=0.4))
    second = asyncio.create_task(read_body(a_request(half, end), large=large))
    assert await read_body(a_request(small), large=large) == b"{}"
    assert not second.done()
    with pytest.raises(TurnedAway, match="took longer"):
        await first
    assert len(await second) == LARGE_BODY + 1
