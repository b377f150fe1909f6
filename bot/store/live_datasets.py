"""How far runs of datasets have come, in Redis: every worker writes, the pages read.

Three keys for each run: what it is and how it stands, its cases in flight, those that have
ended. Each change is published in the same step that writes it, so a page is told and never has
to ask.
"""

from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import cast

from redis.asyncio import Redis

from bot.queues import milliseconds
from bot.redis_clients import away_is_transient
from jobs.datasets.live import ENDED, CaseEnd, LiveCase, LiveChange, LiveRun, LiveState
from jobs.datasets.plan import RunPlan

RUN = "skillbench:dataset:"
"""Before a run's id: its hash, and the channel of its changes."""
NEWEST = "skillbench:datasets"
"""Sorted set: run to when it began."""
KEPT = timedelta(days=30)
MOST_KEPT = 1_000
"""Runs in the list; older ones stand in the blob store alone."""
LISTEN_S = 5.0
"""How long a follower waits for a change before it makes sure that the run goes on."""

BEGIN = """
redis.call('hsetnx', KEYS[1], 'head', ARGV[1])
local state = redis.call('hget', KEYS[1], 'state')
if not state or state == 'waiting' then redis.call('hset', KEYS[1], 'state', ARGV[2]) end
redis.call('pexpire', KEYS[1], ARGV[5])
redis.call('zadd', KEYS[2], ARGV[3], ARGV[4])
redis.call('zremrangebyrank', KEYS[2], 0, -1 - tonumber(ARGV[6]))
return 1
"""
TURN = """
redis.call('hset', KEYS[2], ARGV[1], ARGV[2])
redis.call('pexpire', KEYS[2], ARGV[4])
redis.call('publish', KEYS[1], ARGV[3])
return 1
"""
END = """
redis.call('hdel', KEYS[2], ARGV[1])
if redis.call('sadd', KEYS[3], ARGV[1]) == 0 then return 0 end
redis.call('pexpire', KEYS[3], ARGV[5])
if ARGV[2] ~= '' then
  redis.call('hincrby', KEYS[1], 'graded', 1)
  redis.call('hincrbyfloat', KEYS[1], 'scores', ARGV[2])
else
  redis.call('hincrby', KEYS[1], 'ungraded', 1)
end
redis.call('hincrby', KEYS[1], ARGV[6], 1)
redis.call('hincrby', KEYS[1], 'micros', ARGV[3])
redis.call('hincrby', KEYS[1], 'unpriced', ARGV[7])
redis.call('pexpire', KEYS[1], ARGV[5])
redis.call('publish', KEYS[1], ARGV[4])
return 1
"""
STATE = """
redis.call('hset', KEYS[1], 'state', ARGV[1])
if ARGV[3] == '1' then redis.call('del', KEYS[2]) end
redis.call('publish', KEYS[1], ARGV[2])
return 1
"""
"""Of each: the run's keys, then what is written and what is published."""


class RedisLiveRuns:
    """Implements `jobs.datasets.live.LiveRuns`. Raises `Transient` where Redis stays away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._begin = redis.register_script(BEGIN)
        self._turn = redis.register_script(TURN)
        self._end = redis.register_script(END)
        self._state = redis.register_script(STATE)

    async def begin(self, plan: RunPlan, state: LiveState = "running") -> None:
        """Show a run; one that is shown already keeps what it has."""
        head = LiveRun(
            run_id=plan.run_id,
            benchmark=plan.benchmark,
            dataset=plan.dataset,
            target_type=plan.target_type,
            asker=plan.asker,
            started_at=plan.started_at,
            went_on_at=plan.started_at,
            state=state,
            total=len(plan.cases),
            done=0,
            graded=0,
            ungraded=0,
            average=None,
            cost_usd=Decimal(0),
        )
        with away_is_transient():
            await self._begin(
                keys=[_run(plan.run_id), NEWEST],
                args=[
                    head.model_dump_json(),
                    state,
                    plan.started_at.timestamp(),
                    plan.run_id,
                    milliseconds(KEPT),
                    MOST_KEPT,
                ],
            )

    async def began(self, run_id: str, case: LiveCase) -> None:
        await self._write_turn(run_id, LiveChange(kind="began", case=case), case)

    async def turned(self, run_id: str, case: LiveCase) -> None:
        await self._write_turn(run_id, LiveChange(kind="turned", case=case), case)

    async def _write_turn(self, run_id: str, change: LiveChange, case: LiveCase) -> None:
        with away_is_transient():
            await self._turn(
                keys=[_run(run_id), _flying(run_id)],
                args=[
                    case.id,
                    case.model_dump_json(),
                    change.model_dump_json(exclude_none=True),
                    milliseconds(KEPT),
                ],
            )

    async def ended(self, run_id: str, end: CaseEnd) -> None:
        """A case has ended; the same case twice is counted once."""
        change = LiveChange(kind="ended", end=end)
        with away_is_transient():
            await self._end(
                keys=[_run(run_id), _flying(run_id), _ended(run_id)],
                args=[
                    end.id,
                    "" if end.score is None else repr(end.score),
                    int(end.cost_usd * 1_000_000),
                    change.model_dump_json(exclude_none=True),
                    milliseconds(KEPT),
                    f"outcome:{end.outcome}",
                    int(not end.is_cost_known),
                ],
            )

    async def set_state(self, run_id: str, state: LiveState) -> None:
        change = LiveChange(kind="state", state=state)
        with away_is_transient():
            await self._state(
                keys=[_run(run_id), _flying(run_id)],
                args=[
                    state,
                    change.model_dump_json(exclude_none=True),
                    int(state in ENDED),
                ],
            )

    async def look(self, run_id: str) -> LiveRun | None:
        """A run as it stands; None where it is not remembered."""
        with away_is_transient():
            async with self._redis.pipeline(transaction=True) as pipe:
                pipe.hgetall(_run(run_id))
                pipe.hvals(_flying(run_id))
                fields, flying = await pipe.execute()
        run = _read(fields)
        if run is None:
            return None
        cases = sorted((LiveCase.model_validate_json(one) for one in flying), key=_since)
        return run.model_copy(update={"in_flight": tuple(cases)})

    async def newest(self, most: int = 50) -> Sequence[LiveRun]:
        """The runs that began last, newest first, without their cases in flight."""
        with away_is_transient():
            names = await self._redis.zrevrange(NEWEST, 0, most - 1)
        return await self.read([name.decode() for name in names])

    async def read(self, run_ids: Iterable[str]) -> list[LiveRun]:
        """Those of these runs that are remembered, without their cases in flight."""
        with away_is_transient():
            async with self._redis.pipeline(transaction=False) as pipe:
                for run_id in run_ids:
                    pipe.hgetall(_run(run_id))
                found = await pipe.execute()
        return [run for fields in found if (run := _read(fields)) is not None]

    async def follow(self, run_id: str) -> AsyncIterator[LiveChange]:
        """How the run stands, then every change until it has ended."""
        with away_is_transient():
            async with self._redis.pubsub(ignore_subscribe_messages=True) as listening:
                await listening.subscribe(_run(run_id))
                run = await self.look(run_id)
                if run is not None:
                    yield LiveChange(kind="state", state=run.state)
                while run is not None and run.state not in ENDED:
                    told = await listening.get_message(timeout=LISTEN_S)
                    if told is None:  # a change may be lost with a connection, an end must not
                        run = await self.look(run_id)
                        continue
                    change = LiveChange.model_validate_json(told["data"])
                    yield change
                    if change.state in ENDED:
                        return

    async def cancel(self, run_id: str, by: str) -> None:
        with away_is_transient():
            await self._redis.set(_cancelled(run_id), by, nx=True, px=milliseconds(KEPT))

    async def find_cancelled(self, run_id: str) -> str | None:
        """Who cancelled a run; None where nobody has."""
        with away_is_transient():
            stored = await cast("Awaitable[bytes | None]", self._redis.get(_cancelled(run_id)))
        return None if stored is None else stored.decode()

    async def reopen(self, run_id: str, now: datetime) -> None:
        with away_is_transient():
            await self._redis.delete(_cancelled(run_id))
            run = await self.look(run_id)
            if run is None:
                return
            since = {"went_on": now.isoformat(), "done_before": run.done}
            await cast("Awaitable[int]", self._redis.hset(_run(run_id), mapping=since))
            await self.set_state(run_id, "running")


def _read(fields: dict[bytes, bytes]) -> LiveRun | None:
    if b"head" not in fields:
        return None
    graded, ungraded = int(fields.get(b"graded", 0)), int(fields.get(b"ungraded", 0))
    head = LiveRun.model_validate_json(fields[b"head"])
    went_on = fields.get(b"went_on")
    return head.model_copy(
        update={
            "went_on_at": datetime.fromisoformat(went_on.decode()) if went_on else head.started_at,
            "done_before": int(fields.get(b"done_before", 0)),
            "state": fields[b"state"].decode(),
            "done": graded + ungraded,
            "graded": graded,
            "passed": int(fields.get(b"outcome:pass", 0)),
            "failed": int(fields.get(b"outcome:fail", 0)),
            "ungraded": ungraded,
            "average": float(fields[b"scores"]) / graded if graded else None,
            "cost_usd": Decimal(int(fields.get(b"micros", 0))) / 1_000_000,
            "unpriced": int(fields.get(b"unpriced", 0)),
        }
    )


def _since(case: LiveCase) -> tuple[datetime, str]:
    return case.since, case.id


def _run(run_id: str) -> str:
    return f"{RUN}{run_id}"


def _flying(run_id: str) -> str:
    return f"{RUN}{run_id}:in-flight"


def _ended(run_id: str) -> str:
    return f"{RUN}{run_id}:ended"


def _cancelled(run_id: str) -> str:
    return f"{RUN}{run_id}:cancelled"
