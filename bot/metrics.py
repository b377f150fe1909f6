"""What is counted, and the page Prometheus reads.

Deliveries are counted in the web process that took them. Requests, runs and sessions end
in workers, which listen on no port: they count in Redis, and whichever web process is
asked reads the sums there. Nothing here can fail a delivery or a run.
"""

from collections.abc import Awaitable, Iterator
from typing import Literal, cast

import structlog
from prometheus_client import CollectorRegistry, Counter, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.asyncio import Redis

from bot.queues import EVENTS, REQUESTS
from bot.redis_clients import REDIS_AWAY

COUNTS = "skillbench:counts"
"""Redis hash of the workers' counters: `<what>:<outcome>` to a number."""

Counted = Literal["requests", "runs", "sessions"]
COUNTED: dict[Counted, str] = {
    "requests": "Requests by how they ended",
    "runs": "Runs by how they ended",
    "sessions": "Sessions by how they ended",
}

log = structlog.get_logger(__name__)


class Counts:
    """The workers' counters."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def add(self, what: Counted, outcome: str) -> None:
        """Count one; a Redis that is away costs the count and nothing else."""
        try:
            await cast("Awaitable[int]", self._redis.hincrby(COUNTS, f"{what}:{outcome}", 1))
        except REDIS_AWAY:
            log.warning("count_lost", what=what, outcome=outcome)


class WebMetrics:
    """The metrics of one web process, with the workers' sums."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        self.deliveries = Counter(
            "skillbench_deliveries",
            "Webhook deliveries by outcome",
            ["outcome"],
            registry=self.registry,
        )

    async def render(self, redis: Redis) -> bytes:
        """The page, in Prometheus' text format; without the sums while Redis is away."""
        try:
            sums = await cast("Awaitable[dict[bytes, bytes]]", redis.hgetall(COUNTS))
            depths = {queue: int(await redis.zcard(queue)) for queue in (EVENTS, REQUESTS)}
        except REDIS_AWAY:
            return generate_latest(self.registry)
        shared = CollectorRegistry(auto_describe=False)
        shared.register(_Shared(sums, depths))
        return generate_latest(self.registry) + generate_latest(shared)


class _Shared(Collector):
    def __init__(self, sums: dict[bytes, bytes], depths: dict[str, int]) -> None:
        self._sums = {key.decode(): int(value) for key, value in sums.items()}
        self._depths = depths

    def collect(self) -> Iterator[Metric]:
        for what, description in COUNTED.items():
            family = CounterMetricFamily(f"skillbench_{what}", description, labels=["outcome"])
            for key, value in sorted(self._sums.items()):
                kind, _, outcome = key.partition(":")
                if kind == what:
                    family.add_metric([outcome], value)
            yield family
        queued = GaugeMetricFamily(
            "skillbench_queued_jobs", "Jobs waiting or running, by queue", labels=["queue"]
        )
        for queue, depth in self._depths.items():
            queued.add_metric([queue.removeprefix("skillbench:")], depth)
        yield queued
