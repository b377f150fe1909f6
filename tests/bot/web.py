"""The web process on a socket, and deliveries as GitHub signs them."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import uuid4

import httpx
import uvicorn
from redis.asyncio import Redis

from bot.app import create_app
from bot.queues import EVENTS, JOB_KEY
from config.settings import Settings

SECRET = "a webhook's secret"


class _Server(uvicorn.Server):
    """The test's process keeps its own signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def some_settings(redis_url: str, **changes: Any) -> Settings:
    values = {"github_webhook_secret": SECRET, "redis_url": redis_url}
    return Settings(_env_file=None, **(values | changes))


@asynccontextmanager
async def web_client(settings: Settings, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the web application, which is served on a free port meanwhile."""
    config = uvicorn.Config(
        create_app(settings, **options), host="127.0.0.1", port=0, log_config=None, ws="none"
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(10):
            while not server.started:
                await asyncio.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=10) as client:
            yield client
    finally:
        server.should_exit = True
        await serving


def sign(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers_for(body: bytes, event: str, **changes: str) -> dict[str, str]:
    """The headers of a delivery; pass a header under its name with `_` to change it."""
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": str(uuid4()),
        "X-GitHub-Hook-Installation-Target-ID": "77",
        "X-Hub-Signature-256": sign(body),
    }
    return headers | {name.replace("_", "-"): value for name, value in changes.items()}


async def deliver(
    client: httpx.AsyncClient, event: str, payload: Any, **changes: str
) -> httpx.Response:
    """One signed delivery."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return await client.post("/webhook", content=body, headers=headers_for(body, event, **changes))


async def queued_events(redis: Redis) -> list[dict[str, Any]]:
    """The events that wait on their queue, oldest first."""
    ids = await redis.zrange(EVENTS, 0, -1)
    jobs = [json.loads(await redis.get(JOB_KEY + job_id.decode()) or b"{}") for job_id in ids]
    return [job["a"][0]["event"] for job in jobs]


def an_account(login: str = "mona", number: int = 5, kind: str = "User") -> dict[str, Any]:
    return {"id": number, "login": login, "type": kind, "site_admin": False}


def a_payload(action: str, **changes: Any) -> dict[str, Any]:
    """What an issue's and a comment's payload have in common."""
    payload = {
        "action": action,
        "issue": {"number": 21, "title": "Zähle Wörter 🧮", "labels": [], "body": "…"},
        "repository": {
            "id": 9,
            "name": "skills",
            "full_name": "acme/skills",
            "private": False,
            "owner": an_account("acme", 3, "Organization"),
        },
        "sender": an_account(),
        "installation": {"id": 7, "node_id": "x"},
    }
    return payload | changes


def a_comment_payload(
    body: str = "@skillbench run claude-sonnet", action: str = "created", **changes: Any
) -> dict[str, Any]:
    comment = {
        "id": 100,
        "body": body,
        "user": an_account(),
        "created_at": "2026-05-04T12:00:00Z",
        "author_association": "NONE",
    }
    return a_payload(action, **({"comment": comment} | changes))


def a_label_payload(label: str = "needs-benchmark", **changes: Any) -> dict[str, Any]:
    return a_payload("labeled", **({"label": {"id": 1, "name": label}} | changes))
