"""Finished runs are found again; the same run goes on once at a time, whoever dies."""

import asyncio
import sys
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.store.ledger import RedisLedger
from tests.builders import a_run_record

LEASE_S = 0.6
WAIT_S = 20.0

HOLDER = """
import asyncio, sys
from redis.asyncio import Redis
from bot.store.ledger import RedisLedger

async def main():
    async with RedisLedger(Redis.from_url(sys.argv[1]), lease_s=float(sys.argv[2])).hold("k"):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def ledger(redis: Redis) -> RedisLedger:
    return RedisLedger(redis, lease_s=LEASE_S)


async def test_a_finished_run_is_found_as_it_was_recorded(ledger: RedisLedger) -> None:
    record = a_run_record(model="claude-sonnet-4-6")
    assert await ledger.find("k") is None
    await ledger.record("k", record)
    assert await ledger.find("k") == record
    assert await ledger.find("other") is None


async def test_every_run_of_a_repository_is_told_in_the_order_of_their_ends(
    ledger: RedisLedger,
) -> None:
    second = a_run_record(run="b" * 12, finished_at=datetime(2026, 5, 2, tzinfo=UTC))
    first = a_run_record(run="c" * 12, finished_at=datetime(2026, 5, 1, tzinfo=UTC))
    older = a_run_record(run="d" * 12, repo="Acme/Skills")
    ungraded = a_run_record(
        run="e" * 12, score=None, state="ungraded", finished_at=datetime(2026, 5, 3, tzinfo=UTC)
    )
    await ledger.record("k", second)
    await ledger.record("k", first)
    await ledger.note(older)
    await ledger.note(ungraded)
    await ledger.note(a_run_record(repo="acme/other"))
    assert await ledger.records("acme/skills") == [older, first, second, ungraded]
    assert await ledger.find("k") == first


async def test_the_latest_record_of_a_key_counts(ledger: RedisLedger) -> None:
    await ledger.record("k", a_run_record(trials=1))
    await ledger.record("k", a_run_record(trials=3))
    found = await ledger.find("k")
    assert found is not None
    assert found.trials == 3


async def test_holders_of_one_run_come_one_after_the_other(redis_url: str) -> None:
    inside = most = 0

    async def hold() -> None:
        nonlocal inside, most
        async with Redis.from_url(redis_url) as redis, RedisLedger(redis).hold("k"):
            inside += 1
            most = max(most, inside)
            await redis.ping()
            inside -= 1

    async with asyncio.timeout(WAIT_S):
        await asyncio.gather(*(hold() for _ in range(4)))
    assert most == 1


async def test_different_runs_do_not_wait_for_each_other(ledger: RedisLedger) -> None:
    async with asyncio.timeout(WAIT_S), ledger.hold("one"), ledger.hold("other"):
        pass


async def test_a_run_that_breaks_frees_its_hold(ledger: RedisLedger) -> None:
    with pytest.raises(ValueError, match="broke"):
        async with ledger.hold("k"):
            raise ValueError("broke")
    async with asyncio.timeout(LEASE_S), ledger.hold("k"):
        pass


async def is_free(ledger: RedisLedger, within_s: float) -> bool:
    try:
        async with asyncio.timeout(within_s), ledger.hold("k"):
            return True
    except TimeoutError:
        return False


async def test_a_hold_lasts_as_long_as_its_run(ledger: RedisLedger, redis_url: str) -> None:
    async with Redis.from_url(redis_url) as other:
        async with ledger.hold("k"):
            assert not await is_free(RedisLedger(other, lease_s=LEASE_S), 3 * LEASE_S)
        assert await is_free(RedisLedger(other, lease_s=LEASE_S), WAIT_S)


async def test_a_killed_holder_frees_its_run_within_the_lease(
    redis_url: str, ledger: RedisLedger
) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, redis_url, str(2 * LEASE_S)),
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    async with asyncio.timeout(WAIT_S):
        assert await process.stdout.readline() == b"held\n"
    process.kill()
    await process.wait()
    began = time.monotonic()
    assert await is_free(ledger, WAIT_S)
    assert time.monotonic() - began < 6 * LEASE_S


async def test_an_emptied_redis_costs_no_holder_its_hold(
    ledger: RedisLedger, redis: Redis, redis_url: str
) -> None:
    """Otherwise a second request would pay for the same run."""
    async with ledger.hold("k"):
        await redis.flushall()
        async with asyncio.timeout(WAIT_S):
            while not await redis.keys("skillbench:run:k"):
                await asyncio.sleep(0.01)
        async with Redis.from_url(redis_url) as other:
            assert not await is_free(RedisLedger(other, lease_s=LEASE_S), 2 * LEASE_S)
    assert await is_free(ledger, WAIT_S)


async def test_whoever_lost_a_hold_to_another_leaves_it_to_them(
    ledger: RedisLedger, redis: Redis
) -> None:
    async with AsyncExitStack() as first:
        await first.enter_async_context(ledger.hold("k"))
        await redis.set("skillbench:run:k", "somebody else", px=60_000)
    assert await redis.get("skillbench:run:k") == b"somebody else"


async def test_a_cancelled_run_frees_its_hold_and_stays_cancelled(ledger: RedisLedger) -> None:
    held = asyncio.Event()

    async def run() -> None:
        async with ledger.hold("k"):
            held.set()
            await asyncio.Event().wait()

    running = asyncio.create_task(run())
    async with asyncio.timeout(WAIT_S):
        await held.wait()
        running.cancel()
        await asyncio.wait({running})
    assert running.cancelled()
    assert await is_free(ledger, WAIT_S)
