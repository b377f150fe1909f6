"""The web process: the webhook, and what tells an operator how it is doing.

Opens each letter, puts it on the queue and answers; everything else happens in a worker.
Loads no model SDK and no GitHub client, so that it starts at once and stays small.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import msgspec
import structlog
from redis.asyncio import Redis
from redis.exceptions import ResponseError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from bot.intake import Intake, QueueUnavailable
from bot.metrics import WebMetrics
from bot.needs import require
from bot.pages import Pages, notice
from bot.payloads import Ignored
from bot.redis_clients import REDIS_AWAY, connect_briefly
from bot.setup.closed import closed_routes
from bot.web.when_asked import PagesWhenAsked
from bot.webhook import LARGE_AT_ONCE, TurnedAway, read_delivery
from config.repo_schema import schema_text
from config.settings import Settings
from jobs.errors import Error

CREDENTIALS_GOOD_FOR_S = 60.0
"""A successful check of the App's credentials is believed for this long."""
TROUBLE_GOOD_FOR_S = 5.0
"""And a failed one; anybody may ask, and GitHub limits how often we may."""
CHECK_TIMEOUT_S = 5.0

CheckCredentials = Callable[[], Awaitable[None]]
"""Proves the App's credentials by using them; raises `jobs.errors.Error` if they fail."""

log = structlog.get_logger(__name__)


async def no_check() -> None:
    """For a deployment without an App of its own to prove."""


def create_app(
    settings: Settings,
    *,
    check_credentials: CheckCredentials = no_check,
    routes: Sequence[BaseRoute] = (),
) -> Starlette:
    """The web application; `routes` are pages beside the bot's own.

    Raises `Error` where a setting is missing without which no delivery could be trusted or
    kept.
    """
    require(settings, "github_webhook_secret", "redis_url")
    secret = settings.github_webhook_secret.get_secret_value().encode()
    redis = connect_briefly(settings.redis_url)
    shell = WebShell(secret, redis, Credentials(check_credentials))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await pages.close()
        await redis.aclose()

    own = [
        Route("/webhook", shell.webhook, methods=["POST"]),
        Route("/healthz", shell.healthz),
        Route("/readyz", shell.readyz),
        Route("/metrics", shell.show_metrics),
        Route("/skillbench.schema.json", show_schema),
    ]
    pages = PagesWhenAsked(settings, redis)
    app = Starlette(
        routes=[
            *own,
            *closed_routes(),
            *Pages(redis).routes(),
            *pages.routes(),
            *routes,
        ],
        lifespan=lifespan,
        exception_handlers={404: show_no_address},
    )
    app.state.leaving = pages.leaving
    return app


async def show_no_address(_: Request, __: Exception) -> Response:
    """What is answered at every address that nothing here has."""
    return notice(404, "Not here", "There is nothing at this address.")


async def show_schema(_: Request) -> Response:
    """The JSON Schema of the repository's file, for editors anywhere."""
    headers = {"access-control-allow-origin": "*", "cache-control": "max-age=3600"}
    return Response(schema_text(), media_type="application/schema+json", headers=headers)


READY = "skillbench:ready"
"""A key that is written to see whether Redis takes anything."""


class WebShell:
    """The endpoints, over one secret and one Redis."""

    def __init__(self, secret: bytes, redis: Redis, credentials: "Credentials") -> None:
        self._secret = secret
        self._redis = redis
        self._intake = Intake(redis)
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)
        self._metrics = WebMetrics()
        self._credentials = credentials

    async def webhook(self, request: Request) -> Response:
        """Take one delivery: 202 queued, 200 repeated or ignored, 4xx turned away, 503 later."""
        try:
            delivery = await read_delivery(request, self._secret, large=self._large)
        except TurnedAway as turned:
            log.warning("delivery_turned_away", status=turned.status, reason=turned.reason)
            return self._answer(turned.status, "turned_away", turned.reason)
        content = delivery.content
        if isinstance(content, Ignored):
            log.info("delivery_ignored", delivery=delivery.id, reason=content.reason)
            return self._answer(200, "ignored", content.reason)
        try:
            is_new = await self._intake.take(content, target=delivery.target)
        except QueueUnavailable as unavailable:
            log.error("delivery_not_taken", delivery=delivery.id, error=str(unavailable))  # noqa: TRY400
            return self._answer(503, "not_taken", "The queue cannot be reached; deliver again.")
        log.debug("delivery_taken", delivery=delivery.id, is_new=is_new)
        return self._answer(202, "queued") if is_new else self._answer(200, "repeated")

    async def healthz(self, _: Request) -> Response:
        """Whether the process answers at all."""
        return JSONResponse({"status": "ok"})

    async def readyz(self, _: Request) -> Response:
        """Whether a delivery could be taken and answered now; says what is in the way."""
        redis, credentials = await asyncio.gather(self._redis_state(), self._credentials.state())
        ready = redis == credentials == "ok"
        answer = {"ready": ready, "redis": redis, "credentials": credentials}
        return JSONResponse(answer, status_code=200 if ready else 503)

    async def show_metrics(self, _: Request) -> Response:
        page = await self._metrics.render(self._redis)
        return Response(page, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _answer(self, status: int, outcome: str, reason: str = "") -> Response:
        self._metrics.deliveries.labels(outcome).inc()
        body = {"outcome": outcome, "reason": reason} if reason else {"outcome": outcome}
        # what is refused unread would otherwise be read by the server to its end
        headers = {"connection": "close"} if status in {408, 413} else None
        return Response(msgspec.json.encode(body), status, headers, media_type="application/json")

    async def _redis_state(self) -> str:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                await self._redis.set(READY, "1", px=1000)  # a full one still answers to PING
        except ResponseError as refusal:
            log.warning("redis_takes_nothing", problem=str(refusal))
            return "takes no writes: its memory or disk may be full; its own log says more"
        except REDIS_AWAY:
            return "cannot be reached; see SKILLBENCH_REDIS_URL"
        return "ok"


class Credentials:
    """What is known of the App's credentials; GitHub is asked seldom, whoever asks us how often."""

    def __init__(self, check: CheckCredentials) -> None:
        self._check = check
        self._asking = asyncio.Lock()
        self._state = ""
        self._good_until = 0.0

    async def state(self) -> str:
        """`ok`, or what is wrong and what to do about it."""
        async with self._asking:  # whoever waited here takes the answer of who went first
            if time.monotonic() >= self._good_until:
                self._state = await self._ask()
                good_for = CREDENTIALS_GOOD_FOR_S if self._state == "ok" else TROUBLE_GOOD_FOR_S
                self._good_until = time.monotonic() + good_for
            return self._state

    async def _ask(self) -> str:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                await self._check()
        except Error as error:
            return str(error)
        except TimeoutError:
            return f"GitHub did not answer within {CHECK_TIMEOUT_S:.0f} s"
        except Exception:
            log.exception("credentials_check_failed")
            return "the check failed; the log says why"
        return "ok"
