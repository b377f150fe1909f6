"""`/repos/<owner>/<name>/runs/<run>`: one run, while it goes on and once it has ended."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh, find_repo, not_there
from bot.web.guard import Guard
from bot.web.run_details import choose_trial
from bot.web.run_files import FilePair, FileReader, pair_files
from bot.web.run_reader import FoundRun, RunReader
from bot.web.run_values import RunDetails
from bot.web.run_views import WHOLE
from bot.web.shell import render
from config.settings import Settings

HERE = "/repos/{owner}/{name}/runs/{run}"
MOST_ASSERTIONS = 30
"""On a page at a time."""
MOST_HEADS = 4
"""Files whose beginnings stand on the page of a run."""
MOST_FILES = 50
"""Names that are listed there; all are on a page of their own."""


class LiveLook(Protocol):
    """What is known of a run while it goes on."""

    async def look(self, repo: SeenRepo, run_id: str) -> Mapping[str, Any] | None:
        """Values for `run_live.html`; None where the run does not go on."""


class Asked(NamedTuple):
    """A run that a visitor asked for and may see."""

    repo: SeenRepo
    run_id: str
    found: FoundRun | None


class RunPage:
    """The pages of runs."""

    def __init__(
        self,
        reader: RunReader,
        figures: Figures,
        settings: Settings,
        clock: Callable[[], datetime],
        live: LiveLook | None = None,
    ) -> None:
        self._reader = reader
        self._figures = figures
        self._settings = settings
        self._clock = clock
        self._live = live
        self._files = FileReader(reader)

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [
            Route(HERE, guard.open_page(self.show), methods=["GET"]),
            Route(f"{HERE}/files", guard.open_page(self.show_files), methods=["GET"]),
        ]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """The run: live, or as it ended."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        if asked is None:
            return not_there(visitor)
        if asked.found is None or asked.found.result is None:
            live = await self._live.look(asked.repo, asked.run_id) if self._live else None
            if live is not None:
                return self._render(visitor, asked, live=live)
        if asked.found is None:
            return not_there(visitor)
        found = asked.found
        details = await self._reader.describe(
            found, asked.repo, trial=read_number(request, "trial")
        )
        first = read_number(request, "from")

        async def make() -> Response:
            return await self._show_ended(visitor, asked, details, first)

        versions = [asked.repo.is_private, details.model_dump_json()]
        return await answer_fresh(request, visitor, versions, make, now=self._clock())

    async def _show_ended(
        self, visitor: Visitor, asked: Asked, details: RunDetails, first: int
    ) -> Response:
        pairs, views = [], {}
        if asked.found is not None and asked.found.result is not None:
            pairs = find_pairs(asked.found, details.trial)
            heads = [pair.path for pair in pairs[:MOST_HEADS]]
            views = await self._files.view(asked.found, details.trial, heads)
        count = len(details.assertions)
        start = min(max(first, 0), max(count - 1, 0)) // MOST_ASSERTIONS * MOST_ASSERTIONS
        end = start + MOST_ASSERTIONS
        shown = details.assertions[start:end]
        return self._render(
            visitor,
            asked,
            details=details,
            assertions=shown,
            readings={
                one.id: [reading.verdicts.get(one.id) for reading in details.passes]
                for one in shown
            },
            earlier=max(start - MOST_ASSERTIONS, 0) if start else None,
            later=end if end < count else None,
            pairs=pairs[:MOST_FILES],
            more_files=max(0, len(pairs) - MOST_FILES),
            views=views,
            heads=MOST_HEADS,
        )

    def _render(self, visitor: Visitor, asked: Asked, **values: Any) -> Response:
        given = {"details": None, "live": None} | values
        return render(
            "run.html",
            visitor,
            here="",
            repo=asked.repo,
            run_id=asked.run_id,
            web_url=self._settings.github_web_url,
            **given,
        )

    async def show_files(self, request: Request, visitor: Visitor) -> Response:
        """All files of a trial by name, or one of them whole, and what differs in it."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        if asked is None or asked.found is None or asked.found.result is None:
            return not_there(visitor)
        found = asked.found
        details = await self._reader.describe(
            found, asked.repo, trial=read_number(request, "trial")
        )
        pairs = find_pairs(found, details.trial)
        path = request.query_params.get("path")
        chosen = next((pair for pair in pairs if pair.path == path), None)
        if path is not None and chosen is None:
            return not_there(visitor)

        async def make() -> Response:
            views, change = {}, None
            if chosen is not None:
                views = await self._files.view(found, details.trial, [chosen.path], WHOLE)
                if chosen.state == "differs":
                    change = await self._files.compare(found, details.trial, chosen.path)
            return render(
                "run_files.html",
                visitor,
                here="",
                repo=asked.repo,
                run_id=asked.run_id,
                details=details,
                pairs=pairs,
                chosen=chosen,
                views=views,
                change=change,
            )

        versions = [asked.repo.is_private, details.model_dump_json()]
        return await answer_fresh(request, visitor, versions, make, now=self._clock())


def find_pairs(found: FoundRun, trial: int) -> list[FilePair]:
    """The files of both arms in a trial."""
    if found.result is None:
        return []
    tested, other = found.result.spec.arms
    number = choose_trial(found.result, trial)
    return pair_files(found.find_session(tested, number), found.find_session(other, number))


async def find_asked(
    request: Request, visitor: Visitor, figures: Figures, reader: RunReader
) -> Asked | None:
    """The run that an address names; None where the visitor may not see its repository."""
    repo = await find_repo(request, visitor, figures)
    if repo is None:
        return None
    run_id = str(request.path_params["run"])
    return Asked(repo, run_id, await reader.find(repo, run_id))


def read_number(request: Request, name: str) -> int:
    """A number of the query; 0 for what is none."""
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
