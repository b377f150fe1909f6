"""A public server on which something waits, runs and has failed, in two repositories."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from bot.cancels import Cancels
from bot.queues import JOB_KEY, REQUESTS
from jobs.requests import Request
from tests.bot.web_pages.queue_seed import (
    HOSTILE,
    a_request,
    let_fail,
    let_live,
    let_rights_be,
    let_run,
    let_wait,
)
from tests.bot.web_pages.reaching import World, a_world

OPEN, SECRET = "acme/open", "acme/secret"


@dataclass(frozen=True, slots=True)
class Busy:
    """A world in which something waits, runs and has failed in both repositories."""

    world: World
    waiting: Request
    """In the private one, asked for by mallory."""
    running: Request
    """In the public one, asked for by mona."""
    failure: str
    """Id of what failed in the private one."""

    async def reference(self, request: Request) -> str:
        found = await Cancels(self.world.redis).find_waiting(request.repo.full_name, request.issue)
        return found[0][0]

    async def act(self, what: str, **fields: str) -> httpx.Response:
        """Press a button of the page."""
        key = await self.world.form_key("/queue")
        return await self.world.client.post(f"/queue/{what}", data={"key": key, **fields})

    async def queued(self) -> list[Request]:
        """The requests on the queue."""
        ids = await self.world.redis.zrange(REQUESTS, 0, -1)
        jobs = [await self.world.redis.get(JOB_KEY + one.decode()) for one in ids]
        return [Request.model_validate(json.loads(job)["a"][0]) for job in jobs if job]


@asynccontextmanager
async def busy(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[Busy]:
    async with a_world(redis_url, folder, **changes) as world:
        secret, is_open = world.repo(SECRET), world.repo(OPEN)
        waiting = a_request(secret, 21, asker="mallory", models=("secret-model",))
        running = a_request(is_open, 12)
        await let_wait(world.redis, running, waiting)
        await let_run(world.redis, running)
        failed = a_request(secret, 33, asker="mallory", override_budget=True)
        failure = await let_fail(world.redis, failed, reason=f"**Stopped**: {HOSTILE} was away.")
        await let_live(world.redis, 2)
        for repo in (secret, is_open):
            await let_rights_be(world.redis, repo)
        yield Busy(world, waiting, running, failure.id)


async def page(client: httpx.AsyncClient) -> str:
    answer = await client.get("/queue")
    assert answer.status_code == 200
    return answer.text


def tiles(text: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", text))
