"""`/tasks/<run>`: one run as it goes on and when it has ended, its cases, and what can be done."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import structlog
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.asking import make_request, new_run_id
from bot.web.findings import find_findings
from bot.web.followers import Followers, answer_events, stream, too_many
from bot.web.guard import SEE_OTHER, Guard
from bot.web.live import DatasetSource, render_progress
from bot.web.runs import RUN_ID, WAITING, Runs, RunView
from bot.web.shell import HEADERS, problem, render
from jobs.datasets.plan import RunPlan
from jobs.datasets.report import render_line
from jobs.datasets.summary import (
    CRITERION_HEAD,
    TAG_HEAD,
    TROUBLES,
    case_lines,
    criterion_rows,
    find_headline,
    find_notes,
    tag_rows,
)
from jobs.datasets.summary_page import find_bar
from jobs.requests import DatasetOptions

PAGE_SIZE = 50
RESULTS = ("pass", "fail", "scored", "error")
RESUMABLE = frozenset({"cancelled", "out_of_money", "failed"})

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of the cases of a run."""

    lines: Sequence[dict[str, Any]]
    total: int
    """Cases on all pages."""
    page: int
    result: str
    """Only cases with this result; empty: all."""

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PAGE_SIZE))

    def address(self, page: int) -> str:
        """The query of another page of the same list."""
        return "?" + urlencode({"page": page} | ({"result": self.result} if self.result else {}))


class TaskPage:
    """The pages about one run."""

    def __init__(self, runs: Runs, clock: Callable[[], datetime], leaving: asyncio.Event) -> None:
        self._runs = runs
        self._clock = clock
        self._followers = Followers(DatasetSource(runs, clock), leaving)

    def routes(self, guard: Guard) -> list[BaseRoute]:
        here = "/tasks/{run_id}"
        return [
            Route(here, guard.page(self.show), methods=["GET"]),
            Route(f"{here}/events", guard.page(self.stream), methods=["GET"]),
            Route(f"{here}/case", guard.page(self.show_case), methods=["GET"]),
            Route(f"{here}/cancel", guard.form(self.cancel), methods=["POST"]),
            Route(f"{here}/resume", guard.form(self.resume), methods=["POST"]),
            Route(f"{here}/rerun", guard.form(self.rerun), methods=["POST"]),
        ]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        run = await self._find(request)
        if run is None:
            return _not_there(visitor)
        plan = await self._runs.plan(run.run_id)
        if plan is None:
            word = await self._runs.word(run.run_id)
            return render("waiting.html", visitor, here="", run=run, word=word)
        summary = await self._runs.summary(run.run_id) if run.has_ended else None
        listing = await self._list(request, plan, summary, run)
        return render(
            "task.html",
            visitor,
            here="",
            run=run,
            plan=plan,
            listing=listing,
            results=RESULTS,
            live=None if run.has_ended else render_progress(run, self._clock()),
            summary=summary,
            headline=find_headline(summary) if summary else "",
            notes=find_notes(summary) if summary else [],
            bar=find_bar(summary) if summary else None,
            tables=_tables(summary) if summary else [],
            may_resume=run.state in RESUMABLE,
            troubles=TROUBLES,
        )

    async def _list(
        self, request: Request, plan: RunPlan, summary: dict[str, Any] | None, run: RunView
    ) -> Listing:
        page = _number(request.query_params.get("page", "1"))
        result = request.query_params.get("result", "")
        result = result if result in RESULTS and summary else ""
        if summary is not None:
            lines = [one for one in case_lines(summary) if not result or one["result"] == result]
            start = (page - 1) * PAGE_SIZE
            return Listing(lines[start : start + PAGE_SIZE], len(lines), page, result)
        flying = {one.id: one.turn for one in run.in_flight}
        names = plan.cases[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        lines = await asyncio.gather(*(self._line(plan, name, flying) for name in names))
        return Listing(lines, len(plan.cases), page, "")

    async def _line(self, plan: RunPlan, name: str, flying: dict[str, int]) -> dict[str, Any]:
        """A case of a run that goes on."""
        if name in flying:
            return {"id": name, "title": "", "result": "running", "score": None, "trouble": None,
                    "feedback": f"turn {flying[name]}" if flying[name] else "begins"}  # fmt: skip
        found = await self._runs.case(plan.run_id, name)
        if found is None:
            return {"id": name, "title": "", "result": WAITING, "score": None, "trouble": None,
                    "feedback": ""}  # fmt: skip
        return render_line(found)

    async def stream(self, request: Request, visitor: Visitor) -> Response:
        """Server-sent events of a run that goes on."""
        run = await self._find(request)
        if run is None:
            return _not_there(visitor)
        if not self._followers.takes(run.run_id):
            return too_many()
        return answer_events(stream(self._followers, run.run_id))

    async def show_case(self, request: Request, visitor: Visitor) -> Response:
        """One case: its dialogue, and what was found in it."""
        run = await self._find(request)
        plan = await self._runs.plan(run.run_id) if run is not None else None
        name = request.query_params.get("id", "")
        if run is None or plan is None or name not in plan.cases:
            return _not_there(visitor)
        case = await self._runs.case(run.run_id, name)
        at = plan.cases.index(name)
        return render(
            "case.html",
            visitor,
            here="",
            run=run,
            name=name,
            case=case,
            before=plan.cases[at - 1] if at else None,
            after=plan.cases[at + 1] if at + 1 < len(plan.cases) else None,
            findings=find_findings(case) if case else [],
            troubles=TROUBLES,
        )

    async def cancel(self, request: Request, visitor: Visitor, _: dict[str, str]) -> Response:
        run = await self._find(request)
        if run is None:
            return _not_there(visitor)
        if not run.has_ended:
            await self._runs.live.cancel(run.run_id, visitor.login)
            log.info("dataset_cancelled", run=run.run_id, by=visitor.login)
        return _back(run.run_id)

    async def resume(self, request: Request, visitor: Visitor, _: dict[str, str]) -> Response:
        """Carry the run on as it was planned."""
        run = await self._find(request)
        plan = await self._runs.plan(run.run_id) if run is not None else None
        if run is None or plan is None or run.state not in RESUMABLE:
            return problem(visitor, 409, "Nothing to resume", "The run goes on, or is complete.")
        options = DatasetOptions(
            benchmark=plan.benchmark, dataset=plan.dataset, run_id=plan.run_id, resume=True
        )
        await self._ask(options, visitor)
        return _back(plan.run_id)

    async def rerun(self, request: Request, visitor: Visitor, _: dict[str, str]) -> Response:
        """Run what is ungraded once more, as a run of its own that holds all cases."""
        run = await self._find(request)
        plan = await self._runs.plan(run.run_id) if run is not None else None
        if run is None or plan is None or not run.has_ended or not run.ungraded:
            return problem(visitor, 409, "Nothing to run again", "No case of it is ungraded.")
        run_id = new_run_id()
        options = DatasetOptions(
            benchmark=plan.benchmark, dataset=plan.dataset, run_id=run_id, again_of=plan.run_id
        )
        await self._ask(options, visitor)
        return _back(run_id)

    async def _ask(self, options: DatasetOptions, visitor: Visitor) -> None:
        request = make_request(options, models=(), asker=visitor.login, now=self._clock())
        await self._runs.ask(request)
        log.info("dataset_asked", run=options.run_id, by=visitor.login)

    async def _find(self, request: Request) -> RunView | None:
        """The run that the address names; only what looks like an id is looked up."""
        run_id = str(request.path_params["run_id"])
        return await self._runs.find(run_id) if RUN_ID.fullmatch(run_id) else None


def _tables(summary: dict[str, Any]) -> list[tuple[Sequence[str], list[tuple[str, ...]]]]:
    tables = [(TAG_HEAD, tag_rows(summary)), (CRITERION_HEAD, criterion_rows(summary))]
    return [(head, rows) for head, rows in tables if rows]


def _number(text: str) -> int:
    """A page's number; the first one where it is none."""
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 6 else 1


def _back(run_id: str) -> Response:
    return RedirectResponse(f"/tasks/{run_id}", SEE_OTHER, HEADERS)


def _not_there(visitor: Visitor) -> Response:
    return problem(visitor, 404, "No such run", "It was never here, or has been cleared away.")
