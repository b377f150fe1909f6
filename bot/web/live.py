"""Server-sent events of a dataset's run: what its page shows, whenever something has changed.

A run of two hundred cases at a time asks no more of a browser than one of two.
"""

from collections.abc import AsyncIterator, Callable
from datetime import datetime

from sse_starlette.event import ServerSentEvent

from bot.web.followers import Told, make_event
from bot.web.runs import Runs, RunView, of_live
from bot.web.shell import show_percent, show_seconds

MOST_SHOWN = 30
"""Cases in flight on a page."""


class DatasetSource:
    """Implements `bot.web.followers.Source` for runs of datasets, by their ids."""

    def __init__(self, runs: Runs, clock: Callable[[], datetime]) -> None:
        self._runs = runs
        self._clock = clock

    def follow(self, run_id: str) -> AsyncIterator[object]:
        return self._runs.live.follow(run_id)

    async def tell(self, run_id: str) -> Told[list[ServerSentEvent]] | None:
        run = await self._runs.live.look(run_id)
        if run is None:
            return None
        view = of_live(run)
        events = [make_event("progress", render_progress(view, self._clock()))]
        if view.has_ended:
            events.append(make_event("ended", {"state": view.state}))
        return Told(events, is_last=view.has_ended)


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
