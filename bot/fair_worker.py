"""A worker of requests, which takes the next in turn that fits the limits of the fleet.

It starts only what Redis has admitted (`bot.turns`), keeps the slots of its jobs as long as
their leases, and gives them back when a job ends, is put off or is handed over. The slots of
a killed worker run out with its leases.
"""

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from arq.constants import in_progress_key_prefix, job_key_prefix

from bot.lease import Lease, LeaseWorker
from bot.redis_clients import REDIS_AWAY
from bot.turns import (
    ADMIT,
    LOOK_AHEAD,
    MOST_READ,
    RENEW_SLOTS,
    SERVED,
    SLOTS,
    Limits,
    provider_lane,
)

BLOCKED_S = 1.0
"""How long a worker that has room, but for nothing that waits, leaves Redis alone."""


class FairWorker(LeaseWorker):
    """A `LeaseWorker` that starts jobs in turn and within `limits`."""

    def __init__(self, *functions: Any, limits: Limits, **options: Any) -> None:
        super().__init__(*functions, **options)
        self._limits = limits
        self._lanes: dict[str, list[str]] = {}
        self._not_before = 0.0
        self._look_from = 0

    async def start_jobs(self, job_ids: list[bytes]) -> None:
        """Start what is next in turn and fits, whatever arq has read of the queue."""
        del job_ids
        if time.monotonic() < self._not_before:
            return
        admitted = await self._admit()
        try:
            await super().start_jobs([job_id.encode() for job_id in admitted])
        finally:
            for job_id in admitted:
                if job_id not in self.tasks:  # another had just begun it
                    await self._give_back(job_id)

    async def run_job(self, job_id: str, score: int) -> None:
        """Run a job, then let its slots go."""
        try:
            await super().run_job(job_id, score)
        finally:
            await self._give_back(job_id)
            self._not_before = 0.0

    async def renew(self, job_id: str, lease: Lease) -> bool:
        """Hold on to a job, and to its slots."""
        is_ours = await super().renew(job_id, lease)
        lanes = self._lanes.get(job_id)
        if is_ours and lanes is not None:
            keys = [SLOTS + lane for lane in lanes]
            await self.pool.register_script(RENEW_SLOTS)(keys=keys, args=[job_id, self.lease_ms])
            if job_id not in self._lanes:  # it ended meanwhile, and its slots are free
                await self._free(job_id, lanes)
        return is_ours

    async def _admit(self) -> list[str]:
        limits = self._limits
        kept_waiting, self._look_from, *answers = await self.pool.register_script(ADMIT)(
            keys=[self.queue_name or "", SERVED],
            args=[
                *(self.max_jobs - self.job_counter, self.lease_ms),
                *(limits.overall, limits.per_repository, limits.per_provider),
                *(provider_lane(limits.default_model), LOOK_AHEAD),
                *(job_key_prefix, SLOTS, in_progress_key_prefix, MOST_READ, self._look_from),
            ],
        )
        if kept_waiting and not answers:
            self._not_before = time.monotonic() + BLOCKED_S
        admitted = [json.loads(answer) for answer in answers]
        self._lanes.update({job["id"]: job["lanes"] for job in admitted})
        return [job["id"] for job in admitted]

    async def _give_back(self, job_id: str) -> None:
        lanes = self._lanes.pop(job_id, None)  # first, so that no renewal takes them again
        if lanes is not None:
            with suppress(*REDIS_AWAY):  # then they run out
                await self._free(job_id, lanes)

    async def _free(self, job_id: str, lanes: Sequence[str]) -> None:
        pipeline = self.pool.pipeline(transaction=False)
        for lane in lanes:
            pipeline.zrem(SLOTS + lane, job_id)
        await pipeline.execute()
