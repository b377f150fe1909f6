"""Single runs that are cancelled by their ids, on a real Redis with real plans beside it."""

from dataclasses import replace
from pathlib import Path

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.cancellable_queue import CancellableQueue
from bot.queues import REQUESTS, enqueue
from jobs.keeping import request_folder
from jobs.planning.plan import Plan
from jobs.requests import Request
from tests.bot.test_cancels import a_cancel, asked
from tests.builders import A_COMMIT, NOON, a_run_spec


async def keep_plan(blobs: Blobs, request: Request, *runs: str) -> None:
    plan = Plan(
        request=request,
        commit=A_COMMIT,
        runs=tuple(a_run_spec(run_id=run) for run in runs),
        duplicates=(),
        refused=(),
    )
    await blobs.put(f"{request_folder(request)}/plan.json", plan.model_dump_json().encode())


async def test_only_the_request_that_holds_the_named_run_is_cancelled(
    redis: Redis, tmp_path: Path
) -> None:
    """One that only waits has planned no run yet."""
    blobs = Blobs(tmp_path.as_uri())
    holder, other, waiting = asked(1), asked(2), asked(3)
    await keep_plan(blobs, holder, "0a1b2c3d4e5f")
    await keep_plan(blobs, other, "ffffffffffff")
    for request in (holder, other, waiting):
        await enqueue(redis, request)
    queue = CancellableQueue(redis, blobs=blobs)
    named = replace(a_cancel(comment=9), runs=("0a1b2c3d4e5f",))
    assert await queue.cancel(named) == 1
    left = await redis.zrange(REQUESTS, 0, -1)
    assert sorted(left) == sorted(f"request:{one.key}".encode() for one in (other, waiting))
    assert await queue.cancel(replace(a_cancel(), runs=("000000000000",))) == 0


async def test_of_several_named_runs_each_is_looked_for(redis: Redis, tmp_path: Path) -> None:
    """What is counted are the runs, also at a second look: one that is not found is told."""
    blobs = Blobs(tmp_path.as_uri())
    ours = ("0a1b2c3d4e5f", "1a1b2c3d4e5f")
    await keep_plan(blobs, asked(1), *ours)
    await keep_plan(blobs, asked(2), "2a1b2c3d4e5f")
    for number in (1, 2):
        await enqueue(redis, asked(number))
    queue = CancellableQueue(redis, blobs=blobs)
    named = replace(a_cancel(comment=9), runs=(*ours, "2a1b2c3d4e5f", "000000000000"))
    assert await queue.cancel(named) == 3
    assert await redis.zcard(REQUESTS) == 0
    assert await queue.cancel(named) == 3


async def test_a_run_that_is_cancelled_takes_back_nothing_else_that_was_said_before(
    redis: Redis, tmp_path: Path
) -> None:
    """Of a plain cancel it is remembered, for a command that is looked at late."""
    queue = CancellableQueue(redis, (NOON.timestamp() + 60, 9), blobs=Blobs(tmp_path.as_uri()))
    assert await queue.cancel(replace(a_cancel(), runs=("0a1b2c3d4e5f",))) == 0
    late = CancellableQueue(redis, (NOON.timestamp(), 1))
    assert await late.enqueue(asked(1), delivery="d-1")
    assert await redis.zcard(REQUESTS) == 1
