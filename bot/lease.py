"""An arq worker whose jobs survive it: a short lease on each job, renewed and fenced.

arq marks a running job with a key that lives as long as the longest job may take, so a job
of a killed worker would wait for hours. Here that key holds the worker's own name and lives
for seconds; whoever finds it gone takes the job over, and a worker that was paused and
wakes up finds another's name there and lets go. It leans on the insides of arq 0.28.
"""

import asyncio
from typing import Any
from uuid import uuid4

import structlog
from arq.constants import in_progress_key_prefix
from arq.worker import Worker
from redis.exceptions import RedisError

LEASE_S = 15.0
"""A killed worker's job starts elsewhere after this long at most, plus one poll."""
FINISHING_MS = 5000
RECONNECT_S = 1.0

TAKE = """
if redis.call('get', KEYS[1]) ~= '1' then return 0 end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return 1
"""
"""Sign for a job that arq has just marked, unless the mark is no longer arq's."""

RENEW = """
local holder = redis.call('get', KEYS[1])
if holder == ARGV[1] then
  redis.call('pexpire', KEYS[1], ARGV[2])
  return 1
end
if not holder then
  redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
  return 1
end
return 0
"""
"""Hold on to a job. A missing mark (Redis was emptied) is put back; another's ends our claim."""

log = structlog.get_logger(__name__)


class LeaseWorker(Worker):
    """A `Worker` that holds its jobs by renewed leases and outlives a restart of Redis."""

    def __init__(self, *functions: Any, lease_s: float = LEASE_S, **options: Any) -> None:
        super().__init__(functions, **options)
        self._lease_s = lease_s
        self.in_progress_timeout_s = lease_s
        self._name = uuid4().hex
        self._held: set[str] = set()
        self._lost: set[str] = set()

    async def main(self) -> None:
        """Poll for jobs, for ever."""
        renewal = asyncio.create_task(self._renew_for_ever())
        try:
            await super().main()
        finally:
            renewal.cancel()

    async def run_job(self, job_id: str, score: int) -> None:
        """Run a job that is ours by now; one that another took meanwhile is left to them."""
        if not await self._claim(job_id, self._lease_s * 1000, TAKE):
            return
        self._held.add(job_id)
        try:
            await super().run_job(job_id, score)
        finally:
            self._held.discard(job_id)
            self._lost.discard(job_id)

    async def finish_job(self, job_id: str, *rest: Any, **named: Any) -> None:
        """Record the end of a job, if it is still ours to end."""
        if job_id not in self._lost and await self._claim(job_id, FINISHING_MS):
            await super().finish_job(job_id, *rest, **named)

    async def finish_failed_job(self, job_id: str, result_data: bytes | None) -> None:
        """Record the failure of a job, if it is still ours to end."""
        if job_id not in self._lost and await self._claim(job_id, FINISHING_MS):
            await super().finish_failed_job(job_id, result_data)

    async def _poll_iteration(self) -> None:
        """One look at the queue; while Redis is away it waits, and sessions go on."""
        try:
            await super()._poll_iteration()
        except (RedisError, OSError) as trouble:
            log.warning("redis_away", problem=type(trouble).__name__)
            await asyncio.sleep(RECONNECT_S)

    async def _claim(self, job_id: str, period_ms: float, script: str = RENEW) -> bool:
        key = in_progress_key_prefix + job_id
        call = self.pool.register_script(script)
        return bool(await call(keys=[key], args=[self._name, int(period_ms)]))

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            for job_id in list(self._held):
                try:
                    ours = await self._claim(job_id, self._lease_s * 1000)
                except (RedisError, OSError):
                    continue  # nobody else can take it either
                if not ours:
                    log.warning("lease_lost", job=job_id)
                    self._lost.add(job_id)
                    if task := self.job_tasks.get(job_id):
                        task.cancel()
