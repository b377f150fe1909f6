"""Runs a command's work until it ends or somebody stops it, by Ctrl-C or SIGTERM alike.

Either way the work is cancelled, not torn off: sessions end, folders and servers go.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import structlog

from jobs.errors import Error

STOPPED = 130
"""Exit code of a command that was stopped before it had done what it was for."""

STUBBORN_S = 15.0
"""How long stopping may take in good order, before every task is told once more."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


def until_stopped(
    work: Coroutine[Any, Any, T],
    *,
    make_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
    stubborn_s: float = STUBBORN_S,
) -> T | None:
    """Run until it ends, or until SIGTERM or SIGINT; errors come out as they are.

    Gives what the work gave; None where it was stopped.
    """

    async def main() -> T | None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def stop() -> None:
            task.cancel()
            loop.call_later(stubborn_s, _insist, loop, stubborn_s)

        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stop)
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    try:
        with asyncio.Runner(loop_factory=make_loop) as runner:
            return runner.run(main())
    except* Error as errors:
        raise errors.exceptions[0] from None


def _insist(loop: asyncio.AbstractEventLoop, again_s: float) -> None:
    """Cancel what is still running, and say where it stands.

    A library can take a cancellation for its own, and whoever waits for that task would wait
    for ever. What a second one interrupts was late: its lease runs out, and another goes on.
    """
    running = [task for task in asyncio.all_tasks(loop) if not task.done()]
    places = [f"{task.get_name()}: {_place_of(task)}" for task in running]
    log.warning("still_running", seconds=again_s, tasks=places)
    for task in running:
        if task.cancelling():  # told before; those that wait for it hear of its end
            task.cancel()
    loop.call_later(again_s, _insist, loop, again_s)


def _place_of(task: "asyncio.Task[Any]") -> str:
    frames = task.get_stack(limit=1)
    return f"{frames[-1].f_code.co_qualname}, line {frames[-1].f_lineno}" if frames else "ended"
