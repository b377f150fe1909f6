"""Reports to take along: the whole as JSON, its summary as a page or as Markdown."""

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.guard import Guard
from bot.web.runs import RUN_ID, Runs
from bot.web.shell import HEADERS, problem
from jobs.datasets.keeping import FOLDER
from jobs.datasets.report import safe_name
from jobs.datasets.summary import render_markdown
from jobs.datasets.summary_page import render_page

KINDS = {"html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8"}
SEALED = HEADERS | {"content-security-policy": "default-src 'none'; sandbox"}
"""What is downloaded is nobody's page here, should a browser show it all the same."""


class Downloads:
    """The files of runs that have ended."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def routes(self, guard: Guard) -> list[BaseRoute]:
        here = "/tasks/{run_id}/report"
        return [
            Route(f"{here}.json", guard.page(self.whole), methods=["GET"]),
            Route(f"{here}.html", guard.page(self.summary), methods=["GET"]),
            Route(f"{here}.md", guard.page(self.summary), methods=["GET"]),
        ]

    async def whole(self, request: Request, visitor: Visitor) -> Response:
        """The report, which may be larger than this process: a little at a time."""
        run_id = str(request.path_params["run_id"])
        figures = await self._runs.figures(run_id) if RUN_ID.fullmatch(run_id) else None
        pieces = (
            await self._runs.blobs.pieces(f"{FOLDER}/{run_id}/report.json") if figures else None
        )
        if figures is None or pieces is None:
            return _none(visitor)
        headers = _headers(figures, run_id, "json")
        return StreamingResponse(pieces, headers=headers, media_type="application/json")

    async def summary(self, request: Request, visitor: Visitor) -> Response:
        run_id = str(request.path_params["run_id"])
        kind = request.url.path.rpartition(".")[2]
        summary = await self._runs.summary(run_id) if RUN_ID.fullmatch(run_id) else None
        if summary is None:
            return _none(visitor)
        make = render_page if kind == "html" else render_markdown
        text = await to_thread.run_sync(make, summary)
        content = text.encode("utf-8", "replace")
        return Response(content, headers=_headers(summary, run_id, kind), media_type=KINDS[kind])


def _headers(figures: dict[str, object], run_id: str, kind: str) -> dict[str, str]:
    names = [safe_name(str(figures.get(f"{part}_name"))) for part in ("benchmark", "dataset")]
    file = f"{'_'.join(names)}_{run_id}.{kind}"
    return SEALED | {"content-disposition": f'attachment; filename="{file}"'}


def _none(visitor: Visitor) -> Response:
    return problem(visitor, 404, "No report", "This run has none, or has not ended yet.")
