"""The page of an optimization while it runs, where the bot may show one.

It is drawn anew every few seconds if something has moved. Losing it loses nothing: the report
says the same.
"""

import asyncio

from jobs.ports import Pages
from jobs.requests import Repo
from jobs.triggering.measuring import Measuring
from jobs.triggering.optimization import Optimization
from jobs.triggering.plan import TriggerRun
from jobs.triggering.report_page import REFRESH_S, Progress, render_page


class LivePage:
    """The page of one optimization."""

    def __init__(self, run: TriggerRun, measuring: Measuring, repo: Repo, pages: Pages) -> None:
        self._run = run
        self._split = measuring.split()
        self._repo = repo
        self._pages = pages
        self._done = 0
        self._changed = asyncio.Event()
        self._state = Optimization(
            original=measuring.description,
            holdout=measuring.options.holdout,
            train_size=len(self._split.train),
            test_size=len(self._split.test),
        )

    def changed(self, state: Optimization) -> None:
        """An iteration has ended."""
        self._state = state
        self._changed.set()

    def moved(self, done: int) -> None:
        """So many sessions have ended."""
        self._done = done
        self._changed.set()

    async def keep_up(self) -> None:
        """Draw it anew whenever something has changed, but not all the time."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if await self.show() is None:
                return
            await asyncio.sleep(REFRESH_S)

    async def show(self) -> str | None:
        """Draw it as it is now; gives its address, or None where it is shown nowhere."""
        return await self._draw(Progress(self._done, self._run.estimate.sessions))

    async def finish(self, found: Optimization) -> None:
        """Draw it for the last time."""
        self._state = found
        await self._draw(None)

    async def _draw(self, progress: Progress | None) -> str | None:
        model = f"{self._run.model.sent}, {self._run.launcher}"
        html = await asyncio.to_thread(
            lambda: render_page(
                self._run.skill.name, model, self._state, self._split, progress=progress
            )
        )
        return await self._pages.put(self._repo, self._run.page_id, html)
