"""Workers at work in a test: what they are given to do, and what they noted."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from redis.asyncio import Redis

from bot.leaving import run_workers
from bot.queues import JOB_KEY, now_ms
from bot.worker import Jobs, make_workers
from handlers.events import Event, IssueCommented, IssueLabelled, IssueUnlabelled
from jobs.cancelling import Cancelled
from jobs.requests import Request

WAIT_S = 20.0


@dataclass
class World:
    """Plays back outcomes for events and requests, and notes what happened."""

    happened: list[str] = field(default_factory=list)
    said: list[tuple[int, str]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    event_outcomes: list[Exception | None] = field(default_factory=list)
    request_outcomes: list[Exception | None] = field(default_factory=list)
    cancel_outcomes: list[Exception | None] = field(default_factory=list)
    say_outcomes: list[Exception | None] = field(default_factory=list)
    gate: asyncio.Event | None = None
    """Requests wait for it, if there is one."""
    moved: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, what: str) -> None:
        self.happened.append(what)
        self.moved.set()

    async def handle(self, event: Event) -> None:
        match event:
            case IssueCommented(body=text):
                self.note(f"event {text}")
            case IssueLabelled(labels=labels):
                self.note(f"event {','.join(labels)}")
            case IssueUnlabelled(label=label):
                self.note(f"event -{label}")
        if outcome := (self.event_outcomes.pop(0) if self.event_outcomes else None):
            raise outcome

    async def carry_out(self, request: Request, last_try: bool) -> None:
        self.requests.append(request)
        self.note(f"request {request.key}" + (" last" if last_try else ""))
        try:
            if self.gate is not None:
                await self.gate.wait()
        except asyncio.CancelledError:
            self.note(f"cancelled {request.key}")
            raise
        if outcome := (self.request_outcomes.pop(0) if self.request_outcomes else None):
            raise outcome
        self.note(f"ended {request.key}")

    async def end_cancelled(self, request: Request, cancelled: Cancelled) -> None:
        if outcome := (self.cancel_outcomes.pop(0) if self.cancel_outcomes else None):
            raise outcome
        how = " by label" if cancelled.by_label else ""
        self.note(f"ended as cancelled by {cancelled.by}{how}: {request.key}")

    async def say(self, place: dict[str, Any], text: str) -> None:
        if outcome := (self.say_outcomes.pop(0) if self.say_outcomes else None):
            raise outcome
        self.said.append((place["issue"], text))
        self.moved.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not holds():
                self.moved.clear()
                await self.moved.wait()


@asynccontextmanager
async def working(url: str, world: World, **options: Any) -> AsyncIterator[None]:
    """Workers at work while the block runs."""
    async with Redis.from_url(url) as redis:
        jobs = Jobs(
            redis,
            world.handle,
            world.carry_out,
            world.say,
            end_cancelled=world.end_cancelled,
            first_wait=timedelta(milliseconds=10),
        )
        workers = make_workers(url, jobs, requests_at_once=2, **options)
        running = asyncio.create_task(run_workers(workers))
        try:
            yield
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def settled(redis: Redis, queue: str) -> None:
    """Wait until a queue is empty."""
    async with asyncio.timeout(WAIT_S):
        while await redis.zcard(queue):
            await asyncio.sleep(0.02)


async def put_job(redis: Redis, queue: str, stored: bytes, job_id: str = "job-1") -> None:
    await redis.set(JOB_KEY + job_id, stored)
    await redis.zadd(queue, {job_id: now_ms()})
