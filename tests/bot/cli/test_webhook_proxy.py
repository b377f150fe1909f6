"""A channel that behaves as smee.io does, the real door behind it, and signatures that hold."""

import asyncio
import base64
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bot.cli.webhook_proxy import LONGEST_WAIT_S, WebhookProxy, read_event
from demo.github.serving import open_socket, serving
from jobs.alongside import alongside
from jobs.errors import Error
from tests.bot.cli.processes import ROOT, environment
from tests.bot.web import a_comment_payload, headers_for

HARD = {
    "emoji": "🧮👩‍🔬🏳️‍🌈",
    "umlauts": "Zähle Wörter — «naïve» 漢字 العربية",
    "controls": "tab\t line\n return\r bell\x07 nul\x00 del\x7f back\b feed\f",
    "separators": "\u2028\u2029\u0085\ufeff",
    "slashes": '</script> \\ " / & < >',
    "numbers": [0, -1, 9007199254740991, 1.5, True, None],
    "empty": {"list": [], "object": {}, "text": ""},
}

CHANNEL = """
let text = "";
process.stdin.setEncoding("utf8").on("data", (part) => { text += part; }).on("end", () => {
  const { headers, raw } = JSON.parse(text);
  const body = JSON.parse(Buffer.from(raw, "base64").toString("utf8"));
  process.stdout.write(JSON.stringify({ ...headers, body, query: {}, timestamp: 1700000000000 }));
});
"""
"""What the channel's server does with a delivery, in its own language."""


def through_javascript(headers: dict[str, str], raw: bytes) -> str:
    """A delivery as an event of the channel."""
    told = json.dumps({"headers": headers, "raw": base64.b64encode(raw).decode()})
    node = shutil.which("node") or "node"
    done = subprocess.run(
        [node, "-e", CHANNEL], input=told.encode(), capture_output=True, check=True
    )
    return done.stdout.decode()


@dataclass
class Channel:
    """Says what it is told to; each connection gets the next script."""

    scripts: list[list[str]] = field(default_factory=list)
    status: int = 200
    connections: int = 0
    stays_open: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def listen(self, request: Request) -> Response:
        assert request.headers["accept"] == "text/event-stream", "the channel compares it whole"
        self.connections += 1
        if self.status != 200:
            return Response("no", self.status)
        script = self.scripts.pop(0) if self.scripts else None
        return StreamingResponse(self._say(script), media_type="text/event-stream")

    async def _say(self, script: list[str] | None) -> AsyncIterator[str]:
        yield "id: 0\nevent: ready\ndata: {}\n\n"
        if script is None:
            await self.stays_open.wait()
        for number, data in enumerate(script or (), start=1):
            yield f"id: {number}\ndata: {data}\n\n"
        yield ": a comment\n\nevent: ping\ndata: {}\n\n"


@asynccontextmanager
async def a_channel(*scripts: list[str]) -> AsyncIterator[Channel]:
    channel = Channel(list(scripts))
    bound = open_socket("127.0.0.1", 0)
    channel.url = f"http://127.0.0.1:{bound.getsockname()[1]}/abc"
    async with serving(Starlette(routes=[Route("/abc", channel.listen)]), bound):
        try:
            yield channel
        finally:
            channel.stays_open.set()


class Waits:
    """Sleeps for nobody, and notes for how long it should have."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)


async def said_by(
    channel: Channel, target: str, *, until: str, times: int = 1
) -> tuple[list[str], Waits]:
    """Relay until a line that holds these words was said so often."""
    lines: list[str] = []
    enough = asyncio.Event()

    def say(line: str) -> None:
        lines.append(line)
        if sum(until in one for one in lines) >= times:
            enough.set()

    waits = Waits()
    proxy = WebhookProxy(channel.url, target, say, sleep=waits.sleep)
    async with alongside(proxy.run()), asyncio.timeout(30):
        await enough.wait()
    return lines, waits


def raw_of(payload: Any) -> bytes:
    """As GitHub writes it: compact, letters as they are."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_a_signature_holds_through_the_channel_whatever_the_payload_holds(
    web: httpx.AsyncClient,
) -> None:
    payload = a_comment_payload("@skillbench run 🧮") | {"hard": HARD}
    raw = raw_of(payload)
    event = through_javascript(headers_for(raw, "issue_comment"), raw)
    async with a_channel([event]) as channel:
        lines, _ = await said_by(channel, f"{web.base_url}/webhook", until="issue_comment")
    [line] = [line for line in lines if "issue_comment" in line]
    assert line.endswith(": 202"), lines


async def test_the_bodys_bytes_are_those_of_the_event(web: httpx.AsyncClient) -> None:
    """Whatever another client would make of it when it writes it once more."""
    raw = b'{"a": 1.0,"b":"\\u003c\\ud83e\\uddee","c":12345678901234567890123}'
    event = '{"x-github-event":"ping","body":' + raw.decode() + ',"query":{}}'
    relayed = read_event(event)
    assert relayed is not None
    assert relayed.body == raw
    async with a_channel([event]) as channel:
        lines, _ = await said_by(channel, f"{web.base_url}/webhook", until="ping")
    assert "401, the signature does not match" in lines[-1]


async def test_headers_of_the_channels_own_stay_behind(web: httpx.AsyncClient) -> None:
    raw = raw_of(a_comment_payload())
    headers = headers_for(raw, "issue_comment") | {
        "host": "smee.io",
        "content-length": "3",
        "transfer-encoding": "chunked",
        "connection": "upgrade",
        "x-forwarded-for": "10.0.0.1",
        "cookie": "a=b",
        "x-github-odd": "line\r\nx-injected: 1",
        "authorization": "Bearer x",
    }
    event = json.dumps({name.lower(): value for name, value in headers.items()})
    event = f'{event[:-1]}, "body": {raw.decode()}}}'
    relayed = read_event(event)
    assert relayed is not None
    assert set(relayed.headers) == {
        "content-type",
        "x-github-event",
        "x-github-delivery",
        "x-github-hook-installation-target-id",
        "x-hub-signature-256",
    }
    async with a_channel([event]) as channel:
        lines, _ = await said_by(channel, f"{web.base_url}/webhook", until="issue_comment")
    assert lines[-1].endswith(": 202")


async def test_what_is_no_delivery_is_left_out_and_the_next_one_relayed(
    web: httpx.AsyncClient,
) -> None:
    raw = raw_of(a_comment_payload())
    good = json.dumps({k.lower(): v for k, v in headers_for(raw, "issue_comment").items()})
    good = f'{good[:-1]}, "body": {raw.decode()}}}'
    odd = ["no json", "[1]", '{"query": {}}', "[" * 10_000, '{"body": {}, "x-github-event": 7}']
    async with a_channel([*odd, good]) as channel:
        lines, _ = await said_by(channel, f"{web.base_url}/webhook", until=": 202")
    assert sum("left out" in line for line in lines) == 4


async def test_a_channel_that_breaks_off_is_connected_again_after_longer_and_longer_rests(
    web: httpx.AsyncClient,
) -> None:
    async with a_channel([], [], []) as channel:
        _, waits = await said_by(channel, f"{web.base_url}/webhook", until="connected", times=4)
        assert waits.asked == [1.0, 1.0, 1.0], "each had said that it was ready"
        channel.status = 502
        channel.stays_open.set()
        _, waits = await said_by(channel, f"{web.base_url}/webhook", until="again in", times=9)
    assert waits.asked[:4] == [1.0, 2.0, 4.0, 8.0]
    assert max(waits.asked) == LONGEST_WAIT_S


async def test_no_channel_is_an_error_and_no_endless_trying(web: httpx.AsyncClient) -> None:
    async with a_channel() as channel:
        channel.status = 404
        with pytest.raises(Error, match="no channel"):
            await WebhookProxy(channel.url, f"{web.base_url}/webhook", print).run()
        assert channel.connections == 1


async def test_a_target_that_is_away_costs_the_delivery_and_nothing_else() -> None:
    event = '{"x-github-event":"ping","body":{}}'
    async with a_channel([event, event]) as channel:
        lines, _ = await said_by(channel, "http://127.0.0.1:9/webhook", until="ping", times=2)
    assert all("does not answer" in line for line in lines if line.startswith("ping"))


async def test_a_redirect_of_the_target_is_not_followed() -> None:
    asked: list[str] = []

    async def lead_away(request: Request) -> Response:
        asked.append(request.url.path)
        return Response(status_code=307, headers={"location": "/elsewhere"})

    bound = open_socket("127.0.0.1", 0)
    base = f"http://127.0.0.1:{bound.getsockname()[1]}"
    route = Route("/{rest:path}", lead_away, methods=["POST"])
    async with (
        serving(Starlette(routes=[route]), bound),
        a_channel(['{"x-github-event":"ping","body":{}}']) as channel,
    ):
        lines, _ = await said_by(channel, f"{base}/webhook", until="ping")
    assert lines[-1].endswith(": 307")
    assert asked == ["/webhook"]


async def test_the_command_relays_until_it_is_stopped(
    web: httpx.AsyncClient, tmp_path: Path
) -> None:
    event = '{"x-github-event":"ping","x-github-delivery":"d-1","body":{}}'
    async with a_channel([event]) as channel:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "webhook-proxy", channel.url),
            *("--target", f"{web.base_url}/webhook"),
            cwd=ROOT,
            env=environment(tmp_path, {}) | {"PYTHONUNBUFFERED": "1"},
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        async with asyncio.timeout(30):
            while b"ping d-1" not in (line := await process.stdout.readline()):
                assert line, "it ended by itself"
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
