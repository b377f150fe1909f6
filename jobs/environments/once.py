"""Work that several ask for at the same time and that is done once.

Who joins gets what the one doing gets, a failure included: ten requests behind a script
that hangs wait for it once, not ten times in turn. Nothing is remembered once it is done.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Work under way, by key."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[asyncio.Task[T], list[object]]] = {}

    async def run(self, key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The outcome of `make`, or of the same work if it is under way.

        The work goes on for as long as somebody waits for it; then it is cancelled, and has
        ended when the last one's cancellation is raised.
        """
        if key not in self._under_way:
            task = asyncio.create_task(make())
            self._under_way[key] = (task, [])
            task.add_done_callback(lambda done: self._forget(key, done))
        task, waiting = self._under_way[key]
        me = object()
        waiting.append(me)
        try:
            return await asyncio.shield(task)
        finally:
            waiting.remove(me)
            if not waiting and not task.done():
                self._under_way.pop(key, None)  # who asks from now on begins anew
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    def _forget(self, key: str, done: asyncio.Task[T]) -> None:
        if key in self._under_way and self._under_way[key][0] is done:
            del self._under_way[key]
        if not done.cancelled():
            done.exception()  # heard, even if everybody who waited has gone
