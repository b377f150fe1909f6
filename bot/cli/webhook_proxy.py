"""Relays a smee.io channel to a server on this machine, for whoever develops behind a router.

A channel tells of each delivery in one server-sent event: a JSON object with GitHub's headers
and, under `body`, the payload. The signature is over the bytes that GitHub sent; the channel has
parsed and written them once, as JavaScript does, which gives the same bytes for what GitHub
sends. So the body's text is cut out of the event as it stands and not written once more: no
other way of escaping an emoji can come between. Nothing is sent anywhere but to the target.
https://github.com/probot/smee.io, https://github.com/probot/smee-client
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

import httpx
import msgspec
from httpx_sse import ServerSentEvent, SSEError, aconnect_sse

from jobs.errors import Error

FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 60.0
SILENCE = timedelta(seconds=100)
"""A channel says at least `ping` every thirty seconds; one that is silent for longer is dead."""
TARGET_S = 30.0
LONGEST_EVENT = 50 * 1024 * 1024
"""Characters of one event: GitHub's cap on a payload, twice over."""
RELAYED = re.compile(r"x-github-[a-z-]+|x-hub-signature(?:-256)?|content-type|user-agent")
"""Headers that are passed on: those of GitHub. The channel's own are about another connection."""
PLAIN = re.compile(r"[\x20-\x7e]{0,1000}")
GONE = frozenset({401, 403, 404, 410})

_event = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True)
class Relayed:
    """A delivery as it goes to the target."""

    headers: Mapping[str, str]
    body: bytes

    @property
    def name(self) -> str:
        """`issues.labeled delivery 1234…`, for the line that is printed."""
        event = self.headers.get("x-github-event", "an event without a name")
        return f"{event} {self.headers.get('x-github-delivery', 'without an id')}"


def read_event(data: str) -> Relayed | None:
    """The delivery in an event's data; None where it holds none, as a `ready` does.

    Raises `msgspec.DecodeError` for what is no JSON object.
    """
    parts = _event.decode(data)
    if "body" not in parts:
        return None
    headers = {"content-type": "application/json"}
    for name, raw in parts.items():
        if RELAYED.fullmatch(name.lower()):
            value = msgspec.json.decode(raw)
            if isinstance(value, str) and PLAIN.fullmatch(value):
                headers[name.lower()] = value
    return Relayed(headers, bytes(parts["body"]))


@dataclass(slots=True)
class WebhookProxy:
    """Listens to one channel and relays to one target, until cancelled."""

    channel: str
    target: str
    say: Callable[[str], None]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def run(self) -> None:
        """Relay; where the channel breaks off, connect again, each time after a longer rest.

        Raises `Error` where there is no such channel.
        """
        self.say(f"relaying {self.channel} to {self.target}")
        failures = 0
        while True:
            try:
                async for event in self._listen():
                    failures = 0
                    await self._relay(event)
                trouble = "the channel was closed"
            except (httpx.HTTPError, httpx.StreamError, SSEError) as problem:
                trouble = f"{type(problem).__name__}: {problem}".rstrip(": ")
            wait_s = min(FIRST_WAIT_S * 2**failures, LONGEST_WAIT_S)
            failures = min(failures + 1, 10)
            self.say(f"{trouble}; connecting again in {wait_s:.0f} s")
            await self.sleep(wait_s)

    async def _listen(self) -> AsyncIterator[ServerSentEvent]:
        timeout = httpx.Timeout(20.0, read=SILENCE.total_seconds())
        async with (
            httpx.AsyncClient(timeout=timeout, follow_redirects=True) as client,
            aconnect_sse(client, "GET", self.channel) as source,
        ):
            status = source.response.status_code
            if status in GONE:
                raise Error(f"{self.channel} is no channel (it answered {status}).")
            source.response.raise_for_status()
            self.say("connected")
            async for event in source.aiter_sse():
                yield event

    async def _relay(self, event: ServerSentEvent) -> None:
        if event.event != "message" or not event.data:
            return  # `ready` and `ping`
        try:
            relayed = read_event(event.data) if len(event.data) <= LONGEST_EVENT else None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
            self.say(f"left out what is no delivery ({type(problem).__name__})")
            return
        if relayed is None:
            self.say("left out what holds no payload")
            return
        self.say(f"{relayed.name}: {await self._post(relayed)}")

    async def _post(self, relayed: Relayed) -> str:
        """Deliver once, as GitHub does; what came of it, in words."""
        # a redirect would lead away from the target, and a proxy stands between it and nobody
        async with httpx.AsyncClient(timeout=TARGET_S, trust_env=False) as client:
            try:
                answer = await client.post(
                    self.target, content=relayed.body, headers=dict(relayed.headers)
                )
            except httpx.HTTPError as problem:
                return f"not delivered, the target does not answer ({type(problem).__name__})"
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            return "401, the signature does not match: is it the App's webhook secret?"
        return str(answer.status_code)
