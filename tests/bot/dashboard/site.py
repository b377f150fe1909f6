"""A server over a ledger with as many runs as wanted, something going on beside them."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from redis.asyncio import Redis

from bot.store.live_sessions import LiveReader, LiveWriter
from bot.store.seen_repos import RedisSeenRepos
from jobs.requests import Repo
from jobs.values import Arm
from tests.bot.web_pages.ledger_seed import fill, some_records
from tests.bot.web_pages.live_seed import RUN, LiveStage, an_arm
from tests.bot.web_pages.queue_seed import (
    a_request,
    let_fail,
    let_live,
    let_rights_be,
    let_run,
    let_wait,
)
from tests.bot.web_pages.run_seed import (
    GRADED,
    VERSUS,
    RunPages,
    page_of,
    put_graded,
    put_versus,
    run_pages,
)

ACME = Repo(owner="acme", name="skills", installation_id=7)
OTHER = Repo(owner="acme", name="back-office", installation_id=7)
AT = "/repos/acme/skills"
SKILL = f"{AT}/skill?path=text/word-count"
RUNS = f"{AT}/runs"
ENDED = page_of(GRADED)
LIVE = page_of(RUN)
DIFF = page_of(GRADED, f"/diff?with={VERSUS}")
OTHER_SKILLS = ("mail/answer", "mail/sort", "books/close-a-month", "books/find-duplicates")
SETTLED_S = 120.0


@dataclass(frozen=True, slots=True)
class Site:
    """The server, what lies behind it, and a worker that tells of a run."""

    pages: RunPages
    live: LiveStage

    @property
    def base(self) -> str:
        return str(self.pages.client.base_url).rstrip("/")

    @property
    def client(self) -> httpx.AsyncClient:
        return self.pages.client

    @property
    def redis(self) -> Redis:
        return self.pages.redis

    async def settle(self, *paths: str) -> None:
        """Wait until all figures on pages are made."""
        deadline = time.monotonic() + SETTLED_S
        for path in paths:
            tag, before, is_counting = "", None, True
            while is_counting or tag != before:
                assert time.monotonic() < deadline, f"{path} never comes to rest"
                answer = await self.client.get(path)
                before, tag = tag, answer.headers["etag"]
                is_counting = "being counted" in answer.text

    async def begin_live(self) -> None:
        """Let a run go on, and wait until Redis has it."""
        self.live.show_second_trial()
        while (run := await self.live.reader.look(RUN)) is None or len(run.sessions) < 6:
            pass  # each look waits for Redis

    def turn(self, turns: int) -> None:
        """Let the session with the skill have come so far."""
        self.live.writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, turns, doing="WebFetch"))


@asynccontextmanager
async def a_site(redis_url: str, folder: Path, **changes: object) -> AsyncIterator[Site]:
    """With one repository that was seen, and nothing else."""
    async with run_pages(redis_url, folder, **changes) as pages:
        pages.client.timeout = httpx.Timeout(60)
        await RedisSeenRepos(pages.redis).see(ACME)
        writer = LiveWriter(pages.redis)
        async with writer.writing():
            reader = LiveReader(pages.redis)
            yield Site(pages, LiveStage(pages.client, pages.redis, writer, reader))


async def put_many(site: Site) -> None:
    """5,000 runs of two repositories, two of which left files; and a queue."""
    await RedisSeenRepos(site.redis).see(OTHER)
    await fill(site.redis, some_records(4_000, repo=ACME.full_name))
    await fill(site.redis, some_records(998, repo=OTHER.full_name, skills=OTHER_SKILLS))
    await put_graded(site.pages)
    await put_versus(site.pages)
    await let_live(site.redis, 2)
    await let_rights_be(site.redis, ACME)
    requests = [a_request(issue=number) for number in range(1, 13)]
    await let_wait(site.redis, *requests)
    await let_run(site.redis, requests[0])
    await let_fail(site.redis, a_request(issue=40))
    await let_fail(site.redis, a_request(issue=41), how="ungraded", run=GRADED, title="word-count")
    await site.begin_live()
    await site.settle("/", AT, SKILL)
