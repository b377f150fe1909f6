"""What breaks in a game of chaos, drawn from its seed, and how it is broken.

Kills and pauses of processes follow one another, so that there is always another worker;
faults of GitHub, of the model and of the deliveries come whenever they like.
"""

import asyncio
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from demo.github import LocalGitHub
from demo.model_api import Drop, ErrorInStream, HttpError, ScriptedModelApi
from tests.chaos.fleet import Fleet

Kill = Literal[
    "worker SIGKILL", "worker SIGTERM", "worker pause", "redis SIGKILL", "redis SIGTERM",
    "web SIGKILL", "web SIGTERM",
]  # fmt: skip
KILLS: tuple[tuple[Kill, int], ...] = (
    ("worker SIGKILL", 8),
    ("worker SIGTERM", 4),
    ("worker pause", 3),
    ("redis SIGKILL", 2),
    ("redis SIGTERM", 1),
    ("web SIGKILL", 2),
    ("web SIGTERM", 1),
)
FAULTS = (
    "late", "late", "5xx", "5xx after", "dropped", "dropped after", "dropped after",
    "token", "secondary", "redelivered", "redelivered", "model error", "model drop", "model stream",
)  # fmt: skip
PLACES = (
    "* *", "POST *", "POST */comments", "POST */reactions", "POST */labels", "DELETE */labels/*",
    "POST */assets*", "POST */releases", "PATCH *", "GET */issues/*", "GET */tarball/*",
)  # fmt: skip
LONGEST_PAUSE_S = 22.0
"""Longer than a lease: the paused worker's jobs are another's when it wakes."""


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that breaks, and when."""

    at_s: float
    what: str
    where: int
    length_s: float


@dataclass(eq=False, slots=True)
class Broken:
    """What was done, counted."""

    kills: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)


def draw_kills(rng: random.Random, *, count: int, span_s: float) -> list[Move]:
    kinds, weights = zip(*KILLS, strict=True)
    moments = sorted(rng.uniform(1, span_s) for _ in range(count))
    return [
        Move(at_s, rng.choices(kinds, weights)[0], rng.randrange(100), rng.random())
        for at_s in moments
    ]


def draw_faults(rng: random.Random, *, count: int, span_s: float) -> list[Move]:
    moments = sorted(rng.uniform(0, span_s) for _ in range(count))
    return [Move(at_s, rng.choice(FAULTS), rng.randrange(10_000), rng.random()) for at_s in moments]


class Breaker:
    """Carries moves out."""

    def __init__(self, fleet: Fleet, github: LocalGitHub, model: ScriptedModelApi) -> None:
        self._fleet = fleet
        self._github = github
        self._model = model
        self.broken = Broken()

    async def kill(self, moves: list[Move], began: float) -> None:
        """One after another, each at its time or as soon after it as the last one is over."""
        for move in moves:
            await asyncio.sleep(max(0.0, began + move.at_s - time.monotonic()))
            self.broken.kills[move.what] += 1
            who, _, how = move.what.partition(" ")
            if how == "pause":
                await self._pause(move)
            elif who == "worker":
                await self._end_worker(move, signal.Signals[how])
            elif who == "redis" and self._fleet.redis:
                await self._fleet.end(self._fleet.redis, signal.Signals[how])
                await asyncio.sleep(move.length_s * 2)
                await self._fleet.start_redis()
            elif self._fleet.web:
                await self._fleet.end(self._fleet.web, signal.Signals[how])
                await asyncio.sleep(move.length_s)
                await self._fleet.start_web()

    async def spoil(self, moves: list[Move], began: float) -> None:
        """Switch each fault on at its time."""
        for move in moves:
            await asyncio.sleep(max(0.0, began + move.at_s - time.monotonic()))
            self.broken.faults[move.what] += 1
            self._spoil(move)

    async def _end_worker(self, move: Move, number: signal.Signals) -> None:
        workers = self._fleet.workers
        place = move.where % len(workers)
        await self._fleet.end(workers[place], number)
        await asyncio.sleep(move.length_s * 2)
        workers[place] = await self._fleet.start_worker()

    async def _pause(self, move: Move) -> None:
        workers = self._fleet.workers
        worker = workers[move.where % len(workers)]
        began = time.time()
        worker.send(signal.SIGSTOP)
        await asyncio.sleep(move.length_s * LONGEST_PAUSE_S)
        worker.send(signal.SIGCONT)
        worker.pauses.append((began, time.time()))

    def _spoil(self, move: Move) -> None:
        faults, place = self._github.faults, PLACES[move.where % len(PLACES)]
        times = 1 + move.where % 2
        match move.what:
            case "late":
                faults.latency(0.2 + 2 * move.length_s, on=place, times=times)
            case "5xx" | "5xx after":
                status = (500, 502, 503)[move.where % 3]
                faults.answer(status, on=place, times=times, after_effect="after" in move.what)
            case "dropped" | "dropped after":
                faults.drop_connection(on=place, times=times, after_effect="after" in move.what)
            case "token":
                for installation in self._github.site.state.installations:
                    self._github.site.tokens.revoke_all(installation)
            case "secondary":
                faults.secondary_limit(times=1, retry_after_s=1)
            case "redelivered":
                if deliveries := self._github.deliveries:
                    self._github.redeliver(deliveries[move.where % len(deliveries)])
            case "model error":
                status, kind = ((429, "rate_limit_error"), (500, "api_error"))[move.where % 2]
                self._model.fail(HttpError(status=status, type=kind, headers={"retry-after": "1"}))
            case "model drop":
                self._model.fail(Drop(after_events=move.where % 4))
            case _:
                self._model.fail(ErrorInStream())
