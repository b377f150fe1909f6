"""An arq worker whose jobs survive it: a short lease on each job, renewed and fenced.

arq marks a running job with a key that lives as long as the longest job may take, so a job
of a killed worker would wait for hours. Here that key is a lease of seconds, signed anew
each time a job is taken. Beside it stands who took the job last: a worker that was paused
finds another's signature there, even if that one has finished meanwhile, and lets go; one
that finds nothing at all knows that Redis was emptied, and puts lease and job back.

It keeps no results, and leans on the insides of arq 0.28.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import structlog
from arq.constants import in_progress_key_prefix, job_key_prefix, retry_key_prefix
from arq.worker import Worker

from bot.queues import AGAIN, KEEP_JOB, milliseconds
from bot.redis_clients import REDIS_AWAY

LEASE_S = 15.0
"""A killed worker's job starts elsewhere after this long at most, plus one poll."""
RECONNECT_S = 0.5
STARTING_S = 0.05
"""How often a worker that leaves looks for jobs that had not started when it began to."""
TAKER_KEPT_MS = milliseconds(timedelta(days=1))
"""How long a worker may be paused and still find out that its job went to another."""

Argument = bytes | str | int
"""What a script is given."""

TAKE = """
local holder = redis.call('get', KEYS[1])
if holder ~= '1' and holder ~= ARGV[1] then return {0} end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
return {1, redis.call('get', KEYS[3])}
"""
"""Sign for a job that arq has just marked with `1`, unless the mark is no longer arq's."""

STILL_OURS = """
local holder = redis.call('get', KEYS[1])
local taker = redis.call('get', KEYS[2])
if holder and holder ~= ARGV[1] then return 0 end
if not holder and taker and taker ~= ARGV[1] then return 0 end
"""

RENEW = (
    STILL_OURS
    + """
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
redis.call('set', KEYS[2], ARGV[1], 'px', ARGV[3])
if not holder and ARGV[4] ~= '' then
  redis.call('set', KEYS[3], ARGV[4], 'nx', 'px', ARGV[5])
  redis.call('zadd', KEYS[4], 'nx', ARGV[6], ARGV[7])
end
return 1
"""
)
"""Hold on to a job; what is missing of it is put back."""

END = (
    STILL_OURS
    + """
local again = redis.call('get', KEYS[6])
redis.call('del', KEYS[1], KEYS[3], KEYS[5], KEYS[6])
redis.call('set', KEYS[2], 'nobody', 'px', ARGV[3])
if again then
  redis.call('set', KEYS[3], again, 'px', ARGV[4])
  redis.call('zadd', KEYS[4], ARGV[5], ARGV[2])
else
  redis.call('zrem', KEYS[4], ARGV[2])
end
return 1
"""
)
"""Take a job off the queue, for good unless it was asked for again meanwhile. Signed by nobody,
so that a renewal which was on its way at the same time, or a paused worker's, does not bring it
back.
"""

HAND_BACK = (
    STILL_OURS
    + """
redis.call('del', KEYS[1])
redis.call('set', KEYS[2], 'nobody', 'px', ARGV[3])
redis.call('set', KEYS[3], ARGV[4], 'px', ARGV[5])
redis.call('zadd', KEYS[4], ARGV[6], ARGV[2])
if tonumber(redis.call('get', KEYS[5]) or 0) > 0 then redis.call('decr', KEYS[5]) end
return 1
"""
)
"""Leave a job to be taken again; a try that ends in good order does not count as one."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Lease:
    """Our hold on one job, and what is needed to put the job back."""

    token: str
    stored: bytes
    score: int


class LeaseWorker(Worker):
    """A `Worker` that holds its jobs by renewed leases and outlives a restart of Redis.

    A job's `job_try` counts its crashes: 1 plus how often a worker died or was lost with it.
    """

    def __init__(self, *functions: Any, lease_s: float = LEASE_S, **options: Any) -> None:
        super().__init__(functions, **options)
        self.in_progress_timeout_s = lease_s
        self._lease_s = lease_s
        self._leases: dict[str, Lease] = {}
        self._renewal: asyncio.Task[None] | None = None
        self._is_leaving = False

    async def main(self) -> None:
        """Poll for jobs, for ever; while Redis is away, wait for it and let sessions go on."""
        self._renewal = asyncio.create_task(self._renew_for_ever())
        while True:
            try:
                await super().main()
            except REDIS_AWAY as trouble:
                log.warning("redis_away", queue=self.queue_name, problem=type(trouble).__name__)
                await asyncio.sleep(RECONNECT_S)
            else:
                return

    async def close(self) -> None:
        """Hand running jobs back, so that another worker starts them at once, and leave.

        Only the jobs are cancelled, each once: the hand-over around them must come to its end.
        """
        self._is_leaving = True
        stopped: set[asyncio.Task[Any]] = set()
        while running := [task for task in self.tasks.values() if not task.done()]:
            for job in set(self.job_tasks.values()) - stopped:
                job.cancel()
                stopped.add(job)
            await asyncio.wait(running, timeout=STARTING_S)  # a job may just be starting
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        if self._renewal is not None:
            self._renewal.cancel()
        with suppress(*REDIS_AWAY):
            await self.pool.delete(self.health_check_key)
        await self.pool.aclose(close_connection_pool=True)

    async def start_jobs(self, job_ids: list[bytes]) -> None:
        """Start what there is room for; a start that Redis interrupts gives its room back."""
        for job_id in job_ids:
            if self.job_counter >= self.max_jobs:
                return
            if (task := self.tasks.get(job_id.decode())) and not task.done():
                continue  # ours, even if its lease ran out while we were paused
            try:
                await super().start_jobs([job_id])
            except REDIS_AWAY:
                self._release_sem_dec_counter_on_complete()
                raise

    async def run_job(self, job_id: str, score: int) -> None:
        """Run a job that is ours by now; one that another took meanwhile is left to them."""
        try:
            lease = await self._take(job_id, score)
            if lease is None:
                return
            self._leases[job_id] = lease
            log.info("job_taken", job=job_id)
            await super().run_job(job_id, score)
        except REDIS_AWAY as trouble:  # the lease runs out, and then the job starts again
            log.warning("job_let_go", job=job_id, problem=type(trouble).__name__)
        except Exception:  # arq would end the worker for it, and all its other jobs
            log.exception("job_broke", job=job_id)
        finally:
            if self._leases.pop(job_id, None) is not None:
                log.info("job_left", job=job_id)

    async def finish_job(  # noqa: PLR0913, PLR0917 -- the signature is arq's
        self,
        job_id: str,
        finish: bool,
        result_data: bytes | None,
        result_timeout_s: float | None,
        keep_result_forever: bool,
        incr_score: int | None,
        keep_in_progress: float | None,
    ) -> None:
        """Take a job that has ended off the queue, or leave it there for another try."""
        del result_data, result_timeout_s, keep_result_forever, keep_in_progress
        lease = self._leases[job_id]
        if finish:
            await self._end(job_id)
        else:
            score = lease.score + (incr_score or 0)
            back: list[Argument] = [lease.stored, milliseconds(KEEP_JOB), score]
            await self._let_go(job_id, HAND_BACK, back)

    async def finish_failed_job(self, job_id: str, result_data: bytes | None) -> None:
        """Take a job that could not even start off the queue."""
        del result_data
        await self._end(job_id)

    async def _end(self, job_id: str) -> None:
        await self._let_go(job_id, END, [milliseconds(KEEP_JOB), self._leases[job_id].score])

    async def _take(self, job_id: str, score: int) -> Lease | None:
        token = uuid4().hex
        arguments: list[Argument] = [token, self.lease_ms, TAKER_KEPT_MS]
        answer = await self.pool.register_script(TAKE)(keys=self._keys(job_id), args=arguments)
        if not answer[0]:
            return None
        return Lease(token, answer[1] if len(answer) > 1 and answer[1] else b"", score)

    async def _let_go(self, job_id: str, script: str, rest: list[Argument]) -> None:
        """End our hold, when Redis answers again; a worker that leaves does not wait for that."""
        arguments: list[Argument] = [self._leases[job_id].token, job_id, TAKER_KEPT_MS, *rest]
        while True:
            try:
                ours = await self.pool.register_script(script)(
                    keys=self._keys(job_id), args=arguments
                )
            except REDIS_AWAY:
                if self._is_leaving:
                    raise
                await asyncio.sleep(RECONNECT_S)
            else:
                if not ours:
                    log.warning("lease_lost", job=job_id)
                return

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            for job_id, lease in list(self._leases.items()):
                with suppress(*REDIS_AWAY):  # then nobody else can take it either
                    if not await self.renew(job_id, lease) and job_id in self._leases:
                        log.warning("lease_lost", job=job_id)
                        if task := self.job_tasks.get(job_id):
                            task.cancel()

    async def renew(self, job_id: str, lease: Lease) -> bool:
        """Hold on to a job; False where it is another's by now."""
        back: list[Argument] = [lease.stored, milliseconds(KEEP_JOB), lease.score, job_id]
        arguments: list[Argument] = [lease.token, self.lease_ms, TAKER_KEPT_MS, *back]
        return bool(await self.pool.register_script(RENEW)(keys=self._keys(job_id), args=arguments))

    @property
    def lease_ms(self) -> int:
        """How long a job is held without a renewal."""
        return int(self._lease_s * 1000)

    def _keys(self, job_id: str) -> list[str]:
        """Lease, last taker, job, queue, count of tries, what was asked meanwhile."""
        return [
            in_progress_key_prefix + job_id,
            f"skillbench:taker:{job_id}",
            job_key_prefix + job_id,
            self.queue_name or "",
            retry_key_prefix + job_id,
            AGAIN + job_id,
        ]
