"""The door of the REST API: faults, credentials, limits and the record of every exchange.

Endpoints know none of this. Each request is met by at most one fault, identified, counted
against its caller's hour, run, and recorded with its answer for a test to look at.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from demo.github.answers import Answer, Problem, not_found
from demo.github.auth import Caller, InstallationToken
from demo.github.faults import Fault
from demo.github.rest_call import Call, Endpoint
from demo.github.site import Exchange, Site

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
_HOUR = timedelta(hours=1)
_BY_NAME = "/repos/{owner}/{repo}"
_BY_ID = "/repositories/{repository_id:int}"
_TOO_MANY = "API rate limit exceeded for installation."


class DroppedConnection(Response):
    """No answer: the connection breaks instead, as the serving protocol lets it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG002
        scope["extensions"]["local_github.abort"]()
        while (await receive())["type"] != "http.disconnect":
            pass


@dataclass(slots=True)
class _Hour:
    ends: datetime
    used: int = 0


class RestServer:
    """Serves endpoints of one site."""

    def __init__(self, site: Site, *, hourly_limit: int = 5000) -> None:
        self._site = site
        self._hourly_limit = hourly_limit
        self._hours: dict[int, _Hour] = {}

    def routes(self, prefix: str, endpoints: Iterable[Endpoint]) -> list[Route]:
        """Routes below a prefix; whatever no endpoint knows answers 404 in JSON."""
        routes = [
            Route(prefix + path, self._handler(row, prefix), methods=[row.method])
            for row in endpoints
            for path in _addresses_of(row)
        ]
        nothing = Endpoint("", "", _no_such_route, "any")
        unknown = self._handler(nothing, prefix)
        return [*routes, Route(prefix + "/{rest:path}", unknown, methods=list(_METHODS))]

    def _handler(self, endpoint: Endpoint, prefix: str) -> Callable[[Request], Any]:
        async def handle(request: Request) -> Response:
            return await self._serve(endpoint, request, request.url.path.removeprefix(prefix))

        return handle

    async def _serve(self, endpoint: Endpoint, request: Request, path: str) -> Response:
        raw = await request.body()
        fault = self._site.faults.meet(request.method, path)
        if fault and fault.gate:
            await fault.gate.pass_through()
        if fault and fault.latency_s:
            await asyncio.sleep(fault.latency_s)
        spoils = fault is not None and (fault.answer is not None or fault.drops)
        took_effect = not (spoils and fault and not fault.after_effect)
        limits: dict[str, str] = {}
        answer = Answer(200)
        if took_effect:
            try:
                answer = self._run(endpoint, request, path, raw, limits)
            except Problem as problem:
                answer = problem.answer()
        if fault and fault.answer:
            answer = fault.answer
        response = self._respond(request, answer, limits)
        if fault and fault.drops:
            response = DroppedConnection()
        self._record(endpoint, request, path, raw, (answer, fault, took_effect))
        return response

    def _run(
        self, endpoint: Endpoint, request: Request, path: str, raw: bytes, limits: dict[str, str]
    ) -> Answer:
        if not request.headers.get("user-agent"):
            raise Problem(
                403,
                "Request forbidden by administrative rules. Please make sure your request has a "
                "User-Agent header.",
            )
        caller: Caller = "app"
        if endpoint.needs != "nobody":
            caller = self._site.tokens.identify(request.headers.get("authorization"))
        if endpoint.needs == "app" and caller != "app":
            raise Problem(401, "A JSON web token could not be decoded")
        self._count(caller, path, limits)
        call = Call(
            site=self._site,
            caller=caller,
            needs=endpoint.needs,
            method=request.method,
            path=path,
            params=request.path_params,
            query=request.query_params,
            headers=request.headers,
            body=_parse_body(request, raw),
            raw=raw,
            visible=limits,
        )
        return endpoint.run(call)

    def _count(self, caller: Caller, path: str, limits: dict[str, str]) -> None:
        key = caller.installation.id if isinstance(caller, InstallationToken) else 0
        now = self._site.clock()
        hour = self._hours.get(key)
        if hour is None or now >= hour.ends:
            hour = self._hours[key] = _Hour(ends=now + _HOUR)
        if path != "/rate_limit":
            hour.used += 1
        limits |= {
            "x-ratelimit-limit": str(self._hourly_limit),
            "x-ratelimit-remaining": str(max(0, self._hourly_limit - hour.used)),
            "x-ratelimit-used": str(min(hour.used, self._hourly_limit)),
            "x-ratelimit-reset": str(int(hour.ends.timestamp())),
            "x-ratelimit-resource": "core",
        }
        if hour.used > self._hourly_limit:
            raise Problem(403, _TOO_MANY)

    def _respond(self, request: Request, answer: Answer, limits: dict[str, str]) -> Response:
        headers = {
            "x-github-request-id": f"LOCAL:{len(self._site.exchanges) + 1:08X}",
            "x-github-media-type": "github.v3; format=json",
            "x-github-api-version-selected": request.headers.get(
                "x-github-api-version", "2022-11-28"
            ),
            "access-control-allow-origin": "*",
            **limits,
            **answer.headers,
        }
        content = answer.raw if answer.raw is not None else b""
        if answer.body is not None:
            content = json.dumps(answer.body, separators=(",", ":"), ensure_ascii=False).encode()
        if request.method == "GET" and answer.status == 200:
            headers["etag"] = f'W/"{hashlib.sha256(content).hexdigest()}"'
            if request.headers.get("if-none-match") == headers["etag"]:
                return Response(status_code=304, headers=headers)
        media_type = answer.media_type if content else None
        return Response(content, answer.status, headers, media_type)

    def _record(
        self,
        endpoint: Endpoint,
        request: Request,
        path: str,
        raw: bytes,
        outcome: tuple[Answer, Fault | None, bool],
    ) -> None:
        answer, fault, took_effect = outcome
        headers = {
            name: value for name, value in request.headers.items() if name != "authorization"
        }
        try:
            body = _parse_body(request, raw)
        except Problem:
            body = None
        exchange = Exchange(
            at=self._site.clock(),
            method=request.method,
            path=path,
            query=dict(request.query_params),
            headers=headers,
            request_body=body,
            request_size=len(raw),
            status=0 if fault and fault.drops else answer.status,
            answer=answer.body,
            route=endpoint.path,
            took_effect=took_effect,
            faulted=fault is not None and (fault.drops or fault.answer is not None),
        )
        self._site.exchanges.append(exchange)


def _addresses_of(endpoint: Endpoint) -> list[str]:
    """What belongs to a repository is reached by the repository's id as well."""
    if not endpoint.path.startswith(_BY_NAME):
        return [endpoint.path]
    return [endpoint.path, endpoint.path.replace(_BY_NAME, _BY_ID, 1)]


def _no_such_route(call: Call) -> Answer:  # noqa: ARG001
    raise not_found()


def _parse_body(request: Request, raw: bytes) -> Any:
    # an upload's content is its own, whatever type it claims
    if not raw or request.url.path.endswith("/assets"):
        return None
    try:
        return json.loads(raw)
    except ValueError as error:
        raise Problem(400, "Problems parsing JSON") from error
