"""Asks every query of a set as often as wanted, and keeps every answer as soon as it is there.

A session that breaks is asked again a few times, then it is missing. Nothing that was kept is
asked again, so whoever carries an evaluation out a second time pays only for what is missing.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Protocol

from jobs.errors import OverBudget
from jobs.judging.reading import add_usage
from jobs.ports import BlobStore
from jobs.triggering.defaults import AT_ONCE, RUNS_PER_QUERY, THRESHOLD
from jobs.triggering.eval_set import Query
from jobs.triggering.installed import Installed
from jobs.triggering.observations import Observation, QueryResult
from jobs.triggering.purse import Purse
from jobs.values import Limits, Model, Usage

ATTEMPTS = 3
"""Sessions for one observation, where the first ones break."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One session: a query, the skills it is asked among, and what it may use."""

    query: Query
    number: int
    installed: Installed
    model: Model
    limits: Limits


class Observer(Protocol):
    """Runs one session and says whether the skill under test was used in it."""

    async def observe(self, ask: Ask) -> Observation:
        """A session that breaks is an observation of nothing; raises only `CancelledError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How an evaluation is carried out."""

    model: Model
    limits: Limits
    """Of one session."""
    runs_per_query: int = RUNS_PER_QUERY
    threshold: float = THRESHOLD
    at_once: int = AT_ONCE
    """Sessions that go on together."""


Heard = Callable[[Observation], None]
"""Takes every observation as it comes, those of an earlier attempt included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Evaluates descriptions, each under a name of its own."""

    observer: Observer
    terms: Terms
    blobs: BlobStore
    prefix: str
    """Where this request's observations are kept."""
    purse: Purse
    provider_slots: AbstractAsyncContextManager[object] = field(default_factory=nullcontext)
    """Shared with whoever else asks this provider."""
    slots: asyncio.Semaphore = field(init=False)
    """For all evaluations of this one together, since the last comparison holds two at once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", asyncio.Semaphore(self.terms.at_once))

    async def evaluate(
        self,
        queries: Sequence[Query],
        installed: Installed,
        *,
        round_name: str,
        heard: Heard = lambda _: None,
    ) -> tuple[QueryResult, ...]:
        """The results of all queries, in their order.

        `round_name` tells one evaluation of a description from a later, fresh one. Repetitions
        of a query are apart in time: every query is asked once before any is asked twice.
        Raises `OverBudget` where the purse was empty before the end; what was seen is kept.
        """
        folder = self._folder(installed, round_name)

        async def see(number: int, query: Query) -> Observation | None:
            async with self.slots, self.provider_slots:
                ask = Ask(
                    query=query,
                    number=number,
                    installed=installed,
                    model=self.terms.model,
                    limits=self.terms.limits,
                )
                observation = await self._observe(ask, f"{folder}/{query.id}-{number}.json")
                if observation is not None:
                    heard(observation)
                return observation

        order = [
            (number, query)
            for number in range(1, self.terms.runs_per_query + 1)
            for query in queries
        ]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(see(number, query)) for number, query in order]
        seen = [task.result() for task in tasks]
        if unpaid := seen.count(None):
            raise OverBudget(
                f"stopped with {unpaid} of {len(seen)} sessions to go, because the money was used "
                f"up: {self.purse.describe()}. What was seen is kept."
            )
        return tuple(
            QueryResult(
                query=query,
                observations=tuple(one for one in seen if one and one.query_id == query.id),
                threshold=self.terms.threshold,
            )
            for query in queries
        )

    async def forget(
        self, queries: Sequence[Query], installed: Installed, *, round_name: str
    ) -> None:
        """Drop what was kept of an evaluation, so that its queries are asked anew next time."""
        folder = self._folder(installed, round_name)
        for query in queries:
            for number in range(1, self.terms.runs_per_query + 1):
                await self.blobs.delete(f"{folder}/{query.id}-{number}.json")

    def _folder(self, installed: Installed, round_name: str) -> str:
        return f"{self.prefix}/{round_name}-{installed.digest}"

    async def _observe(self, ask: Ask, key: str) -> Observation | None:
        """What is kept, or what is seen now; None where there is no money for it.

        Only what was seen is kept: a session that broke may be tried again another day.
        """
        if (kept := await self.blobs.get(key)) is not None:
            return Observation.model_validate_json(kept)
        usage = Usage(cost_usd=Decimal(0))
        for attempt in range(1, ATTEMPTS + 1):
            if self.purse.is_empty:
                return None
            observation = await self.observer.observe(ask)
            self.purse.take(observation.usage)
            # broken sessions were paid as well
            usage = add_usage(usage, observation.usage)
            if observation.fired is not None or attempt == ATTEMPTS:
                break
        observation = observation.model_copy(update={"usage": usage})
        if observation.fired is not None:
            await self.blobs.put(key, observation.model_dump_json().encode())
        return observation
