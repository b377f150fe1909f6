"""Figures over a clock that is set by hand, and the work behind them, watched."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from bot.store.seen_repos import SeenRepo
from bot.web.aside import Aside
from bot.web.figures import Figures
from config.settings import Settings
from tests.bot.web import some_settings
from tests.bot.web_pages.ledger_seed import REPO, put_records, some_records

WAIT_S = 60.0
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HERE = SeenRepo(full_name=REPO, is_private=False, installation_id=7, seen_at=NOW)


class WatchedAside(Aside):
    """Does its work when it is let, and counts it."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self.trouble: Exception | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        await self.gate.wait()
        if self.trouble is not None:
            raise self.trouble
        self.done.append(work.__name__)
        return await super().run(work, *args, **kwargs)


@dataclass
class Scene:
    """One web process's figures, over a clock that is set by hand."""

    redis: Redis
    settings: Settings
    aside: WatchedAside
    now: datetime = NOW
    opened: list[Figures] = field(default_factory=list)

    def figures(self, **changes: Any) -> Figures:
        """Those of one more process, which waits for a loaded machine."""
        given = {"first_wait_s": WAIT_S} | changes
        made = Figures(self.redis, self.settings, self.aside, lambda: self.now, **given)
        self.opened.append(made)
        return made

    async def put(self, count: int, **changes: Any) -> None:
        await put_records(self.redis, some_records(count, until=NOW, **changes))


@asynccontextmanager
async def figures_scene(redis: Redis, redis_url: str, folder: Path) -> AsyncIterator[Scene]:
    """With nothing in it yet."""
    scene = Scene(redis, some_settings(redis_url, data_dir=folder / "data"), WatchedAside())
    yield scene
    for figures in scene.opened:
        await figures.close()
    scene.aside.close()


async def until(holds: Callable[[], Any]) -> None:
    """Wait for what is being made behind."""
    async with asyncio.timeout(WAIT_S):
        while not await holds():
            await asyncio.sleep(0.01)
