"""Load on a webhook: as much as it takes (wrk), and a fixed number of deliveries a second.

The steady load is open-loop: a delivery is sent when its time has come, whether or not the
last one was answered, and its latency counts from that time.
"""

import asyncio
import hashlib
import hmac
import json
import re
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

SECRET = "a secret for the benchmark"  # noqa: S105 -- of nothing but this benchmark
BODY_BYTES = 10_500

WRK_SCRIPT = """
local body = io.open("{body}", "rb"):read("*a")
local headers = {{
  ["Content-Type"] = "application/json",
  ["X-GitHub-Event"] = "issue_comment",
  ["X-GitHub-Hook-Installation-Target-ID"] = "77",
  ["X-Hub-Signature-256"] = "{signature}",
}}
local run, count = "{run}", 0
request = function()
  count = count + 1
  headers["X-GitHub-Delivery"] = string.format("%s-%d", run, count)
  return wrk.format("POST", "{path}", headers, body)
end
"""


@dataclass(frozen=True, slots=True)
class Flood:
    """What a server did when given all it could take."""

    per_second: float
    failed: int


@dataclass(frozen=True, slots=True)
class Steady:
    """Latencies in milliseconds under a fixed number of deliveries a second."""

    p50: float
    p99: float
    failed: int


def make_body() -> bytes:
    """A comment of the usual size, with what a real payload has around it."""
    account = {"id": 5, "login": "mona", "type": "User", "site_admin": False}
    payload = {
        "action": "created",
        "issue": {"number": 21, "title": "Zähle Wörter", "user": account, "labels": []},
        "comment": {
            "id": 100,
            "body": "Thanks, this looks good to me.",
            "user": account,
            "created_at": "2026-05-04T12:00:00Z",
        },
        "repository": {
            "id": 9,
            "name": "skills",
            "full_name": "acme/skills",
            "private": False,
            "owner": account,
        },
        "sender": account,
        "installation": {"id": 7},
    }
    missing = BODY_BYTES - len(json.dumps(payload))
    urls = {f"{name}_url": f"https://api.github.com/repos/acme/skills/{name}" for name in "abcdef"}
    payload["repository"] |= urls  # type: ignore[operator]
    payload["issue"]["body"] = "A line of the issue's text.\\n" * (missing // 30)  # type: ignore[index]
    return json.dumps(payload, ensure_ascii=False).encode()


def sign(body: bytes) -> str:
    return "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()


def flood(port: int, path: str, body: bytes, folder: Path, *, seconds: int) -> Flood:
    """Deliver as fast as the server takes it, over 32 connections, from core 1."""
    (folder / "body").write_bytes(body)
    script = folder / "load.lua"
    script.write_text(
        WRK_SCRIPT.format(
            body=folder / "body", signature=sign(body), run=uuid4().hex[:8], path=path
        )
    )
    command = ["taskset", "-c", "1", "wrk", "-t1", "-c32", f"-d{seconds}s", "-s", str(script)]
    printed = subprocess.run(
        [*command, f"http://127.0.0.1:{port}"], check=True, capture_output=True, text=True
    ).stdout
    per_second = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", printed)
    if per_second is None:
        raise RuntimeError(f"wrk said:\n{printed}")
    lost = sum(int(number) for number in errors.groups()) if errors else 0
    return Flood(float(per_second[1]), int(failed[1]) + lost if failed else lost)


async def steady(
    port: int, path: str, body: bytes, *, per_second: int = 500, seconds: float = 6
) -> Steady:
    """Deliver at a fixed pace over 32 connections."""
    total = int(per_second * seconds)
    begin = time.perf_counter() + 0.2
    numbers = iter(range(total))
    latencies: list[float] = []
    failed = 0

    async def connection() -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in numbers:
            due = begin + number / per_second
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(_request(path, body))
            if not await _answered(reader):
                failed += 1
            latencies.append((time.perf_counter() - due) * 1000)
        writer.close()

    await asyncio.gather(*(connection() for _ in range(32)))
    warm = latencies[total // 10 :]
    cuts = statistics.quantiles(warm, n=100)
    return Steady(cuts[49], cuts[98], failed)


def _request(path: str, body: bytes) -> bytes:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"X-GitHub-Event: issue_comment\r\nX-GitHub-Delivery: {uuid4()}\r\n"
        f"X-GitHub-Hook-Installation-Target-ID: 77\r\nX-Hub-Signature-256: {sign(body)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _answered(reader: asyncio.StreamReader) -> bool:
    """Read one answer to its end; whether it was a 2xx."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = re.search(r"content-length: (\d+)", head)
    if length:
        await reader.readexactly(int(length[1]))
    elif "chunked" in head:
        while (size := int((await reader.readline()).split(b";")[0], 16)) > 0:
            await reader.readexactly(size + 2)
        await reader.readline()
    return head.split(" ")[1].startswith("2")
