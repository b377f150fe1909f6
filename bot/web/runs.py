"""What the pages know of runs: how they stand by Redis, what they came to by the blob store.

Redis may have forgotten a run, and the store does not know yet how far one has come; a page takes
from each what it has. What was asked for on the pages and has not begun is noted here as well.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from html import unescape
from typing import Any, NamedTuple

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.queues import enqueue, milliseconds
from bot.redis_clients import away_is_transient
from bot.store.live_datasets import NEWEST, RedisLiveRuns
from bot.store.words import word_key
from bot.web.run_places import Place, find_places
from bot.web.shell import show_money
from jobs.datasets.keeping import FOLDER, DatasetKeeping
from jobs.datasets.live import ENDED, LiveCase, LiveRun
from jobs.datasets.plan import RunPlan
from jobs.datasets.results import CaseResult
from jobs.requests import Request

RUN_ID = re.compile(r"[0-9a-f]{12}")
ASKED = "skillbench:dataset-asked:"
"""Before a run's id: the request that was made on the pages."""
ALL_ASKED = "skillbench:datasets-asked"
"""Sorted set: run to when it was asked for."""
KEPT = timedelta(days=30)
MOST_ASKED = 1_000
_TAG = re.compile(r"<!--.*?-->", re.DOTALL)
WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run as a page shows it."""

    run_id: str
    benchmark: str
    dataset: str
    target: str
    asker: str
    started_at: datetime
    went_on_at: datetime | None = None
    """When it was resumed the last time."""
    state: str
    """`waiting` until a worker has planned it; `refused` where none will."""
    total: int = 0
    done: int = 0
    done_before: int = 0
    """Those of `done` that had ended when the run was resumed."""
    graded: int = 0
    passed: int = 0
    failed: int = 0
    ungraded: int = 0
    average: float | None = None
    cost_usd: Decimal | float | None = None
    """None where it is not known."""
    is_cost_partial: bool = False
    """Whether more was spent than is known."""
    in_flight: tuple[LiveCase, ...] = ()
    is_counted: bool = True
    """Whether it is known how many of its cases have ended, and how."""

    @property
    def name(self) -> str:
        return f"{self.benchmark}/{self.dataset}"

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED or self.state == "refused"

    @property
    def pass_rate(self) -> float | None:
        """Passes among passes and fails; None where there is neither."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None

    @property
    def cost(self) -> str:
        """What was spent, in words."""
        words = show_money(self.cost_usd)
        return f"at least {words}" if self.is_cost_partial and self.cost_usd else words

    def seconds_left(self, now: datetime) -> float | None:
        """What the rest will take if it goes on as it has since it was begun or resumed; None
        where nobody can say.
        """
        done = self.done - self.done_before
        if self.state != "running" or done <= 0:
            return None
        since = self.went_on_at or self.started_at
        return (now - since).total_seconds() / done * (self.total - self.done)


class RunPart(NamedTuple):
    """A part of all runs."""

    runs: tuple[RunView, ...]
    last: Place | None
    """Behind it the next part begins; None where there is none."""


class Runs:
    """All runs. Raises `Transient` where Redis or the store is away."""

    def __init__(self, redis: Redis, blob_url: str) -> None:
        self._redis = redis
        self._blob_url = blob_url
        self.live = RedisLiveRuns(redis)

    @cached_property
    def blobs(self) -> Blobs:
        """The store, opened when the first page is asked for: a server without visitors needs
        none. Raises `Error` where it cannot be opened.
        """
        return Blobs(self._blob_url)

    @cached_property
    def keeping(self) -> DatasetKeeping:
        return DatasetKeeping(self.blobs)

    async def ask(self, request: Request) -> None:
        """Put a request on its queue, and remember it until a worker takes it."""
        run_id = request.dataset.run_id
        with away_is_transient():
            if not request.dataset.resume:
                await self._redis.set(
                    ASKED + run_id, request.model_dump_json(), px=milliseconds(KEPT)
                )
                await self._redis.zadd(ALL_ASKED, {run_id: request.asked_at.timestamp()})
                await self._redis.zremrangebyrank(ALL_ASKED, 0, -1 - MOST_ASKED)
            await enqueue(self._redis, request)

    async def newest(self, most: int) -> Sequence[RunView]:
        """The runs that were asked for last, newest first."""
        return (await self.part(most)).runs

    async def part(self, most: int, after: Place | None = None) -> RunPart:
        """The runs behind a place, newest first; fewer than `most` where some are forgotten."""
        places = find_places(*await self._starts())
        behind = [place for place in places if after is None or place < after]
        shown = behind[:most]
        live = {run.run_id: of_live(run) for run in await self.live.read(p.run for p in shown)}
        runs = [live.get(p.run) or await self._find_stored(p.run) for p in shown]
        found = tuple(run for run in runs if run is not None)
        return RunPart(found, shown[-1] if len(behind) > most else None)

    async def _starts(self) -> tuple[Mapping[str, datetime], ...]:
        """When runs were asked for, and when those began that Redis and the store know."""
        with away_is_transient():
            asked = await self._redis.zrange(ALL_ASKED, 0, -1, withscores=True)
            live = await self._redis.zrange(NEWEST, 0, -1, withscores=True)
        noted = [
            {run.decode(): datetime.fromtimestamp(at, UTC) for run, at in found}
            for found in (asked, live)
        ]
        return (*noted, await self.keeping.starts())

    async def find(self, run_id: str) -> RunView | None:
        """One run; None where nobody knows it."""
        if (run := await self.live.look(run_id)) is not None:
            return of_live(run)
        return await self._find_stored(run_id)

    async def _find_stored(self, run_id: str) -> RunView | None:
        plan = await self.keeping.get_plan(run_id)
        if plan is not None:
            state = await self.keeping.get_state(run_id) or "running"
            return of_stored(plan, state, await self.figures(run_id) or {})
        with away_is_transient():
            asked = await self._redis.get(ASKED + run_id)
        if asked is None:
            return None
        request = Request.model_validate_json(asked)
        return RunView(
            run_id=run_id,
            benchmark=request.dataset.benchmark,
            dataset=request.dataset.dataset,
            target=request.dataset.target_type or "",
            asker=request.asker,
            started_at=request.asked_at,
            state=WAITING if await self.word(run_id) is None else "refused",
        )

    async def plan(self, run_id: str) -> RunPlan | None:
        return await self.keeping.get_plan(run_id)

    async def figures(self, run_id: str) -> dict[str, Any] | None:
        """The report of a run that has ended, without its cases."""
        return await self._read(f"{FOLDER}/{run_id}/figures.json")

    async def summary(self, run_id: str) -> dict[str, Any] | None:
        """The report of a run that has ended, with a line for each case."""
        return await self._read(f"{FOLDER}/{run_id}/summary.json")

    async def case(self, run_id: str, case_id: str) -> CaseResult | None:
        return await self.keeping.get_case(run_id, case_id)

    async def word(self, run_id: str) -> str | None:
        """What was said of a run last, as plain text."""
        stored = await self.blobs.get(word_key(run_id))
        return None if stored is None else as_plain(stored.decode("utf-8", "replace"))

    async def _read(self, key: str) -> dict[str, Any] | None:
        stored = await self.blobs.get(key)
        found: dict[str, Any] | None = json.loads(stored) if stored else None
        return found


def as_plain(markdown: str) -> str:
    """A word of ours as text: without its tag, its marks and its footer, which are for GitHub."""
    text = _TAG.sub("", markdown)
    lines = [line for line in text.split("\n") if not line.startswith("<sub>")]
    return unescape(re.sub(r"\*\*|\u200b", "", "\n".join(lines))).strip()


def of_live(run: LiveRun) -> RunView:
    """A run that Redis knows."""
    return RunView(
        run_id=run.run_id,
        benchmark=run.benchmark,
        dataset=run.dataset,
        target=run.target_type,
        asker=run.asker,
        started_at=run.started_at,
        went_on_at=run.went_on_at,
        state=run.state,
        total=run.total,
        done=run.done,
        done_before=run.done_before,
        graded=run.graded,
        passed=run.passed,
        failed=run.failed,
        ungraded=run.ungraded,
        average=run.average,
        cost_usd=run.cost_usd if run.cost_usd or not run.unpriced else None,
        is_cost_partial=run.unpriced > 0,
        in_flight=run.in_flight,
    )


def of_stored(plan: RunPlan, state: str, figures: dict[str, Any]) -> RunView:
    """A run that only the store knows; `figures` are empty where it has not ended."""
    graded, ungraded = figures.get("graded_count", 0), figures.get("error_count", 0)
    return RunView(
        run_id=plan.run_id,
        benchmark=plan.benchmark,
        dataset=plan.dataset,
        target=plan.target_type,
        asker=plan.asker,
        started_at=plan.started_at,
        state=state,
        total=len(plan.cases),
        done=graded + ungraded,
        graded=graded,
        passed=figures.get("pass_count", 0),
        failed=figures.get("fail_count", 0),
        ungraded=ungraded,
        average=figures.get("avg_score"),
        cost_usd=figures.get("cost_usd"),
        is_counted=bool(figures),
    )
