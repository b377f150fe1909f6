"""The files of the commits that a request is about, each downloaded once."""

import asyncio
from contextlib import AsyncExitStack

from jobs.carrying_out import open_snapshot
from jobs.content.snapshot import Snapshot
from jobs.requests import Request
from jobs.world import World


class Commits:
    """Snapshots by commit, on disk as long as `stack` is open."""

    def __init__(self, request: Request, world: World, stack: AsyncExitStack) -> None:
        self._request = request
        self._world = world
        self._stack = stack
        self._snapshots: dict[str, Snapshot] = {}
        self._one_at_a_time = asyncio.Lock()

    async def get(self, commit: str) -> Snapshot:
        """The files of a commit. Raises `Refused` where GitHub does not show them."""
        async with self._one_at_a_time:
            if commit not in self._snapshots:
                opened = open_snapshot(self._request, commit, self._world)
                self._snapshots[commit] = await self._stack.enter_async_context(opened)
            return self._snapshots[commit]
