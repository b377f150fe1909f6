"""A server whose ledger holds runs that were made up for a page."""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from arq.constants import in_progress_key_prefix
from redis.asyncio import Redis

from bot.queues import enqueue
from bot.store.seen_repos import RedisSeenRepos
from jobs.requests import Repo, Request
from jobs.results import RunRecord
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.html_page import HtmlPage
from tests.bot.web_pages.ledger_seed import MODELS, REPO, put_records
from tests.builders import a_run_record

ELSEWHERE = {"x-forwarded-for": "192.0.2.7"}
"""Somebody who is not at the machine."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The server, and what lies behind it."""

    client: httpx.AsyncClient
    redis: Redis

    async def page(self, path: str, **headers: str) -> HtmlPage:
        """A page that must be there, in good form."""
        answer = await self.client.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        page = HtmlPage(answer)
        page.check_form()
        return page

    async def settle(self, path: str) -> dict[str, str]:
        """Ask for a page as a browser does, until it is told that it has it already.

        Gives the headers of such an asking. Figures that are made behind it change a page.
        """
        known: dict[str, str] = {}
        while (answer := await self.client.get(path, headers=known)).status_code == 200:
            known = {"if-none-match": answer.headers["etag"]}
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == known["if-none-match"]
        assert answer.headers["cache-control"] == "private, no-cache"
        return known

    async def put(self, *records: RunRecord) -> None:
        await put_records(self.redis, records)

    async def see(self, full_name: str, *, is_private: bool) -> None:
        """Let the bot have had to do with a repository lately."""
        owner, _, name = full_name.partition("/")
        repo = Repo(owner=owner, name=name, installation_id=7, private=is_private)
        await RedisSeenRepos(self.redis).see(repo)

    async def ask(self, key: str, repo: str = REPO, **changes: Any) -> None:
        """Put a request on the queue."""
        owner, _, name = repo.partition("/")
        values: dict[str, Any] = {
            "key": key,
            "repo": Repo(owner=owner, name=name, installation_id=7),
            "issue": 21,
            "asker": "mona",
            "origin": "comment",
            "models": ("claude-sonnet",),
            "asked_at": datetime.now(UTC),
        }
        await enqueue(self.redis, Request(**(values | changes)))

    async def begin(self, key: str) -> None:
        """Let a worker have begun a request that is on the queue."""
        await self.redis.set(in_progress_key_prefix + f"request:{key}", b"1")


@asynccontextmanager
async def dashboard(
    redis_url: str, folder: Path, records: Sequence[RunRecord] = (), **changes: Any
) -> AsyncIterator[Dashboard]:
    """The web process over a ledger with these runs."""
    settings = some_settings(redis_url, data_dir=folder / "data", **changes)
    redis = Redis.from_url(redis_url)
    try:
        await put_records(redis, records)
        async with web_client(settings) as client:
            client.timeout = httpx.Timeout(60)
            yield Dashboard(client, redis)
    finally:
        await redis.aclose()


def some_set(
    skill: str,
    differences: Sequence[float],
    *,
    version: int = 1,
    days_ago: float = 1,
    **changes: Any,
) -> list[RunRecord]:
    """One run of each eval case of a skill, with these differences of both arms."""
    return [
        a_run(skill, number, difference, version=version, days_ago=days_ago, **changes)
        for number, difference in enumerate(differences, 1)
    ]


def a_run(
    skill: str,
    number: int,
    difference: float | None,
    *,
    version: int = 1,
    days_ago: float = 1,
    **changes: Any,
) -> RunRecord:
    """A run of the eval case of issue `number`; without a score where there is no difference."""
    repo = changes.get("repo", REPO)
    model = changes.get("model", MODELS[0])
    told = f"{repo} {skill} {number} {version} {days_ago} {model}"
    scores = None
    if difference is not None:
        scores = {"with_skill": 0.5 + difference, "without_skill": 0.5}
    values: dict[str, Any] = {
        "run": hashlib.sha256(told.encode()).hexdigest()[:12],
        "skill": skill,
        "skill_sha": sha_of(skill, version),
        "commit": hashlib.sha1(f"{version}".encode()).hexdigest(),
        "eval_id": f"github-issue-{number}",
        "eval_digest": hashlib.sha256(str(number).encode()).hexdigest(),
        "issue": number,
        "model_identity": model.replace("-", "").casefold(),
        "served": model,
        "judge_served": "claude-opus-4-7",
        "score": scores,
        "state": "complete" if scores else "ungraded",
        "finished_at": datetime.now(UTC) - timedelta(days=days_ago, minutes=number),
        "tokens": {"with_skill": 9000, "without_skill": 7000},
        "cost_usd": 0.25,
        "url": f"https://github.com/{repo}/issues/{number}#issuecomment-{version}",
    }
    return a_run_record(**(values | changes))


def sha_of(skill: str, version: int) -> str:
    """The skill SHA of a version."""
    return hashlib.sha256(f"{skill} {version}".encode()).hexdigest()
