"""The frame of every page: layout, navigation, colours, and headers that let little happen.

A page asks nobody but this server, runs one script of ours, and is whole without it. Texts of
others are escaped by the templates, and the policy holds back what a template let through.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from bot.web.access import Visitor
from bot.web.showing import FILTERS, GLOBALS
from jobs.datasets.summary_page import show_hidden
from jobs.reporting.numbers import duration, file_size, percent, plural, usd

FOLDER = Path(__file__).parent
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-robots-tag": "noindex",
    "cache-control": "no-store",
}
STATIC = {
    "style.css": "text/css; charset=utf-8",
    "figures.css": "text/css; charset=utf-8",
    "live.css": "text/css; charset=utf-8",
    "run.css": "text/css; charset=utf-8",
    "queue.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""What is served beside the pages."""
NAVIGATION = (("Overview", "/"), ("Queue", "/queue"))
"""Name and address of the main pages."""
OF_DATASETS = (("Tasks", "/tasks"), ("New task", "/tasks/new"), ("Compare", "/tasks/compare"))
"""Those beside them that only the operator's users may use."""


def render(
    template: str,
    visitor: Visitor | None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page for a visitor; None: for somebody who is not let in."""
    html = (
        _environment()
        .get_template(template)
        .render(visitor=visitor, navigation=_navigation(visitor), version=_versions(), **values)
    )
    # what came from elsewhere may hold half a character, which no page can
    content = html.encode("utf-8", "replace")
    return HTMLResponse(content, status, {**HEADERS, **(headers or {})})


def _navigation(visitor: Visitor | None) -> tuple[tuple[str, str], ...]:
    is_operator = visitor is not None and visitor.is_operator
    return NAVIGATION + OF_DATASETS if is_operator else NAVIGATION


def render_part(template: str, macro: str, *values: Any) -> str:
    """What one macro of a template makes, for a part of a page that changes while it is shown."""
    return str(getattr(_environment().get_template(template).module, macro)(*values))


def problem(visitor: Visitor | None, status: int, title: str, text: str) -> HTMLResponse:
    """A page that says what is wrong and what to do."""
    return render("problem.html", visitor, status=status, title=title, text=text)


async def show_static(request: Request) -> Response:
    """The style sheet or the script, by a name that is ours."""
    name = str(request.path_params["name"])
    if name not in STATIC:
        return Response(status_code=404, headers=HEADERS)
    headers = HEADERS | {"cache-control": "public, max-age=31536000, immutable"}
    return Response(_static(name), headers=headers, media_type=STATIC[name])


@cache
def _static(name: str) -> bytes:
    return (FOLDER / "static" / name).read_bytes()


@cache
def _versions() -> dict[str, str]:
    """What tells a file from the one of another version of the bot."""
    return {name: sha256(_static(name)).hexdigest()[:12] for name in STATIC}


@cache
def layout_version() -> str:
    """What tells pages from those of another version of the bot, whatever stands on them."""
    templates = sorted((FOLDER / "templates").iterdir())
    seen = [*_versions().values(), *(one.read_text("utf-8") for one in templates)]
    return sha256("".join(seen).encode()).hexdigest()[:12]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=show_hidden,
    )
    environment.filters |= {
        "percent": show_percent,
        "duration": show_seconds,
        "usd": show_money,
        "moment": show_moment,
        "file_size": file_size,
    }
    environment.filters |= FILTERS
    environment.globals |= {"plural": plural} | GLOBALS
    return environment


def show_percent(value: float | None) -> str:
    """A fraction; a dash where nothing was measured."""
    return "-" if value is None else percent(value)


def show_seconds(value: float | None) -> str:
    return "-" if value is None else duration(value)


def show_money(value: Decimal | float | None) -> str:
    """Dollars; `unknown` where a price is."""
    return "unknown" if value is None else usd(Decimal(str(value)))


def show_moment(value: datetime | str) -> str:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
