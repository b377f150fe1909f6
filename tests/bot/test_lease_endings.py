"""The moments at which a job ends: crossed by a renewal, by a deployment, by a defect."""

import asyncio
from datetime import timedelta

from redis.asyncio import Redis

from bot.leaving import run_workers
from bot.queues import JOB_KEY, REQUESTS, enqueue, make_job, now_ms
from tests.bot.lease_process import GO, JOB, QUEUE, make_worker
from tests.bot.working import World, settled, working
from tests.builders import NOON, a_request

LEASE_KEY = "arq:in-progress:job-1"
WAIT_S = 20.0


async def test_a_renewal_that_crosses_the_end_of_its_job_does_not_bring_it_back(
    redis_url: str, redis: Redis
) -> None:
    """Both travel at once, over two connections; the end may arrive first."""
    worker = make_worker(redis_url, 60)
    for ends in (True, False):
        await redis.set(JOB_KEY + "job-1", make_job(JOB, None, now_ms()))
        await redis.zadd(QUEUE, {"job-1": 1})
        await redis.set(LEASE_KEY, "1", px=60_000)
        lease = await worker._take("job-1", 1)
        assert lease is not None
        worker._leases["job-1"] = lease
        await worker.finish_job("job-1", ends, None, None, False, None, None)
        assert not await worker.renew("job-1", lease)
        assert not await redis.exists(LEASE_KEY)
        assert await redis.zcard(QUEUE) == (0 if ends else 1)
    await worker.close()


async def test_a_worker_that_leaves_lets_an_end_under_way_come_to_its_end(
    redis_url: str, redis: Redis
) -> None:
    """A job that is done must not start again because a deployment came in that moment."""
    worker = make_worker(redis_url, 60)
    held = asyncio.Event()
    let_go = worker._let_go
    leaving = asyncio.Event()

    async def slow(*arguments: object) -> None:
        held.set()
        await leaving.wait()
        await let_go(*arguments)  # type: ignore[arg-type]

    worker._let_go = slow  # type: ignore[method-assign]
    await redis.set(GO, 1)
    await redis.set(JOB_KEY + "job-1", make_job(JOB, None, now_ms()))
    await redis.zadd(QUEUE, {"job-1": now_ms()})
    polling = asyncio.create_task(worker.main())
    async with asyncio.timeout(WAIT_S):
        await held.wait()
        polling.cancel()
        closing = asyncio.create_task(worker.close())
        await asyncio.sleep(0)
        leaving.set()
        await closing
    assert await redis.keys("*job-1*") == [b"skillbench:taker:job-1"]
    assert await redis.zcard(QUEUE) == 0


async def test_a_job_that_breaks_its_worker_ends_neither_it_nor_the_others(
    redis_url: str, redis: Redis
) -> None:
    worker = make_worker(redis_url, 1)
    broken: list[str] = []
    let_go = worker._let_go

    async def breaks(job_id: str, *rest: object) -> None:
        if job_id == "job-0":
            broken.append(job_id)
            raise LookupError(job_id)
        await let_go(job_id, *rest)  # type: ignore[arg-type]

    worker._let_go = breaks  # type: ignore[method-assign]
    await redis.set(GO, 1)
    polling = asyncio.create_task(worker.main())
    for name in ("job-0", "job-1"):
        await redis.set(JOB_KEY + name, make_job(JOB, None, now_ms()))
        await redis.zadd(QUEUE, {name: now_ms()})
        async with asyncio.timeout(WAIT_S):
            while name not in broken and await redis.zscore(QUEUE, name):
                await asyncio.sleep(0.01)
    assert broken
    assert not polling.done()
    polling.cancel()
    await asyncio.gather(polling, return_exceptions=True)
    await worker.close()


async def test_a_label_put_on_again_while_its_run_ends_is_looked_at_once_more(
    redis_url: str, redis: Redis
) -> None:
    """Taken off by us, put on by a person, and told to us before the job was off its queue."""
    world = World(gate=asyncio.Event())
    assert world.gate is not None
    first, second = (
        a_request(key="k", origin="label", comment_id=None, asked_at=NOON + timedelta(days))
        for days in (0, 1)
    )
    assert await enqueue(redis, first, delivery="d-1")
    async with working(redis_url, world):
        await world.until(lambda: "request k" in world.happened)
        assert not await enqueue(redis, second, delivery="d-2")
        world.gate.set()
        await world.until(lambda: world.happened.count("ended k") == 2)
        await settled(redis, REQUESTS)
    assert [request.asked_at for request in world.requests] == [first.asked_at, second.asked_at]
    assert not await redis.exists("skillbench:again:request:k")


async def test_a_label_that_was_put_on_once_is_looked_at_once(redis_url: str, redis: Redis) -> None:
    world = World()
    await enqueue(redis, a_request(key="k", origin="label", comment_id=None), delivery="d-1")
    async with working(redis_url, world):
        await settled(redis, REQUESTS)
    assert world.happened == ["request k", "ended k"]


async def test_a_worker_that_misses_its_cancellation_is_told_once_more() -> None:
    """Some library may take it for its own; a deployment would wait for ever."""
    worker = Deaf()
    running = asyncio.create_task(run_workers((worker,)))  # type: ignore[arg-type]
    await worker.polls.wait()
    running.cancel()
    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(running, return_exceptions=True)
    assert worker.happened == ["missed", "ended", "closed"]


class Deaf:
    """Misses the first cancellation."""

    def __init__(self) -> None:
        self.happened: list[str] = []
        self.polls = asyncio.Event()

    async def main(self) -> None:
        for what in ("missed", "ended"):
            self.polls.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.happened.append(what)

    async def close(self) -> None:
        self.happened.append("closed")
