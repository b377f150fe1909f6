"""Senders that dawdle, or hang up half way: neither holds the door nor breaks it."""

import asyncio
from typing import Any

import pytest
from starlette.requests import Request

from bot.webhook import TurnedAway, read_body


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
