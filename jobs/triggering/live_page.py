"""The page of an optimization while it runs, where the bot may show one.

It is drawn anew every few seconds if something has moved. Losing it loses nothing: the report
says the same. What has been found is kept beside it, so that whoever ends the optimization,
in this process or another, can say so on the page; no page goes on for ever.
"""

import asyncio

from jobs.requests import Repo, Value
from jobs.triggering.measuring import Measuring
from jobs.triggering.optimization import Optimization
from jobs.triggering.plan import TriggerRun
from jobs.triggering.report_page import REFRESH_S, Progress, render_page
from jobs.triggering.spending import read_spent
from jobs.triggering.split import Split
from jobs.triggering.world import TriggerRequestWorld


class KeptPage(Value):
    """What the page of an unfinished optimization was drawn from."""

    state: Optimization
    split: Split
    stopped: str = ""
    """Why it came to no end; empty while it goes on."""


class LivePage:
    """The page of one optimization."""

    def __init__(
        self, run: TriggerRun, measuring: Measuring, repo: Repo, world: TriggerRequestWorld
    ) -> None:
        self._run = run
        self._split = measuring.split()
        self._repo = repo
        self._pages = world.pages
        self._blobs = world.triggers.blobs
        self._done = 0
        self._changed = asyncio.Event()
        self._kept: Optimization | None = None
        """As it is in the store."""
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
        state = self._state
        address = await self._draw(Progress(self._done, self._run.estimate.sessions))
        if address is not None and state is not self._kept:
            kept = KeptPage(state=state, split=self._split)
            await self._blobs.put(_key(self._run), kept.model_dump_json().encode())
            self._kept = state
        return address

    async def finish(self, found: Optimization) -> None:
        """Draw it for the last time."""
        self._state = found
        await self._draw(None)
        await self._blobs.delete(_key(self._run))

    async def _draw(self, progress: Progress | None) -> str | None:
        kept = KeptPage(state=self._state, split=self._split)
        html = await asyncio.to_thread(_render, self._run, kept, progress)
        return await self._pages.put(self._repo, self._run.page_id, html)


async def end_page(run: TriggerRun, repo: Repo, words: str, world: TriggerRequestWorld) -> str:
    """Say on the page of an optimization that it has come to no end, and why.

    The first who says why is right. Gives the page's address; empty where there is no such page.
    """
    blobs = world.triggers.blobs
    stored = await blobs.get(_key(run))
    if stored is None:
        return ""
    kept = KeptPage.model_validate_json(stored)
    state = kept.state.model_copy(update={"usage": await read_spent(run, world.triggers)})
    kept = kept.model_copy(update={"state": state, "stopped": kept.stopped or words})
    await blobs.put(_key(run), kept.model_dump_json().encode())
    html = await asyncio.to_thread(_render, run, kept, None)
    return await world.pages.put(repo, run.page_id, html) or ""


def _render(run: TriggerRun, kept: KeptPage, progress: Progress | None) -> str:
    return render_page(
        run.skill.name,
        f"{run.model.sent}, {run.launcher}",
        kept.state,
        kept.split,
        progress=progress,
        stopped=kept.stopped,
    )


def _key(run: TriggerRun) -> str:
    return f"runs/{run.run_id}/page.json"
