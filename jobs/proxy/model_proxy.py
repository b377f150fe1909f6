"""The model API as one session sees it: its own model, its own token, its own limits.

The worker's key is added here, outside the sandbox, and nothing that comes back holds it.
Answers are passed on piece by piece as they come; usage is counted on the way, so it is
known even if the session dies. Nothing is retried: how patient a session is with the API
is its launcher's to decide, and its client does it.
"""

import asyncio
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
from pydantic import SecretStr

from jobs.models.tally import End, Tally
from jobs.proxy.answer_reader import AnswerReader
from jobs.proxy.asked import AskedMessage, read_asked
from jobs.proxy.client_connection import BodyTooLarge, ClientConnection, Head
from jobs.proxy.refusal import Refusal
from jobs.values import Model

MAX_BODY_BYTES = 32 * 1024 * 1024
"""The API's own limit for a request."""
_MAX_ERROR_BYTES = 64 * 1024
_BODY_S = 60.0
"""For a client to send its request."""
_HOPELESS = {401, 403}
"""Statuses about the worker's key: the session has none to change, and Claude Code would ask
for minutes."""
_ANY_LENGTH = 10**9
"""Tokens: no cap of ours on a single answer; its own stands in the request."""
_MESSAGES = "/v1/messages"
_PATHS = {_MESSAGES, "/v1/messages/count_tokens"}
_QUERIES = {"", "beta=true"}
_PASSED_UP = {"accept", "content-type", "user-agent", "x-app"}
_PASSED_DOWN = {"content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id"}
"""Others name the operator's organisation and what is left of its rate limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The real API: where it is, and the key that opens it."""

    client: httpx.AsyncClient
    base_url: str
    key: SecretStr


@dataclass(slots=True, kw_only=True)
class ModelProxy:
    """Answers the requests of one session."""

    model: Model
    token: str
    """What the session's client presents as its key; worth nothing anywhere else."""
    upstream: Upstream
    tally: Tally
    """Counts what the session has used, and knows its limits."""
    heard: Callable[[], None] = lambda: None
    """Called for each sign of life of the model."""
    spent: Callable[[dict[str, object]], None] = lambda _: None
    """Told what each answer was billed for, for the transcript."""
    refused_for: tuple[End, str] | None = None
    """The limit for which a request was refused, and how to say so."""
    answers: int = 0
    """Answers that had begun, whole or not."""
    broke_off: bool = False
    """Whether the latest answer ended before its end."""
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Requests in parallel would all be let in by the same last dollar."""
    _bodies: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(4))
    """A session may not fill the worker's memory with requests that it has only begun."""

    async def answer(self, head: Head, client: ClientConnection) -> None:
        """Answer one request. Raises `ClientGone`."""
        try:
            async with self._bodies:
                body = await _read_body(client)
                path = self._check(head)
                if path == "/":
                    await client.reply(200, [("content-type", "text/plain")])
                else:
                    await client.unless_gone(self._pass_on(head, path, body, client))
        except Refusal as refusal:
            await client.reply(refusal.status, refusal.headers, refusal.body)

    def _check(self, head: Head) -> str:
        """The path that is asked for. Raises `Refusal` for anything that is not ours."""
        path, _, query = head.target.partition("?")
        if path == "/" and head.method in {"GET", "HEAD"}:
            return path  # Claude Code looks whether somebody is there
        bearer = head.get("authorization").removeprefix("Bearer ")
        presented = (head.get("x-api-key") or bearer).encode("utf-8", "replace")
        if not hmac.compare_digest(presented, self.token.encode()):
            raise Refusal(401, "authentication_error", "this is not the session's token")
        if path not in _PATHS or query not in _QUERIES:
            raise Refusal(403, "permission_error", "only the message endpoints are open")
        if head.method != "POST":
            raise Refusal(405, "invalid_request_error", "only POST is understood here")
        return path

    async def _pass_on(self, head: Head, path: str, body: bytes, client: ClientConnection) -> None:
        if path != _MESSAGES:
            asked = read_asked(body, self.model.sent, output_tokens_left=None)
            await self._forward(head, asked, client)
            return
        async with self._one_at_a_time:
            is_first = self.answers == 0
            if reached := self.tally.expect(len(body)) if is_first else self.tally.limit_reached():
                self.refused_for = reached
                raise Refusal(429, "rate_limit_error", f"{reached[1]}; the session is over")
            left = self.tally.find_room(_ANY_LENGTH).tokens
            asked = read_asked(body, self.model.sent, output_tokens_left=left)
            reader = AnswerReader(streamed=asked.streamed)
            try:
                await self._forward(head, asked, client, reader)
            finally:
                self._count(reader, len(body))

    async def _forward(
        self,
        head: Head,
        asked: AskedMessage,
        client: ClientConnection,
        reader: AnswerReader | None = None,
    ) -> None:
        request = self.upstream.client.build_request(
            "POST",
            self.upstream.base_url.rstrip("/") + head.target,
            content=asked.body,
            headers=self._headers(head),
        )
        try:
            response = await self.upstream.client.send(request, stream=True)
        except httpx.HTTPError as error:
            said = f"the model API cannot be reached ({type(error).__name__})"
            raise Refusal(502, "api_error", said, final=False) from error
        try:
            self.heard()
            if response.is_success:
                await self._stream(response, client, reader)
            else:
                await self._reply_error(response, client)
        finally:
            await response.aclose()

    async def _stream(
        self, response: httpx.Response, client: ClientConnection, reader: AnswerReader | None
    ) -> None:
        await client.begin(response.status_code, _passed_down(response))
        try:
            async for chunk in response.aiter_bytes():
                self.heard()
                if reader:
                    reader.take(chunk)
                await client.send(chunk)
        except httpx.HTTPError:
            client.abort()
            return
        if reader:
            reader.end()
            if not reader.is_whole:
                client.abort()
                return
        await client.finish()

    async def _reply_error(self, response: httpx.Response, client: ClientConnection) -> None:
        """Pass a failure on, without what it may quote of our request."""
        body = b""
        try:
            async for chunk in response.aiter_bytes():
                body += chunk[: _MAX_ERROR_BYTES - len(body)]
        except httpx.HTTPError:
            body = b""
        key = self.upstream.key.get_secret_value()
        if key:
            body = body.replace(key.encode(), b"***")
        headers = _passed_down(response)
        if response.status_code in _HOPELESS:
            headers = [*_without(headers, "x-should-retry"), ("x-should-retry", "false")]
        await client.reply(response.status_code, headers, body)

    def _headers(self, head: Head) -> dict[str, str]:
        passed = {
            name: value
            for name, value in head.headers
            if value.isascii()
            and (name in _PASSED_UP or name.startswith(("anthropic-", "x-stainless-")))
        }
        # compressed answers could not be passed on before a whole block of them has come
        own = {"x-api-key": self.upstream.key.get_secret_value(), "accept-encoding": "identity"}
        return {**passed, **own}

    def _count(self, reader: AnswerReader, asked_bytes: int) -> None:
        tokens = reader.tokens(asked_bytes)
        if tokens is None:
            return
        self.answers += 1
        self.broke_off = not reader.is_whole
        self.spent(self.tally.spend(tokens))
        if reader.is_whole:
            self.tally.turn(reader.model)


async def _read_body(client: ClientConnection) -> bytes:
    try:
        async with asyncio.timeout(_BODY_S):
            return await client.read_body(MAX_BODY_BYTES)
    except BodyTooLarge as error:
        said = f"a request may be at most {MAX_BODY_BYTES // 1024**2} MB"
        raise Refusal(413, "request_too_large", said) from error
    except TimeoutError as error:
        raise Refusal(408, "timeout_error", "the request did not come to its end") from error


def _without(headers: list[tuple[str, str]], dropped: str) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name != dropped]


def _passed_down(response: httpx.Response) -> list[tuple[str, str]]:
    return [(name, value) for name, value in response.headers.items() if name in _PASSED_DOWN]
