"""Work beside the web process: statistics and pictures, in a process of their own.

scipy and matplotlib would treble what the web process holds, and a picture that is being drawn
would keep deliveries waiting. The process begins with the first work and is begun anew when it
is lost.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Generic, ParamSpec, TypeVar

from jobs.errors import Transient

Given = ParamSpec("Given")
Got = TypeVar("Got")
LONGEST_S = 60.0
"""For one piece of work, from when the process has it: whatever waits loses nothing by it."""


class Aside:
    """One process, which does one thing after another, in the order in which it was asked."""

    def __init__(self, *, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Lock()
        self._is_closed = False

    async def run(
        self, work: Callable[Given, Got], *args: Given.args, **kwargs: Given.kwargs
    ) -> Got:
        """What `work` gives; it and its arguments must be picklable, so a function of a module.

        Raises whatever it raises, and `Transient` where its process is lost or takes too long.
        """
        async with self._turn:  # a pool that holds more than this work would take it down with it
            return await self._run(_Work(work, args, kwargs))

    async def _run(self, work: "_Work[Got]") -> Got:
        if self._is_closed:
            raise Transient("the process that draws and counts has ended; try again")
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, mp_context=get_context("spawn"), initializer=_end_with_parent
            )
        try:
            async with asyncio.timeout(self._longest_s):
                return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        except (BrokenProcessPool, TimeoutError) as trouble:
            self._end()
            raise Transient("the process that draws and counts was lost; try again") from trouble
        except asyncio.CancelledError:
            self._end()  # nobody waits for it any more, and the next one must not
            raise

    def close(self) -> None:
        """End the process for good; what it is at is lost."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list(pool._processes.values()):  # noqa: SLF001 -- it knows no other end
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """Let this process end with the one that began it, which may be killed without a word."""
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


class _Work(Generic[Got]):
    """A call that can be sent to another process."""

    def __init__(
        self, work: Callable[..., Got], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> None:
        self._work, self._args, self._kwargs = work, args, kwargs

    def __call__(self) -> Got:
        return self._work(*self._args, **self._kwargs)
