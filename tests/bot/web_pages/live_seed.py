"""Runs that go on, as a worker would tell them, for tests of their pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import httpx
from redis.asyncio import Redis

from bot.store.live_sessions import LiveReader, LiveWriter
from bot.store.seen_repos import RedisSeenRepos
from jobs.live_sessions import LiveHead, LiveMove, LiveSession, LiveState
from jobs.requests import Repo
from jobs.values import SKILL_OR_NONE, Arm, Usage
from tests.bot.web import some_settings, web_client

REPO = Repo(owner="acme", name="skills", installation_id=7)
RUN = "0123456789ab"
ADDRESS = f"/repos/acme/skills/runs/{RUN}"
HOSTILE = "<script>alert(1)</script>\u202e"
JUDGE = "claude-haiku-4-5"


def ago(seconds: float) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=seconds)


def some_usage(turns: int, cost: str | None = "0.021") -> Usage:
    return Usage(
        requests=turns,
        input_tokens=900 * turns,
        output_tokens=310 * turns,
        cache_read_tokens=2_200 * turns,
        cost_usd=None if cost is None else Decimal(cost) * turns,
    )


def a_head(run: str = RUN, repo: Repo = REPO, trials: int = 3) -> LiveHead:
    return LiveHead(
        run=run,
        repo=repo.full_name,
        issue=21,
        asker="mona",
        skill="skills/csv-profile",
        eval_id="github-issue-21",
        model="claude-sonnet-4-6",
        launcher="api",
        judges=(JUDGE,),
        arms=SKILL_OR_NONE,
        trials=trials,
        started_at=ago(372),
    )


def a_move(state: LiveState, detail: str = "") -> LiveMove:
    return LiveMove(state=state, detail=detail, at=ago(1))


def an_arm(arm: Arm, trial: int, turns: int, *, end: str = "", **changes: object) -> LiveSession:
    tools = {"Bash": turns * 2, "Read": turns, "Write": 1, "Glob": 2} if turns else {}
    session = LiveSession(
        step=f"{arm}-{trial}",
        trial=trial,
        arm=arm,
        started_at=ago(95),
        ended_at=ago(2) if end else None,
        end=end,
        turns=turns,
        most_turns=100,
        tools=tools,
        usage=some_usage(turns),
    )
    return session.model_copy(update=changes)


def a_reading(number: int, trial: int, *, end: str = "") -> LiveSession:
    return LiveSession(
        step=f"pass-{number}-trial-{trial}",
        trial=trial,
        reading=number,
        judge=JUDGE,
        started_at=ago(40),
        ended_at=ago(20) if end else None,
        end=end,
        turns=1,
        usage=some_usage(2),
    )


@dataclass(frozen=True, slots=True)
class LiveStage:
    """A server, and a worker that tells it of a run."""

    client: httpx.AsyncClient
    redis: Redis
    writer: LiveWriter
    reader: LiveReader

    def show_second_trial(self) -> None:
        """The first of three trials has ended, the second is at work."""
        writer = self.writer
        writer.begin(a_head())
        for arm, turns in zip(SKILL_OR_NONE, (9, 14), strict=True):
            writer.show(RUN, an_arm(arm, 1, turns, end="completed"))
        for number in (1, 2):
            writer.show(RUN, a_reading(number, 1, end="read"))
        writer.show(RUN, an_arm(Arm.WITH_SKILL, 2, 6, doing="Bash"))
        writer.show(RUN, an_arm(Arm.WITHOUT_SKILL, 2, 11, failed_tool_calls=3, retries=1))
        writer.move(RUN, a_move("running", "trial 2 of 3"))


@asynccontextmanager
async def live_stage(redis_url: str, **changes: object) -> AsyncIterator[LiveStage]:
    """With a repository that was seen, and nothing that goes on yet."""
    redis = Redis.from_url(redis_url)
    writer = LiveWriter(redis)
    try:
        await RedisSeenRepos(redis).see(REPO)
        async with web_client(some_settings(redis_url, **changes)) as client, writer.writing():
            yield LiveStage(client, redis, writer, LiveReader(redis))
    finally:
        await redis.aclose()
