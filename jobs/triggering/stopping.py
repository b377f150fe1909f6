"""Ends a session as soon as the skill under test was used: what comes later changes nothing."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from jobs.conversation import ConversationEnd


async def until_used(
    conversation: Coroutine[Any, Any, ConversationEnd], used: asyncio.Event
) -> ConversationEnd | None:
    """The conversation's end; None where it was stopped because the skill was used.

    Nothing of the conversation goes on afterwards, nor after a cancellation.
    """
    talking = asyncio.create_task(conversation)
    seeing = asyncio.create_task(used.wait())
    try:
        await asyncio.wait({talking, seeing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended = talking.done()
        for task in (talking, seeing):
            task.cancel()
        await asyncio.wait({talking, seeing})
    return talking.result() if ended else None
