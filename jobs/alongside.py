"""Work in a task of its own while a block lasts: renewing a hold, editing a comment.

The task ends with the block. Whoever cancels the block, also in the moment in which the task
is being ended, has cancelled it: the task's own cancellation is never mistaken for theirs. It
refuses to cancel the block when the task fails; such an error comes out at the block's end.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def alongside(work: Coroutine[Any, Any, Any]) -> AsyncIterator["asyncio.Task[Any]"]:
    """Run `work` beside the block and end it with the block.

    Raises what `work` raised, unless the block itself raises.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    except BaseException:
        await _end(task)
        raise
    if (error := await _end(task)) is not None:
        raise error


async def _end(task: "asyncio.Task[Any]") -> BaseException | None:
    """End the task and give its error; `asyncio.wait` raises only where we are cancelled."""
    task.cancel()
    await asyncio.wait({task})
    return None if task.cancelled() else task.exception()
