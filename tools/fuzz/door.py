"""The real web application, Redis and handlers, with a fuzzer in front of the door."""

import asyncio
import json
import logging
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog
from pydantic import SecretStr
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from bot.embedded_redis import embedded_redis
from bot.github.pacing import Slot
from bot.queues import EVENTS, HANDLE_EVENT, JOB_KEY, REQUESTS, read_event, read_job
from bot.wiring import Wiring, wired
from config.settings import Settings
from demo.github import LocalGitHub
from demo.github.serving import open_socket
from demo.play import make_settings, scripted
from jobs.errors import Error
from jobs.requests import Request
from tools.fuzz.deliveries import NO_ANSWER, SECRET, Answered, DeliveryMaker, Sent, send
from tools.fuzz.kinds import peak_kb

AT_ONCE = 24
"""Requests under way at a time."""
PERSON = "mona"
PROBES_WITHOUT_REDIS = 20
MOST_FINDINGS = 10
START_S = 60.0


@dataclass(slots=True)
class Handled:
    """What became of the events that were let in."""

    outcomes: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    slowest_s: float = 0.0
    findings: list[str] = field(default_factory=list)


class NoPacing:
    """GitHub's pace of writes is no part of this."""

    async def reserve(self, _: int, *, longest_s: float, kept_back: int = 0) -> Slot:  # noqa: ARG002
        return Slot(granted=True, wait_s=0.0)

    async def pause(self, _: int, seconds: float) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Door:
    """Everything between a socket and a handler's decision."""

    redis: Redis
    wiring: Wiring
    web: "WebProcess"
    installation_id: int


@dataclass(frozen=True, slots=True)
class WebProcess:
    """The web process as it is deployed, and everything that it says."""

    port: int
    pid: int
    log: Path

    def peak_mb(self) -> int:
        """The most memory that it has held."""
        return peak_kb(self.pid) // 1024

    def errors(self) -> list[str]:
        """What it logged as an error, but for Redis being away, which is tried on purpose."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [line[:3_000] for line in lines if _is_error(line)]


def _is_error(line: str) -> bool:
    try:
        fields = json.loads(line)
    except ValueError:
        return True  # a traceback past the log
    level, event = fields.get("level"), fields.get("event")
    return level in {"error", "critical"} and event != "delivery_not_taken"


@asynccontextmanager
async def web_process(settings: Settings, scratch: Path) -> AsyncIterator[WebProcess]:
    """`skillbench serve` on a free port."""
    bound = open_socket("127.0.0.1", 0)
    port = bound.getsockname()[1]
    bound.close()
    environment = {
        "PATH": os.environ["PATH"],
        "SKILLBENCH_GITHUB_APP_ID": settings.github_app_id,
        "SKILLBENCH_GITHUB_PRIVATE_KEY": settings.private_key_pem,
        "SKILLBENCH_GITHUB_WEBHOOK_SECRET": SECRET,
        "SKILLBENCH_GITHUB_API_URL": settings.github_api_url,
        "SKILLBENCH_REDIS_URL": settings.redis_url,
        "SKILLBENCH_DATA_DIR": str(scratch / "data"),
        "SKILLBENCH_PORT": str(port),
    }
    log = scratch / "web.log"
    with log.open("wb") as words:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "serve"), env=environment, stdout=words, stderr=words
        )
    try:
        async with asyncio.timeout(START_S):
            while not await _listens(port):
                assert process.returncode is None, log.read_text(encoding="utf-8")
                await asyncio.sleep(0.1)
        yield WebProcess(port, process.pid, log)
        assert process.returncode is None, "it has served to the end"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@asynccontextmanager
async def opened(scratch: Path) -> AsyncIterator[Door]:
    """The bot without its workers, and a local GitHub with a repository and issues."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    async with AsyncExitStack() as stack:
        redis_url = await stack.enter_async_context(embedded_redis(scratch / "redis"))
        github = LocalGitHub(webhook_secret=SECRET)
        served = await stack.enter_async_context(github.serve(port=0))
        (scratch / "tree").mkdir()
        (scratch / "tree" / "README.md").write_text("hello\n", encoding="utf-8")
        repository = github.add_repository("acme", "skills", folder=scratch / "tree")
        github.add_person(PERSON, {"acme/skills": "write"})
        for number in (1, 2, 3, 21):
            repository.open_issue(author=PERSON, title="x", body="y", number=number)
        given: dict[str, object] = {
            "github_app_id": str(github.app_id),
            "github_private_key": SecretStr(github.private_key_pem),
            "github_webhook_secret": SecretStr(SECRET),
            "github_api_url": served.api_url,
            "github_web_url": served.web_url,
            "allowed_owners": "acme",
            "redis_url": redis_url,
            "data_dir": scratch / "data",
            "sandbox": "none",
        }
        settings = make_settings(given | scripted("http://127.0.0.1:9"))
        web = await stack.enter_async_context(web_process(settings, scratch))
        wiring = await stack.enter_async_context(
            wired(settings, scratch / "work", pacer=NoPacing())
        )
        redis = await stack.enter_async_context(Redis.from_url(redis_url))
        yield Door(redis, wiring, web, github.installation_id)


async def knock(door: Door, maker: DeliveryMaker, count: int) -> Answered:
    """Send that many requests, some at a time, and check every answer."""
    answered = Answered()
    left = iter(range(count))

    async def sender() -> None:
        for _ in left:
            if len(answered.findings) >= MOST_FINDINGS:
                return
            sent = maker.make()
            began = time.perf_counter()
            try:
                status = await send(sent, door.web.port)
            except TimeoutError:
                answered.findings.append(f"no answer in time: {sent.kind} {sent.raw[:300]!r}")
                continue
            answered.slowest_s = max(answered.slowest_s, time.perf_counter() - began)
            _check(sent, status, answered)

    await asyncio.gather(*(sender() for _ in range(AT_ONCE)))
    twice = [one for one, times in Counter(answered.queued).items() if times > 1]
    known = {job_id.decode().split(":")[-1] for job_id in await door.redis.zrange(EVENTS, 0, -1)}
    lost = sorted(set(answered.queued) - known)
    for what, ids in (("let in twice", twice), ("lost", lost)):
        if ids:
            answered.findings.append(f"{what}: {ids[:5]}")
    return answered


def _check(sent: Sent, status: int, answered: Answered) -> None:
    answered.statuses[str(status or "closed")] += 1
    if status == 202 and sent.well_formed:
        answered.queued.append(sent.delivery)
    if status >= 500:
        answered.findings.append(f"{status}: {sent.kind} {sent.raw[:600]!r}")
    if status == 202 and not sent.signed:
        answered.findings.append(f"let in unsigned: {sent.kind} {sent.raw[:600]!r}")
    if status == NO_ANSWER and sent.well_formed:
        answered.findings.append(f"no answer: {sent.kind} {sent.raw[:600]!r}")


async def handle(door: Door) -> Handled:
    """Give every queued event to its real handler, as a worker would."""
    handled = Handled()
    waiting = [job_id.decode() for job_id in await door.redis.zrange(EVENTS, 0, -1)]
    left = iter(waiting)

    async def worker() -> None:
        for job_id in left:
            stored = await door.redis.get(JOB_KEY + job_id)
            job = read_job(stored or b"", known=(HANDLE_EVENT,))
            began = time.perf_counter()
            try:
                await door.wiring.handle_event(read_event(job["a"][0]))
                outcome = "decided"
            except Error as error:
                outcome = type(error).__name__
            except Exception as error:  # noqa: BLE001 -- this is what is looked for
                outcome = f"!{type(error).__name__}"
                if len(handled.findings) < MOST_FINDINGS:
                    handled.findings.append(f"{error!r}: {str(stored)[:1_000]}")
            handled.outcomes[outcome] += 1
            handled.slowest_s = max(handled.slowest_s, time.perf_counter() - began)

    await asyncio.gather(*(worker() for _ in range(4)))
    for job_id in await door.redis.zrange(REQUESTS, 0, -1):
        job = read_job(
            await door.redis.get(JOB_KEY + job_id.decode()), known=("carry_out_request",)
        )
        Request.model_validate(job["a"][0])
        handled.requests += 1
    return handled


async def knock_without_redis(door: Door, maker: DeliveryMaker) -> Counter[str]:
    """With Redis gone every answer is still one of ours: 503, or what needs no Redis."""
    with suppress(RedisConnectionError):  # it ends in the middle of answering
        await door.redis.shutdown(nosave=True)
    answered = Answered()
    for _ in range(PROBES_WITHOUT_REDIS):
        sent = maker.make()
        status = await send(sent, door.web.port)
        answered.statuses[str(status or "closed")] += 1
        if status not in {503, 200, NO_ANSWER} and not 400 <= status < 500:
            answered.findings.append(f"{status} without Redis: {sent.raw[:300]!r}")
    assert not answered.findings, answered.findings
    return answered.statuses
