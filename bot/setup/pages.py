"""The pages of `/setup`: plain forms, which need no script and get nothing from elsewhere."""

from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from bot.store.page_shelf import hash_style

FOLDER = Path(__file__).parent / "templates"
STEPS = ("Prove", "Choose", "Register", "Install")
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # an origin is sent, by which the server learns how the browser reaches it; no address is
    "referrer-policy": "strict-origin-when-cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-robots-tag": "noindex",
    "cache-control": "no-store",
}


@lru_cache(maxsize=1)
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=1)
def _style() -> str:
    return (FOLDER / "setup.css").read_text(encoding="utf-8")


def render(
    template: str, *, web_url: str, step: int, status: int = 200, **values: Any
) -> HTMLResponse:
    """A page; `step` counts from 0 which of `STEPS` it is about."""
    style = _style()
    html = (
        _environment()
        .get_template(template)
        .render(style=style, steps=STEPS, step=step, web_url=web_url, **values)
    )
    web = urlsplit(web_url)
    policy = (
        f"default-src 'none'; style-src '{hash_style(style)}'; base-uri 'none'; "
        f"form-action 'self' {web.scheme}://{web.netloc}; frame-ancestors 'none'"
    )
    return HTMLResponse(html, status, HEADERS | {"content-security-policy": policy})
