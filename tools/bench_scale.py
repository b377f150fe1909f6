"""Unit costs of a large installation, as docs/scale.md reckons with them.

What a waiting request, a finished run and a remembered delivery take in Redis; what a worker
takes in memory, idle and for each session more; how many calls to GitHub a run takes, and how
much processor time; what a look for the next request costs on a long queue. All of it through
the real parts: the intake, the queue, the ledger, a worker in a process of its own, the local
GitHub. The peer of the queue, in the same run, is arq's own reading of its first ids.

To reach: a waiting request below 4 KB, a delivery below 300 bytes, a look at 1,000 of 10,000
waiting requests of which none fits (once a second, by each worker with room) below fifty times
what arq takes to read their ids.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import cast

sys.path.insert(0, str(Path(__file__).parents[1]))

from redis.asyncio import Redis

from bot.embedded_redis import embedded_redis
from bot.intake import Intake
from bot.queues import REQUESTS, enqueue
from bot.store.budget import RedisBudget
from bot.store.ledger import RedisLedger
from bot.turns import ADMIT, LOOK_AHEAD, MOST_READ, SERVED, SLOTS
from jobs.planning.dedup import record_of
from jobs.requests import Repo
from tests.builders import a_request, a_result
from tests.handlers.events import a_labelled
from tools.bench.fleet import Measured, measure_runs

MANY = 10_000
LOOKS = 20
A_DAY = 1_000_000 // 30
GOAL_REQUEST, GOAL_DELIVERY, GOAL_LOOK = 4_000, 300, 50.0


async def main() -> int:
    """Measure, print, and give 0 if the goals were reached."""
    print(f"processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f} when it began")
    with tempfile.TemporaryDirectory() as place:
        async with embedded_redis(Path(place) / "redis") as url, Redis.from_url(url) as redis:
            request, delivery, record = await weigh(redis)
            look_s, arq_s = await look(redis)
            reserve_s = await time_reserving(redis)
        runs = await measure_runs(Path(place))
    print(f"a waiting request          {request:6.0f} bytes of Redis  (at most {GOAL_REQUEST})")
    print(f"a remembered delivery      {delivery:6.0f} bytes  (at most {GOAL_DELIVERY})")
    print(f"a run in the ledger        {record:6.0f} bytes")
    print(f"setting money aside        {reserve_s * 1000:6.2f} ms on a day of {A_DAY} runs")
    print(
        f"a look at {MANY} waiting  {look_s * 1000:6.2f} ms, arq's {arq_s * 1000:.2f} ms  "
        f"ratio {look_s / arq_s:.1f}  (at most {GOAL_LOOK:.0f})"
    )
    tell_runs(runs)
    reached = request <= GOAL_REQUEST and delivery <= GOAL_DELIVERY
    return 0 if reached and look_s / arq_s <= GOAL_LOOK else 1


def tell_runs(runs: Measured) -> None:
    """Print what the worker's runs took."""
    print(f"a worker, idle             {runs.idle_mb:6.0f} MB")
    print(f"each session more          {runs.session_mb:6.2f} MB  ({runs.sessions} at once)")
    print(f"a run                      {runs.run_cpu_s:6.2f} s of the worker's processor")
    print(f"                           {runs.blob_kb:6.0f} KB in the blob store")
    print(f"                           {runs.calls.total():6} calls to GitHub, of these")
    writes = Counter({kind: count for kind, count in runs.calls.items() if "GET" not in kind})
    print(f"                           {writes.total():6} that write")
    for kind, count in sorted(runs.calls.items()):
        print(f"  {count} x {kind}")


async def weigh(redis: Redis) -> tuple[float, float, float]:
    """Bytes of a waiting request, of a remembered delivery, of a run in the ledger."""

    async def used() -> int:
        return int((await redis.info("memory"))["used_memory"])

    before = await used()
    for number in range(MANY):
        repo = Repo(owner="acme", name=f"skills-{number % 100}", installation_id=7)
        await enqueue(redis, a_request(key=f"comment:{repo.full_name}:{number}:abc", repo=repo))
    request = (await used() - before) / MANY
    intake = Intake(redis)
    before = await used()
    for first in range(0, MANY, 100):
        events = [a_labelled(delivery=f"{first + number:036}") for number in range(100)]
        await asyncio.gather(*(intake.take(event, target="419001") for event in events))
    # what stays of a delivery for a week, when its event was handled
    events = await redis.zrange("skillbench:events", 0, -1)
    await redis.delete("skillbench:events", *(b"arq:job:" + event for event in events))
    delivery = (await used() - before) / MANY
    ledger, record = RedisLedger(redis), record_of(a_result())
    before = await used()
    for number in range(MANY):
        one = record.model_copy(update={"run": f"{number:012x}"})
        await ledger.record(f"{number:064}", one)
    return request, delivery, (await used() - before) / MANY


async def look(redis: Redis) -> tuple[float, float]:
    """Seconds of one look that finds nothing to start, and of arq's reading as many ids."""
    script = redis.register_script(ADMIT)
    for number in range(100):  # every repository is at its limit: all of the look ahead is read
        await redis.zadd(f"{SLOTS}repository:acme/skills-{number}", {"elsewhere": 2**42})
    arguments: list[str | int] = [4, 15_000, 100, 1, 50, "provider:anthropic", LOOK_AHEAD]
    keys: list[str | int] = ["arq:job:", SLOTS, "arq:in-progress:", MOST_READ, 0]
    began = time.perf_counter()
    for _ in range(LOOKS):
        kept_waiting, *_ = await script(keys=[REQUESTS, SERVED], args=[*arguments, *keys])
        assert kept_waiting == LOOK_AHEAD, "none of them fits"
    ours = (time.perf_counter() - began) / LOOKS
    began = time.perf_counter()
    for _ in range(LOOKS):
        await redis.zrangebyscore(REQUESTS, "-inf", "+inf", start=0, num=LOOK_AHEAD)
    return ours, (time.perf_counter() - began) / LOOKS


async def time_reserving(redis: Redis) -> float:
    """Seconds to set a run's money aside at the end of a day of many runs."""
    budget = RedisBudget(redis, per_day=Decimal(10**9))
    repo = Repo(owner="acme", name="skills", installation_id=7)
    day = f"skillbench:budget:{datetime.now(UTC):%Y-%m-%d}"
    for first in range(0, A_DAY, 1000):
        spent = {f"{number:012x}": 450_000 for number in range(first, first + 1000)}
        await cast("Awaitable[int]", redis.hset(day, mapping=spent))
    began = time.perf_counter()
    for number in range(LOOKS):
        await budget.reserve(f"last-{number}", repo, Decimal(5))
    return (time.perf_counter() - began) / LOOKS


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
