"""Workers at work until they are told to leave, and how they are told.

What becomes of their jobs is `LeaseWorker.close`'s to decide; here only their polling ends, for
sure: a deployment must not wait for ever because a library took a cancellation for its own.
"""

import asyncio

from bot.lease import LeaseWorker

STUBBORN_S = 3.0
"""How long a worker that is told to leave may go on looking for jobs before it is told again."""


async def run_workers(workers: tuple[LeaseWorker, ...]) -> None:
    """Run until cancelled; then running jobs are handed back for another worker to take."""
    polling = [asyncio.ensure_future(worker.main()) for worker in workers]
    try:
        await asyncio.wait(polling, return_when=asyncio.FIRST_COMPLETED)
        for task in polling:
            if task.done():
                task.result()
    finally:
        await _end(polling)
        await asyncio.gather(*(worker.close() for worker in workers), return_exceptions=True)


async def _end(polling: list[asyncio.Task[None]]) -> None:
    """Cancel and wait; once more after a while, in case a library took the first for its own.

    Not sooner: a second cancellation would interrupt redis-py's tidying up.
    """
    while running := {task for task in polling if not task.done()}:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=STUBBORN_S)
    await asyncio.gather(*polling, return_exceptions=True)
