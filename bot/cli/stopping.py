"""Runs a command's work until it ends or somebody stops it, by Ctrl-C or SIGTERM alike.

Either way the work is cancelled, not torn off: sessions end, folders and servers go.
"""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from jobs.errors import Error

STOPPED = 130
"""Exit code of a command that was stopped before it had done what it was for."""

T = TypeVar("T")


def until_stopped(
    work: Coroutine[Any, Any, T],
    *,
    make_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
) -> T | None:
    """Run until it ends, or until SIGTERM or SIGINT; errors come out as they are.

    Gives what the work gave; None where it was stopped.
    """

    async def main() -> T | None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, task.cancel)
        await asyncio.wait({task})
        return None if task.cancelled() else task.result()

    try:
        with asyncio.Runner(loop_factory=make_loop) as runner:
            return runner.run(main())
    except* Error as errors:
        raise errors.exceptions[0] from None
