"""Server-sent events of a run: what its page shows, again whenever something has changed.

Nothing is polled: Redis tells of each change. Many changes within a moment are one event, so a run
of two hundred cases at a time asks no more of a browser than one of two.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime

import structlog

from bot.web.runs import Runs, RunView, of_live
from bot.web.shell import show_percent, show_seconds
from jobs.errors import Transient

AT_MOST_EVERY_S = 0.25
ALIVE_EVERY_S = 15.0
"""A line that says nothing, so that nobody between takes the stream for dead."""
MOST_SHOWN = 30
"""Cases in flight on a page."""
MOST_FOLLOWERS = 100
"""Of one web process: each holds a connection to Redis. Others load the page anew."""

log = structlog.get_logger(__name__)


class Followers:
    """Everybody who follows a run in this process."""

    def __init__(self, runs: Runs, clock: Callable[[], datetime], leaving: asyncio.Event) -> None:
        self._runs = runs
        self._clock = clock
        self._leaving = leaving
        self._count = 0

    @property
    def is_full(self) -> bool:
        return self._count >= MOST_FOLLOWERS

    async def events(self, run_id: str) -> AsyncIterator[str]:
        """The stream, until the run has ended, the follower has gone, or the server goes."""
        self._count += 1
        changed = asyncio.Event()
        following = asyncio.create_task(self._follow(run_id, changed))
        waking = asyncio.create_task(self._wake(changed))
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(ALIVE_EVERY_S):
                        await changed.wait()
                if self._leaving.is_set():
                    return
                if not changed.is_set():
                    yield ": still here\n\n"
                    continue
                changed.clear()
                run = await self._runs.live.look(run_id)
                if run is None:
                    return
                view = of_live(run)
                yield make_event("progress", render_progress(view, self._clock()))
                if view.has_ended:
                    yield make_event("ended", {"state": view.state})
                    return
                if following.done():
                    return  # the browser connects again
                await asyncio.sleep(AT_MOST_EVERY_S)
        except Transient as trouble:
            log.warning("stream_broke_off", run=run_id, problem=str(trouble))
        finally:
            self._count -= 1
            following.cancel()
            waking.cancel()
            await asyncio.gather(following, waking, return_exceptions=True)

    async def _wake(self, changed: asyncio.Event) -> None:
        """Let the stream end with the server: a browser asks the next one again."""
        await self._leaving.wait()
        changed.set()

    async def _follow(self, run_id: str, changed: asyncio.Event) -> None:
        try:
            async for _ in self._runs.live.follow(run_id):
                changed.set()
        except Transient as trouble:
            log.warning("no_longer_told", run=run_id, problem=str(trouble))
        finally:
            changed.set()


def make_event(name: str, data: object) -> str:
    """One event. JSON holds no line end, so no text of others can end it."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def render_progress(run: RunView, now: datetime) -> dict[str, object]:
    """What changes on the page of a run while it goes on, as it is shown."""
    left = run.seconds_left(now)
    return {
        "done": run.done,
        "total": run.total,
        "state": run.state.replace("_", " "),
        "shown": {
            "done": f"{run.done:,} of {run.total:,}",
            "average": show_percent(run.average),
            "passes": show_percent(run.pass_rate),
            "ungraded": f"{run.ungraded:,}",
            "cost": run.cost,
            "left": "-" if left is None else show_seconds(left),
        },
        "in_flight": [{"id": one.id, "turn": one.turn} for one in run.in_flight[:MOST_SHOWN]],
        "more": max(0, len(run.in_flight) - MOST_SHOWN),
    }
