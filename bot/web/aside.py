"""Work beside the web process: statistics and pictures, in a process of their own.

scipy and matplotlib would treble what the web process holds, and a picture that is being drawn
would keep deliveries waiting. The process begins with the first work and is begun anew when it
is lost.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Generic, ParamSpec, TypeVar

from jobs.errors import Transient

Given = ParamSpec("Given")
Got = TypeVar("Got")
LONGEST_S = 60.0
"""For one piece of work, waiting for those before it included."""


class Aside:
    """One process, which does one thing after another."""

    def __init__(self, *, longest_s: float = LONGEST_S) -> None:
        self._longest_s = longest_s
        self._pool: ProcessPoolExecutor | None = None

    async def run(
        self, work: Callable[Given, Got], *args: Given.args, **kwargs: Given.kwargs
    ) -> Got:
        """What `work` gives; it and its arguments must be picklable, so a function of a module.

        Raises whatever it raises, and `Transient` where its process is lost or takes too long.
        """
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        pool = self._pool
        try:
            async with asyncio.timeout(self._longest_s):
                doing = asyncio.get_running_loop().run_in_executor(pool, _Work(work, args, kwargs))
                return await doing
        except (BrokenProcessPool, TimeoutError) as trouble:
            if self._pool is pool:
                self._end()
            raise Transient("the process that draws and counts was lost; try again") from trouble

    def close(self) -> None:
        """End the process; what it is at is lost."""
        self._end()

    def _end(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list(pool._processes.values()):  # noqa: SLF001 -- it knows no other end
                process.terminate()
            pool.shutdown(wait=False, cancel_futures=True)


class _Work(Generic[Got]):
    """A call that can be sent to another process."""

    def __init__(
        self, work: Callable[..., Got], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> None:
        self._work, self._args, self._kwargs = work, args, kwargs

    def __call__(self) -> Got:
        return self._work(*self._args, **self._kwargs)
