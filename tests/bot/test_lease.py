"""Workers killed, paused and robbed of their Redis; leases of a second instead of fifteen."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from bot.embedded_redis import embedded_redis
from bot.queues import JOB_KEY, make_job, now_ms
from tests.bot.lease_process import GO, JOB, NOTES, QUEUE

LEASE_S = 1.0
LEASE_KEY = "arq:in-progress:job-1"
WAIT_S = 20.0


class Workers:
    """Worker processes on one Redis, and what they noted."""

    def __init__(self, redis: Redis, url: str) -> None:
        self.redis = redis
        self._url = url
        self.processes: list[asyncio.subprocess.Process] = []

    async def start(self) -> int:
        """Start a worker; gives its process id once it is at work."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bot.lease_process", self._url, str(LEASE_S)),
            cwd=Path(__file__).parents[2],
            stdout=asyncio.subprocess.DEVNULL,
        )
        self.processes.append(process)
        await self.noted(f"ready {process.pid}")
        return process.pid

    async def queue_job(self) -> None:
        await self.redis.set(JOB_KEY + "job-1", make_job(JOB, None, now_ms()))
        await self.redis.zadd(QUEUE, {"job-1": now_ms()})

    async def notes(self) -> list[str]:
        return [line.decode() for line in await self.redis.lrange(NOTES, 0, -1)]

    async def noted(self, line: str) -> None:
        await until(lambda notes: line in notes, self.notes, line)

    async def stop(self) -> None:
        for process in self.processes:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def until(holds: Callable[[list[str]], bool], look: object, what: str) -> None:
    """Look until it holds, for a bounded time; a Redis that is away is looked at again."""
    notes: list[str] = []
    try:
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    notes = await look()  # type: ignore[operator]
                except (RedisError, OSError):
                    notes = []
                if holds(notes):
                    return
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"never came: {what}; there is {notes}") from None


@asynccontextmanager
async def workers_on(url: str) -> AsyncIterator[Workers]:
    async with Redis.from_url(url) as redis:
        workers = Workers(redis, url)
        try:
            yield workers
        finally:
            await workers.stop()


@pytest.fixture
async def workers(redis_url: str) -> AsyncIterator[Workers]:
    async with workers_on(redis_url) as some:
        yield some


async def gone(redis: Redis) -> None:
    """Wait until nothing of the job is left in Redis."""

    async def keys() -> list[str]:
        return [key.decode() for key in await redis.keys("*job-1*")]

    def only_the_taker(names: list[str]) -> bool:
        return names in ([], ["skillbench:taker:job-1"])

    await until(only_the_taker, keys, "the end of the job")
    assert await redis.zcard(QUEUE) == 0


async def test_a_killed_workers_job_starts_elsewhere_when_its_lease_runs_out(
    workers: Workers,
) -> None:
    """Its time limit is an hour; arq alone would wait for that long."""
    first = await workers.start()
    await workers.queue_job()
    await workers.noted(f"start-1 {first}")
    second = await workers.start()
    os.kill(first, signal.SIGKILL)
    killed = time.monotonic()
    await workers.noted(f"start-2 {second}")
    assert time.monotonic() - killed < 5 * LEASE_S
    await workers.redis.set(GO, 1)
    await workers.noted(f"end {second}")
    await gone(workers.redis)
    starts = [note for note in await workers.notes() if note.startswith("start")]
    assert starts == [f"start-1 {first}", f"start-2 {second}"]


async def test_a_paused_worker_lets_go_of_a_job_that_another_took(workers: Workers) -> None:
    first = await workers.start()
    await workers.queue_job()
    await workers.noted(f"start-1 {first}")
    os.kill(first, signal.SIGSTOP)
    second = await workers.start()
    await workers.noted(f"start-2 {second}")
    os.kill(first, signal.SIGCONT)
    await workers.noted(f"cancelled {first}")
    holder = await workers.redis.get(LEASE_KEY)
    assert holder, "the first worker must not free what the second one holds"
    await workers.redis.set(GO, 1)
    await workers.noted(f"end {second}")
    await gone(workers.redis)
    assert f"end {first}" not in await workers.notes()


async def test_a_paused_worker_lets_go_of_a_job_that_another_has_finished(
    workers: Workers,
) -> None:
    """Nothing of the job is there any more, as after a FLUSHALL; but somebody else took it."""
    first = await workers.start()
    await workers.queue_job()
    await workers.noted(f"start-1 {first}")
    os.kill(first, signal.SIGSTOP)
    second = await workers.start()
    await workers.noted(f"start-2 {second}")
    await workers.redis.set(GO, 1)
    await workers.noted(f"end {second}")
    await gone(workers.redis)
    await workers.redis.delete(GO)
    os.kill(first, signal.SIGCONT)
    await workers.noted(f"cancelled {first}")
    await gone(workers.redis)
    starts = [note for note in await workers.notes() if note.startswith("start")]
    assert len(starts) == 2


async def test_a_worker_paused_while_nobody_took_its_job_goes_on(workers: Workers) -> None:
    first = await workers.start()
    await workers.queue_job()
    await workers.noted(f"start-1 {first}")
    os.kill(first, signal.SIGSTOP)
    await until(lambda left: not left, lambda: workers.redis.keys(LEASE_KEY), "the lease's end")
    os.kill(first, signal.SIGCONT)
    await until(bool, lambda: workers.redis.keys(LEASE_KEY), "the lease's return")
    await workers.redis.set(GO, 1)
    await workers.noted(f"end {first}")
    assert f"cancelled {first}" not in await workers.notes()


async def test_a_job_survives_that_redis_is_emptied(workers: Workers) -> None:
    """The lease comes back, and the job with it: it runs on, and nobody else starts it."""
    first = await workers.start()
    second = await workers.start()
    await workers.queue_job()
    await until(
        lambda notes: any(note.startswith("start-1") for note in notes), workers.notes, "a start"
    )
    await workers.redis.flushall()
    await until(bool, lambda: workers.redis.keys(LEASE_KEY), "the lease's return")
    assert await workers.redis.zscore(QUEUE, "job-1")
    assert await workers.redis.get(JOB_KEY + "job-1")
    await workers.redis.set(GO, 1)
    await until(
        lambda notes: any(note.startswith("end") for note in notes), workers.notes, "the end"
    )
    await gone(workers.redis)
    notes = await workers.notes()
    assert len(notes) == 1, "emptied after the first start, so only the end is noted"
    assert notes[0] in {f"end {first}", f"end {second}"}


async def test_a_job_whose_worker_dies_after_redis_was_emptied_is_not_lost(
    workers: Workers,
) -> None:
    first = await workers.start()
    await workers.queue_job()
    await workers.noted(f"start-1 {first}")
    await workers.redis.flushall()
    await until(bool, lambda: workers.redis.keys(LEASE_KEY), "the lease's return")
    os.kill(first, signal.SIGKILL)
    second = await workers.start()
    await workers.redis.set(GO, 1)
    await workers.noted(f"end {second}")
    await gone(workers.redis)


async def test_a_restart_of_redis_ends_neither_worker_nor_job(short_path: Path) -> None:
    """The queue is on disk, as it is under `up`; the session never notices."""
    async with embedded_redis(short_path, append_only=True) as url, workers_on(url) as before:
        first = await before.start()
        await before.queue_job()
        await before.noted(f"start-1 {first}")
        kept = before.processes
        before.processes = []
    async with embedded_redis(short_path, append_only=True) as url, workers_on(url) as workers:
        workers.processes = kept
        await until(bool, lambda: workers.redis.keys(LEASE_KEY), "the lease's return")
        await workers.redis.set(GO, 1)
        await workers.noted(f"end {first}")
        await gone(workers.redis)
        assert kept[0].returncode is None
        starts = [note for note in await workers.notes() if note.startswith("start")]
        assert starts == [f"start-1 {first}"]
        await workers.redis.delete(GO)
        await workers.queue_job()
        await until(
            lambda notes: notes.count(f"start-1 {first}") == 2, workers.notes, "the next job"
        )
