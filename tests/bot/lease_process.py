"""A worker in a process of its own, to be killed and paused: `python -m … URL LEASE_S`.

Its only job notes in Redis what happens to it, and ends once the key `go` is there.
"""

import asyncio
import os
import sys
from typing import Any

from arq.connections import ArqRedis
from arq.worker import func
from redis.asyncio import ConnectionPool, Redis

from bot.lease import LeaseWorker
from bot.queues import read_job, write_job
from bot.redis_clients import REDIS_AWAY

QUEUE = "test:queue"
JOB = "work"
NOTES = "test:notes"
GO = "test:go"


async def note(redis: Redis, what: str) -> None:
    await redis.rpush(NOTES, f"{what} {os.getpid()}")


async def work(ctx: dict[str, Any], _: Any) -> None:
    redis = ctx["redis"]
    await note(redis, f"start-{ctx['job_try']}")
    try:
        while not await _go(redis):
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        await note(redis, "cancelled")
        raise
    await note(redis, "end")


async def _go(redis: Redis) -> bool:
    try:
        return bool(await redis.exists(GO))
    except REDIS_AWAY:  # it restarts under us; a session would go on, too
        return False


def make_worker(url: str, lease_s: float) -> LeaseWorker:
    pool = ArqRedis(
        connection_pool=ConnectionPool.from_url(url),
        job_serializer=write_job,
        default_queue_name=QUEUE,
    )
    return LeaseWorker(
        func(work, name=JOB),  # type: ignore[arg-type]
        lease_s=lease_s,
        queue_name=QUEUE,
        redis_pool=pool,
        handle_signals=False,
        keep_result=0,
        max_jobs=2,
        max_tries=100,
        poll_delay=0.05,
        job_timeout=3600,
        queue_read_limit=1000,
        health_check_key=f"test:health:{os.getpid()}",
        job_serializer=write_job,
        job_deserializer=lambda stored: read_job(stored, known={JOB}),
    )


if __name__ == "__main__":

    async def main() -> None:
        worker = make_worker(sys.argv[1], float(sys.argv[2]))
        await note(worker.pool, "ready")
        await worker.main()

    asyncio.run(main())
