"""Work in tasks of their own: beside a block, or several at once of which none is left behind.

A task beside a block, such as one that renews a hold or edits a comment,
ends with the block. Whoever cancels the block, also in the moment in which the task
is being ended, has cancelled it: the task's own cancellation is never mistaken for theirs. It
refuses to cancel the block when the task fails; such an error comes out at the block's end.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


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


async def all_ended(works: Iterable[Coroutine[Any, Any, _T]]) -> list[_T]:
    """The results of several works at once, in their order, once every one of them has ended.

    One that fails leaves the others alone; its error is raised after they have ended, the
    first of several. Cancelled, it waits as well, so that what a stopped work has to note is
    noted when this returns.
    """
    # without `return_exceptions`, gather returns with the first work that fails or is stopped
    endings = await asyncio.gather(*works, return_exceptions=True)
    for ending in endings:
        if isinstance(ending, BaseException):
            raise ending
    return [ending for ending in endings if not isinstance(ending, BaseException)]


async def _end(task: "asyncio.Task[Any]") -> BaseException | None:
    """End the task and give its error; `asyncio.wait` raises only where we are cancelled."""
    task.cancel()
    await asyncio.wait({task})
    return None if task.cancelled() else task.exception()
