"""The API as an application of its own below `/api/v1`."""

from collections.abc import Callable, Coroutine, Mapping
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.api.asking import ROOT, Backend
from bot.api.datasets import make_dataset_cases, make_dataset_runs
from bot.api.problems import (
    PROBLEM_JSON,
    NotUnderstood,
    Problem,
    on_away,
    on_defect,
    on_status,
    on_unfit,
)
from bot.api.queue import make_queue
from bot.api.repos import make_all_repos, make_one_repo
from bot.api.runs import make_live, make_runs
from bot.redis_clients import REDIS_AWAY
from bot.web.access import SESSION
from config.settings import names_in
from jobs.errors import Error

DESCRIPTION = (
    "What the pages show, as JSON: which skills help, by how much, and how sure that is. Scores "
    "and differences are fractions, money is USD, times are UTC; null means not measured or not "
    "known, never 0. Everything is only read. Whoever asks sees what they see on the pages; all "
    "else is as if it were not there."
)
HANDLERS: Mapping[
    int | type[Exception], Callable[[Request, Any], Coroutine[Any, Any, Response]]
] = {
    HTTPException: on_status,
    RequestValidationError: on_unfit,
    NotUnderstood: on_unfit,
    Error: on_away,
    **dict.fromkeys(REDIS_AWAY, on_away),
    Exception: on_defect,
}
MAKERS = (
    *(make_all_repos, make_one_repo, make_runs, make_live, make_queue),
    *(make_dataset_runs, make_dataset_cases),
)
READABLE = ["etag", "link", "retry-after"]
"""Headers that scripts of other origins may read."""
PREFLIGHT_S = 600


def make_api(backend: Backend) -> ASGIApp:
    """The API. It shows no page of its own: those that FastAPI has ask other hosts."""
    api = FastAPI(
        title="skillbench",
        version=version("skillbench"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        redirect_slashes=False,
        root_path_in_servers=False,
        servers=[{"url": ROOT}],
        responses=_describe_problems(),
        generate_unique_id_function=_find_id,
        exception_handlers=dict(HANDLERS),
    )
    for make in MAKERS:
        api.include_router(make(backend))
    _describe_rest(api)
    origins = names_in(backend.settings.api_origins)
    if origins:
        api.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "HEAD"],
            expose_headers=READABLE,
            max_age=PREFLIGHT_S,
        )
    return Heads(api)


class Heads:
    """Answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_head)


def _find_id(route: APIRoute) -> str:
    return route.name


def _describe_problems() -> dict[int | str, dict[str, Any]]:
    """What every question may be answered with, beside its answer."""
    content = {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    said = {
        401: "The sign-in is too old.",
        404: "It is not there, or not for whoever asks.",
        422: "The question was not understood.",
        500: "Something broke on our side.",
        503: "What the answer is made of cannot be reached; `Retry-After` says when to ask again.",
    }
    described: dict[int | str, dict[str, Any]] = {
        304: {"description": "It is still what `If-None-Match` names."}
    }
    for status, text in said.items():
        described[status] = {"description": text, "content": content}
    return described


def _describe_rest(api: FastAPI) -> None:
    """Add to the document what FastAPI does not know of."""
    _, defined = models_json_schema(
        [(Problem, "serialization")], ref_template="#/components/schemas/{model}"
    )

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            document = get_openapi(
                title=api.title,
                version=api.version,
                description=api.description,
                routes=api.routes,
                servers=api.servers,
            )
            components = document["components"]
            components["schemas"] |= defined["$defs"]
            components["securitySchemes"] = {
                "session": {"type": "apiKey", "in": "cookie", "name": SESSION}
            }
            document["security"] = [{}, {"session": []}]
            api.openapi_schema = document
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign]
