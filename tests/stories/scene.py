"""The whole bot on real sockets, as a test sees it: act as a person, read what the bot says."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
from redis.asyncio import Redis

from bot.github.pacing import Slot
from bot.upkeep.rounds import SCAN
from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import ScriptedModelApi
from demo.play import PERSON, Setting, Stage, seed_samples, staged
from tests.openapi import check_exchanges

WAIT_S = 60.0
"""Bounds every wait; a story takes two or three seconds."""
SCAN_S = 5.0


class NoPacing:
    """Writes at once: no test waits for GitHub's pace, which has tests of its own."""

    async def reserve(self, _: int, *, longest_s: float, kept_back: int = 0) -> Slot:
        return Slot(granted=True, wait_s=0.0)

    async def pause(self, _: int, seconds: float) -> None:
        """Nothing is ever slowed down here."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A running bot on the local GitHub, with a repository and a person who may write."""

    stage: Stage

    @property
    def repository(self) -> RepositoryHandle:
        return self.stage.repository

    @property
    def github(self) -> LocalGitHub:
        return self.stage.github

    def label(self, issue: int, by: str = PERSON) -> None:
        self.repository.label(issue, "needs-benchmark", by=by)

    def comment(self, issue: int, body: str, by: str = PERSON) -> int:
        return self.repository.comment(issue, by=by, body=body).id

    def bot_comments(self, issue: int) -> list[str]:
        """What the bot has said on an issue, oldest first."""
        author = self.github.bot_login
        comments = self.repository.issue(issue).comments
        return [comment.body for comment in comments if comment.author.login == author]

    def reports(self, issue: int) -> list[str]:
        return [body for body in self.bot_comments(issue) if "<!-- skillbench:v1 " in body]

    def reactions(self, issue: int, comment_id: int | None = None) -> list[str]:
        """The bot's reactions to a comment, or to the issue itself."""
        target = self.repository.issue(issue)
        if comment_id is None:
            return [reaction.content for reaction in target.reactions]
        comment = next(one for one in target.comments if one.id == comment_id)
        return [reaction.content for reaction in comment.reactions]

    async def get(self, path: str) -> str:
        """A page of the bot itself."""
        async with httpx.AsyncClient(verify=False) as client:
            answer = await client.get(self.stage.bot_url + path)
        return answer.raise_for_status().text

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until something holds. Fails, saying what did not and what the bot said."""
        try:
            async with asyncio.timeout(WAIT_S):
                while not holds():
                    await asyncio.sleep(0.02)
        except TimeoutError:
            said = "\n---\n".join(body for number in range(1, 4) for body in self._said_on(number))
            raise AssertionError(f"{what} did not happen. The bot said:\n{said}") from None

    async def label_gone(self, issue: int) -> None:
        """Wait until the request behind a label has ended."""
        await self.until(
            lambda: "needs-benchmark" not in self.repository.labels(issue),
            f"the end of the request on issue {issue}",
        )

    async def reacted(self, issue: int, comment_id: int, reaction: str) -> None:
        await self.until(
            lambda: reaction in self.reactions(issue, comment_id),
            f"the reaction {reaction} on comment {comment_id}",
        )

    def _said_on(self, issue: int) -> list[str]:
        try:
            return self.bot_comments(issue)
        except LookupError:
            return []


@asynccontextmanager
async def playing(
    scratch: Path,
    app_key: str,
    *,
    seed: Callable[[LocalGitHub], RepositoryHandle] = seed_samples,
    model_api: ScriptedModelApi | None = None,
    worker: bool = True,
    **changes: object,
) -> AsyncIterator[Scene]:
    """The bot, running; at the end every exchange with GitHub must be as GitHub describes it."""
    setting = Setting(
        seed=seed,
        private_key_pem=app_key,
        model_api=model_api or ScriptedModelApi(),
        pacer=NoPacing(),
        worker=worker,
        changes=changes,
    )
    async with staged(scratch, setting) as stage:
        if worker:
            await first_scan_done(stage.settings.redis_url)
        yield Scene(stage)
        check_exchanges(stage.github.requests)


async def first_scan_done(redis_url: str) -> None:
    """Wait until the worker has looked for what nobody heard, as it does when it starts.

    What is asked for at that very moment it would find as well, and ask for a second time. A
    story in which it cannot be done is about that, and goes on.
    """
    with suppress(TimeoutError):
        async with Redis.from_url(redis_url) as redis, asyncio.timeout(SCAN_S):
            while not await redis.get(f"skillbench:chore:{SCAN}"):
                await asyncio.sleep(0.02)


VARYING = (
    (re.compile(r"http://127\.0\.0\.1:\d+"), "http://github.test"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<sha256>"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "<commit>"),
    (re.compile(r"(?<=/runs/)[0-9a-f]{32}\b"), "<page>"),
    (re.compile(r"\b[0-9a-f]{12}\b|(?<=commit `)[0-9a-f]{7}"), "<short>"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z)?"), "<time>"),
    (re.compile(r"\b20\d\d-\d\d\b"), "<month>"),
    (re.compile(r"(?<![\w.])\d+(?:\.\d+)? (?:s|ms|min)\b"), "<duration>"),
    (re.compile(r"comment-\d+"), "comment-<id>"),
    (re.compile(r"\b[0-9a-f]{40}\b"), "<commit>"),
    (re.compile(r'(?<="wall_s": )\{[^}]*\}'), "<durations>"),
)


def steady(body: str) -> str:
    """A comment without what differs from run to run: times, ids, addresses."""
    for pattern, word in VARYING:
        body = pattern.sub(word, body)
    return body
