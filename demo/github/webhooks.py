"""Deliveries of the App's webhook: signed, one after another, logged, repeatable.

As on GitHub, nothing is ever sent again by itself: a delivery that failed stays in the log
until somebody asks for it, and then goes out under its first id.
"""

import asyncio
import contextlib
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import httpx

from jobs.alongside import alongside

_TIMEOUT_S = 10.0
"""How long GitHub waits for an answer (docs: "Handling webhook deliveries")."""


@dataclass(eq=False, kw_only=True)
class Delivery:
    """One attempt to deliver an event, and how it went."""

    id: int
    guid: str
    event: str
    payload: dict[str, Any]
    installation_id: int | None
    repository_id: int | None
    delivered_at: datetime
    is_redelivery: bool = False
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    """The bytes that were signed."""
    duration_s: float = 0.0
    status: str = "pending"
    status_code: int = 0
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""

    @property
    def action(self) -> str | None:
        action = self.payload.get("action")
        return action if isinstance(action, str) else None


class Webhooks:
    """The App's one hook. Events emitted while no address is set are not delivered."""

    def __init__(
        self, *, app_id: int, clock: Callable[[], datetime], next_id: Callable[[], int]
    ) -> None:
        self.url: str | None = None
        self.secret = ""
        self.deliveries: list[Delivery] = []
        self.app_id = app_id
        self._hook_id = next_id()
        self._clock = clock
        self._next_id = next_id
        self._waiting: asyncio.Queue[Delivery] = asyncio.Queue()
        self._is_sending = False

    def emit(
        self,
        event: str,
        payload: dict[str, Any],
        *,
        installation_id: int | None,
        repository_id: int | None,
    ) -> None:
        """Queue a delivery of an event; its bytes and signature are fixed now."""
        if self.url is None:
            return
        delivery = Delivery(
            id=self._next_id(),
            guid=str(uuid.uuid4()),
            event=event,
            payload=payload,
            installation_id=installation_id,
            repository_id=repository_id,
            delivered_at=self._clock(),
            body=json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode(),
        )
        self._enqueue(delivery)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Queue the same event again, under its first id, signed with today's secret."""
        again = Delivery(
            id=self._next_id(),
            guid=delivery.guid,
            event=delivery.event,
            payload=delivery.payload,
            installation_id=delivery.installation_id,
            repository_id=delivery.repository_id,
            delivered_at=self._clock(),
            is_redelivery=True,
            body=delivery.body,
        )
        self._enqueue(again)
        return again

    def _enqueue(self, delivery: Delivery) -> None:
        delivery.headers = self._headers(delivery)
        self.deliveries.append(delivery)
        self._waiting.put_nowait(delivery)

    def _headers(self, delivery: Delivery) -> dict[str, str]:
        headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/0a1b2c3",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(self._hook_id),
            "X-GitHub-Hook-Installation-Target-ID": str(self.app_id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
        }
        if self.secret:
            key = self.secret.encode()
            for header, digest in (
                ("X-Hub-Signature", hashlib.sha1),
                ("X-Hub-Signature-256", hashlib.sha256),
            ):
                signature = hmac.new(key, delivery.body, digest)
                headers[header] = f"{signature.name.removeprefix('hmac-')}={signature.hexdigest()}"
        return headers

    @contextlib.asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Send what is queued for as long as the context lasts."""
        self._is_sending = True
        try:
            async with alongside(self._send_all()):
                yield
        finally:
            self._is_sending = False

    async def done(self) -> None:
        """Wait until every queued delivery was tried.

        Raises `RuntimeError` where nothing would ever send them.
        """
        if not self._is_sending and not self._waiting.empty():
            raise RuntimeError("deliveries wait, but the local GitHub is not being served")
        await self._waiting.join()

    async def _send_all(self) -> None:
        delivery = await self._waiting.get()  # a client costs 30 ms: none before it is needed
        async with httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False) as client:
            while True:
                try:
                    await self._send(client, delivery)
                finally:
                    self._waiting.task_done()
                delivery = await self._waiting.get()

    async def _send(self, client: httpx.AsyncClient, delivery: Delivery) -> None:
        started = time.monotonic()
        if self.url is None:
            delivery.status = "failed to connect to host"
            return
        try:
            response = await client.post(self.url, content=delivery.body, headers=delivery.headers)
        except httpx.TimeoutException:
            delivery.status = "timed out"
        except httpx.HTTPError:
            delivery.status = "failed to connect to host"
        else:
            is_ok = response.is_success
            delivery.status = "OK" if is_ok else f"Invalid HTTP Response: {response.status_code}"
            delivery.status_code = response.status_code
            delivery.response_headers = dict(response.headers)
            delivery.response_body = response.text
        delivery.duration_s = round(time.monotonic() - started, 3)
