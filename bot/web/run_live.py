"""Runs that go on, on the pages: one run turn by turn, and what runs now."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from sse_starlette.event import ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.live_sessions import LiveReader
from bot.store.seen_repos import SeenRepo
from bot.web.access import Access, Visitor
from bot.web.figures import Figures
from bot.web.followers import Followers, Told, answer_events, make_event, stream, too_many
from bot.web.fresh import find_repo, not_there
from bot.web.guard import Guard
from bot.web.live_view import LiveView, view_run
from bot.web.shell import render_part
from jobs.dashboard.addresses import run_address
from jobs.live_sessions import LiveState, RunNow

FINAL: frozenset[LiveState] = frozenset({"ended", "failed", "refused", "cancelled"})
"""After which nothing more is told; what was interrupted may go on."""
RUNNING = "/running/events"
PARTS = "live_parts.html"
LOOK_AGAIN_S = 3.0
"""For so long at most a stream goes on telling what its visitor may not see any more."""


@dataclass(frozen=True, slots=True)
class Running:
    """Values for `running.html`."""

    views: Sequence[LiveView]
    events: str
    """Where changes are told."""
    now_ms: int

    @property
    def version(self) -> list[str]:
        """Differs where anything else is shown, and each minute, since time passes for each run:
        without a script a page that was kept would go on telling the turns of then.
        """
        now = f"{self.now_ms // 60_000}"
        return [f"{one.run.head.run} {one.state} {one.run.version} {now}" for one in self.views]


class RunLive:
    """Shows runs while they go on. Raises `Transient` where Redis is away."""

    def __init__(
        self,
        reader: LiveReader,
        figures: Figures,
        access: Access,
        clock: Callable[[], datetime],
        leaving: asyncio.Event,
    ) -> None:
        self._reader = reader
        self._figures = figures
        self._access = access
        self._clock = clock
        self._followers = Followers(_RunSource(reader, clock), leaving)
        self._of_all = Followers(_RunningSource(reader, clock), leaving)

    def routes(self, guard: Guard) -> list[BaseRoute]:
        run = "/repos/{owner}/{name}/runs/{run}/events"
        return [
            Route(run, guard.open_page(self.stream), methods=["GET"]),
            Route(RUNNING, guard.open_page(self.stream_running), methods=["GET"]),
        ]

    async def look(self, repo: SeenRepo, run_id: str) -> Mapping[str, Any] | None:
        """Values for `run_live.html`; None where the run was not begun lately, or has ended and
        has a page of its own.
        """
        run = await self._find(repo, run_id)
        if run is None or run.move.state == "ended":
            return None
        now = self._clock()
        address = f"{run_address(repo.full_name, run_id)}/events"
        return {
            "view": view_run(run, now),
            "events": "" if run.move.state in FINAL else address,
            "now_ms": _milliseconds(now),
        }

    async def find_running(self, visitor: Visitor, repo: str = "") -> Running:
        """What runs now that a visitor sees, in all repositories or in one (`owner/name`)."""
        now = self._clock()
        seen = _Seen(visitor, self._figures, repo)
        runs = [run for run in await self._reader.running() if await seen.sees(run)]
        views = [view_run(run, now) for run in runs]
        query = f"?{urlencode({'repo': repo})}" if repo else ""
        return Running(views, RUNNING + query, _milliseconds(now))

    async def stream(self, request: Request, visitor: Visitor) -> Response:
        """Server-sent events of a run that goes on."""
        repo = await find_repo(request, visitor, self._figures)
        run_id = str(request.path_params["run"])
        if repo is None or await self._find(repo, run_id) is None:
            return not_there(visitor)
        if not self._followers.takes(run_id):
            return too_many()
        seen = request.headers.get("last-event-id", "")
        follower = _Follower(self._access, request, visitor)
        return answer_events(self._tell(follower, run_id, seen))

    async def stream_running(self, request: Request, visitor: Visitor) -> Response:
        """Server-sent events of all runs that go on and that the visitor sees."""
        if not visitor.is_known and visitor.public_since is None:
            return not_there(visitor)
        if not self._of_all.takes(""):
            return too_many()
        return answer_events(self._tell_running(_Follower(self._access, request, visitor)))

    async def _tell(
        self, follower: "_Follower", run_id: str, seen: str
    ) -> AsyncGenerator[ServerSentEvent, None]:
        """The events of a run, for as long as the follower may see them."""
        async with aclosing(stream(self._followers, run_id, seen)) as events:
            async for event in events:
                if await follower.looks_again():
                    now_sees = await find_repo(follower.request, follower.visitor, self._figures)
                    if now_sees is None:
                        return
                yield event

    async def _tell_running(self, follower: "_Follower") -> AsyncGenerator[ServerSentEvent, None]:
        """What a visitor sees of all runs, whenever that has changed."""
        repo = follower.request.query_params.get("repo", "")
        seen = _Seen(follower.visitor, self._figures, repo)
        before: tuple[str, ...] | None = None
        async with aclosing(self._of_all.follow("")) as changes:
            async for told in changes:
                if await follower.looks_again():
                    seen = _Seen(follower.visitor, self._figures, repo)
                runs = [run for run in told.value.runs if await seen.sees(run)]
                versions = tuple(f"{run.head.run} {run.version}" for run in runs)
                if versions != before:
                    yield told.value.render(versions, runs)
                before = versions

    async def _find(self, repo: SeenRepo, run_id: str) -> RunNow | None:
        """A run of this very repository."""
        run = await self._reader.look(run_id)
        is_its = run is not None and run.head.repo.lower() == repo.full_name.lower()
        return run if is_its else None


class _RunSource:
    """Implements `bot.web.followers.Source` for runs, by their ids."""

    def __init__(self, reader: LiveReader, clock: Callable[[], datetime]) -> None:
        self._reader = reader
        self._clock = clock

    def follow(self, run_id: str) -> AsyncIterator[object]:
        return self._reader.follow(run_id)

    async def tell(self, run_id: str) -> Told[list[ServerSentEvent]] | None:
        run = await self._reader.look(run_id)
        if run is None:
            return None
        now = self._clock()
        view = view_run(run, now)
        version = f"{run.version}-{run.is_held:d}"
        events = [make_event("changed", _news(render_parts(view), view.said, now), version)]
        if is_final := run.move.state in FINAL:
            events.append(make_event("ended", {"state": view.state}))
        return Told(events, version, is_last=is_final)


@dataclass(slots=True)
class _AllNow:
    """All runs that go on at a moment, and what was made of them for whoever sees the same."""

    runs: Sequence[RunNow]
    at: datetime
    made: dict[tuple[str, ...], ServerSentEvent] = field(default_factory=dict)

    def render(self, versions: tuple[str, ...], runs: Sequence[RunNow]) -> ServerSentEvent:
        """The event for those who see these of the runs, in these versions."""
        if versions not in self.made:
            views = [view_run(run, self.at) for run in runs]
            parts = {"running": render_part(PARTS, "running", views)}
            self.made[versions] = make_event("changed", _news(parts, "", self.at))
        return self.made[versions]


class _RunningSource:
    """The same for all runs that go on; there is one name, which is empty."""

    def __init__(self, reader: LiveReader, clock: Callable[[], datetime]) -> None:
        self._reader = reader
        self._clock = clock

    def follow(self, _: str) -> AsyncIterator[object]:
        return self._reader.follow()

    async def tell(self, _: str) -> Told[_AllNow]:
        runs = await self._reader.running()
        now = _AllNow(runs, self._clock())
        return Told(now, " ".join(["now", *(run.version for run in runs)]))


class _Follower:
    """Somebody who follows, and may see less after a while: a repository becomes private, they
    sign out, or lose their role.
    """

    def __init__(self, access: Access, request: Request, visitor: Visitor) -> None:
        self.request = request
        self.visitor = visitor
        self._access = access
        self._good_until = _now() + LOOK_AGAIN_S

    async def looks_again(self) -> bool:
        """Whether it was time to look anew at who they are. Raises `REDIS_AWAY`."""
        if _now() < self._good_until:
            return False
        self.visitor = await self._access.visitor(self.request)
        self._good_until = _now() + LOOK_AGAIN_S
        return True


class _Seen:
    """What one visitor sees of the runs that go on."""

    def __init__(self, visitor: Visitor, figures: Figures, repo: str) -> None:
        self._visitor = visitor
        self._figures = figures
        self._repo = repo.lower()
        """The only one that is wanted, in lower case; empty: all."""
        self._known: dict[str, bool] = {}

    async def sees(self, run: RunNow) -> bool:
        name = run.head.repo
        if self._repo not in {"", name.lower()}:
            return False
        if name not in self._known:
            repo = await self._figures.repo(name)
            self._known[name] = repo is not None and self._visitor.sees(repo)
        return self._known[name]


def render_parts(view: LiveView) -> dict[str, str]:
    """The parts of a run's page that change, by their names there."""
    arms = {
        f"arm-{number}": render_part(PARTS, "arm", one) for number, one in enumerate(view.arms, 1)
    }
    of_run = {
        name: render_part(PARTS, name, view) for name in ("head", "tiles", "judge", "earlier")
    }
    return of_run | arms


def _news(parts: Mapping[str, str], said: str, now: datetime) -> dict[str, object]:
    return {"parts": parts, "said": said, "now": _milliseconds(now)}


def _now() -> float:
    """Seconds on the loop's clock."""
    return asyncio.get_running_loop().time()


def _milliseconds(moment: datetime) -> int:
    """Since the epoch."""
    return int(moment.timestamp() * 1000)
