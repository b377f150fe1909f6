"""Asks a service over HTTP, in bounded time and size, and tells every failure in one sentence.

A service is configured by whoever runs skillbench, never by a dataset: its address and its key
come from the environment. No redirect is followed, since the key would go along with it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from jobs.errors import Refused
from jobs.targets.target import TargetFailed, TargetWorld
from jobs.values import Usage

CONNECT_S = 30.0
LARGEST_ANSWER = 10_000_000
"""Bytes of one answer that are read."""
_JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where a service is reached, and how it is told who asks."""

    name: str
    """As sentences call it."""
    base_url: str
    http: httpx.AsyncClient
    headers: Mapping[str, str]
    limit_s: float
    """From the asking to the last byte of the answer."""

    @classmethod
    def find(
        cls, world: TargetWorld, name: str, variable: str, default: str = "", **headers: str
    ) -> "Service":
        """The service whose address the environment holds as `variable`.

        `headers` go out with every asking, but for empty ones. Raises `Refused` where there is
        no address, or none that can be used.
        """
        address = world.environment.get(variable) or default
        if not address:
            raise Refused(f"set `{variable}` to the address of {name} where skillbench runs.")
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise Refused(f"`{variable}` must be an address such as http://127.0.0.1:8000.")
        return cls(
            name=name,
            base_url=address.rstrip("/"),
            http=world.http,
            headers={key.replace("_", "-"): value for key, value in headers.items() if value},
            limit_s=world.limits.wall_s,
        )

    async def ask(
        self, method: str, path: str, body: object = None, *, limit_s: float | None = None
    ) -> "Answered":
        """The JSON object that the service answers. Raises `TargetFailed`."""
        async with self.opened(method, path, body, limit_s=limit_s) as answer:
            content = b"".join([part async for part in self.parts(answer)])
        found = self.read(content)
        if not isinstance(found, dict):
            raise TargetFailed(f"{self.name} answered with JSON that is no object")
        return Answered(found, answer.headers)

    @asynccontextmanager
    async def opened(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        accept: str = _JSON,
        limit_s: float | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """An answer with status 200, not read yet. What is read in the block is timed as well.

        Raises `TargetFailed` for every failure, also of what is read in the block.
        """
        limit = min(limit_s or self.limit_s, self.limit_s)
        # compressed answers could be small on the wire and endless in memory
        headers = {"Accept": accept, "Accept-Encoding": "identity", **self.headers}
        timeout = httpx.Timeout(limit, connect=min(CONNECT_S, limit))
        try:
            async with (
                asyncio.timeout(limit),
                self.http.stream(
                    method,
                    f"{self.base_url}{path}",
                    json=body,
                    headers=headers,
                    timeout=timeout,
                    follow_redirects=False,
                ) as answer,
            ):
                self._check(answer)
                yield answer
        except (TimeoutError, httpx.TimeoutException):
            raise TargetFailed(f"{self.name} did not answer within {limit:g} s") from None
        except httpx.ConnectError:
            raise TargetFailed(f"{self.name} cannot be reached") from None
        except (httpx.HTTPError, httpx.InvalidURL) as trouble:
            raise TargetFailed(f"{self.name} broke off ({type(trouble).__name__})") from None

    async def parts(self, answer: httpx.Response) -> AsyncIterator[bytes]:
        """The bytes of an answer. Raises `TargetFailed` where they are too many."""
        size = 0
        async for part in answer.aiter_bytes():
            size += len(part)
            if size > LARGEST_ANSWER:
                raise TargetFailed(f"{self.name} sent more than {LARGEST_ANSWER:,} bytes")
            yield part

    def read(self, content: bytes) -> object:
        """The JSON of an answer. Raises `TargetFailed` naming what came instead."""
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            start = content[:200].lstrip().lower()
            kind = "a page of HTML" if start.startswith((b"<!doctype", b"<html")) else "no JSON"
            raise TargetFailed(f"{self.name} answered with {kind}") from None

    def _check(self, answer: httpx.Response) -> None:
        if answer.is_redirect:
            host = urlsplit(answer.headers.get("location", "")).hostname or "another place"
            raise TargetFailed(f"{self.name} redirects to {host[:100]}, which is not followed")
        if answer.status_code != httpx.codes.OK:
            raise TargetFailed(f"{self.name} answered with status {answer.status_code}")


@dataclass(frozen=True, slots=True)
class Answered:
    """A service's answer."""

    content: dict[str, Any]
    headers: httpx.Headers


def bearer(key: str) -> str:
    """The value of an `Authorization` header; empty without a key."""
    return f"Bearer {key}" if key else ""


def read_usage(found: object) -> Usage | None:
    """What a service says it used, in OpenAI's words or ours; None where it does not say.

    Its price is never known: the service does not tell which of its askings cost what.
    """
    if not isinstance(found, dict):
        return None
    given = _count(found, "prompt_tokens", "input_tokens")
    answered = _count(found, "completion_tokens", "output_tokens")
    if given is None or answered is None:
        return None
    return Usage(requests=1, input_tokens=given, output_tokens=answered)


def _count(found: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = found.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
