"""The routes of both protocols, and what is checked before a model may answer."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from demo.model_api import anthropic_wire, openai_wire
from demo.model_api.asked import Asked, BadRequest, Vendor
from demo.model_api.models import ServedModel
from demo.model_api.player import Player, make_error
from demo.model_api.scripts import Scripts
from demo.model_api.steps import HttpError, Reply, Stall, Step
from demo.model_api.wire import TokenCounter, cut_to_limit

_UNSPOILT = Reply(text="This answer was never meant to arrive whole.")
"""What a stream holds that is going to break off."""


class Endpoints:
    """Both protocols over one list of models and one set of scripts."""

    def __init__(
        self,
        models: Sequence[ServedModel],
        scripts: Scripts,
        behaviour: Callable[[Asked], Step],
        key: str | None,
    ) -> None:
        self._models = {model.id: model for model in models}
        self._scripts = scripts
        self._behaviour = behaviour
        self._key = key
        self._counter = TokenCounter()
        self.requests: list[Asked] = []
        self.look_ups: list[str] = []
        self.look_up_error: HttpError | None = None
        self.app = Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/chat/completions", self._completions, methods=["POST"]),
                Route("/v1/models", self._list),
                Route("/v1/models/{id:path}", self._find),
            ]
        )

    async def _messages(self, request: Request) -> ASGIApp:
        return await self._answer(request, "anthropic", anthropic_wire.read_request)

    async def _completions(self, request: Request) -> ASGIApp:
        return await self._answer(request, "openai", openai_wire.read_request)

    async def _answer(
        self, request: Request, vendor: Vendor, read: Callable[[dict[str, Any]], Asked]
    ) -> ASGIApp:
        if refusal := self._refuse_key(request, vendor):
            return refusal
        try:
            asked = read(json.loads(await request.body()))
            self.requests.append(asked)
            if asked.model not in self._models:
                return make_error(vendor, _unknown(asked.model))
            step = self._scripts.find_step(asked)
        except (BadRequest, ValueError, KeyError, TypeError) as error:
            wrong = HttpError(status=400, type="invalid_request_error", message=str(error))
            return make_error(vendor, wrong)
        step = step or self._behaviour(asked)
        reply = step if isinstance(step, Reply) else None
        if isinstance(step, Stall):
            reply = step.reply
        reply = cut_to_limit(reply or _UNSPOILT, asked.max_tokens)
        return Player(asked, step, reply, self._counter.count(asked, reply))

    async def _list(self, request: Request) -> JSONResponse:
        self.look_ups.append("")
        if refusal := self._refuse_look_up(request):
            return refusal
        listed = [model for model in self._models.values() if model.listed]
        if _vendor(request) == "openai":
            return JSONResponse({"object": "list", "data": [_openai(model) for model in listed]})
        limit = int(request.query_params.get("limit", "20"))
        ids = [model.id for model in listed]
        after = request.query_params.get("after_id")
        start = ids.index(after) + 1 if after in ids else 0
        page = listed[start : start + limit]
        return JSONResponse(
            {
                "data": [_anthropic(model) for model in page],
                "has_more": start + limit < len(listed),
                "first_id": page[0].id if page else None,
                "last_id": page[-1].id if page else None,
            }
        )

    async def _find(self, request: Request) -> JSONResponse:
        wanted = request.path_params["id"]
        self.look_ups.append(wanted)
        if refusal := self._refuse_look_up(request):
            return refusal
        model = self._models.get(wanted)
        if model is None:
            return make_error(_vendor(request), _unknown(wanted))
        shown = _openai(model) if _vendor(request) == "openai" else _anthropic(model)
        return JSONResponse(shown)

    def _refuse_look_up(self, request: Request) -> JSONResponse | None:
        if refusal := self._refuse_key(request, _vendor(request)):
            return refusal
        error = self.look_up_error
        return make_error(_vendor(request), error) if error else None

    def _refuse_key(self, request: Request, vendor: Vendor) -> JSONResponse | None:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        shown = request.headers.get("x-api-key") or bearer
        if shown and self._key in {None, shown}:
            return None
        error = HttpError(status=401, type="authentication_error", message="invalid x-api-key")
        return make_error(vendor, error)


def _vendor(request: Request) -> Vendor:
    """Whose protocol a request about models speaks: the addresses are the same."""
    return "anthropic" if "anthropic-version" in request.headers else "openai"


def _unknown(model: str) -> HttpError:
    return HttpError(status=404, type="not_found_error", message=f"model: {model}")


def _anthropic(model: ServedModel) -> dict[str, Any]:
    return {
        "type": "model",
        "id": model.id,
        "display_name": model.id,
        "created_at": model.created_at.isoformat().replace("+00:00", "Z"),
        "lifecycle": model.lifecycle,
        "line": model.line,
    }


def _openai(model: ServedModel) -> dict[str, Any]:
    created = int(model.created_at.timestamp())
    return {"id": model.id, "object": "model", "created": created, "owned_by": "scripted"}
