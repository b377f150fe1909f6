"""`/tasks`: the runs of datasets, the form that begins one, and two of them beside each other."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import structlog
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.asking import (
    USUAL_PARALLEL,
    BadForm,
    find_suites,
    find_targets,
    read_asking,
)
from bot.web.comparing import Comparer
from bot.web.guard import SEE_OTHER, Guard
from bot.web.runs import RUN_ID, Runs
from bot.web.shell import HEADERS, problem, render
from jobs.errors import Refused

MOST_SHOWN = 50
"""Runs in the list."""

log = structlog.get_logger(__name__)


class Tasks:
    """The pages about all runs."""

    def __init__(
        self, runs: Runs, comparer: Comparer, folder: Path, clock: Callable[[], datetime]
    ) -> None:
        self._runs = runs
        self._folder = folder
        self._clock = clock
        self._comparer = comparer

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [
            Route("/tasks", guard.page(self.show), methods=["GET"]),
            Route("/tasks", guard.form(self.begin), methods=["POST"]),
            Route("/tasks/new", guard.page(self.show_form), methods=["GET"]),
            Route("/tasks/compare", guard.page(self.compare), methods=["GET"]),
        ]

    async def show(self, _: Request, visitor: Visitor) -> Response:
        """What runs, what waits, and what has ended."""
        found = await self._runs.newest(MOST_SHOWN)
        return render(
            "tasks.html",
            visitor,
            here="/tasks",
            active=[one for one in found if not one.has_ended],
            ended=[one for one in found if one.has_ended],
            most=MOST_SHOWN,
        )

    async def show_form(self, _: Request, visitor: Visitor) -> Response:
        return await self._form(visitor, {"parallel": str(USUAL_PARALLEL)}, {})

    async def begin(self, _: Request, visitor: Visitor, form: dict[str, str]) -> Response:
        """Ask for a run, and lead to its page."""
        try:
            request = read_asking(form, asker=visitor.login, now=self._clock())
        except BadForm as bad:
            return await self._form(visitor, form, bad.problems)
        await self._runs.ask(request)
        log.info("dataset_asked", run=request.dataset.run_id, by=visitor.login)
        return RedirectResponse(f"/tasks/{request.dataset.run_id}", SEE_OTHER, HEADERS)

    async def _form(
        self, visitor: Visitor, values: Mapping[str, str], problems: Mapping[str, str]
    ) -> Response:
        suites = await to_thread.run_sync(find_suites, self._folder)
        return render(
            "new.html",
            visitor,
            status=422 if problems else 200,
            here="/tasks/new",
            suites=suites,
            folder=self._folder,
            targets=find_targets(),
            values=values,
            problems=problems,
        )

    async def compare(self, request: Request, visitor: Visitor) -> Response:
        """Choose two reports, or see what the second changed."""
        names = [request.query_params.get(name, "") for name in ("a", "b")]
        found = await self._runs.newest(MOST_SHOWN)
        ended = [one for one in found if one.has_ended and one.graded]
        words = None
        if all(names):
            if not all(RUN_ID.fullmatch(name) for name in names):
                return problem(visitor, 404, "No such run", "Choose two runs of the list.")
            reports = [await self._runs.summary(name) for name in names]
            if reports[0] is None or reports[1] is None:
                return problem(visitor, 404, "No report", "One of these runs has no report yet.")
            try:
                words = await self._comparer.compare(reports[0], reports[1])
            except Refused as refusal:
                return problem(visitor, 422, "Not comparable", str(refusal))
        return render(
            "compare.html", visitor, here="/tasks/compare", ended=ended, chosen=names, words=words
        )
