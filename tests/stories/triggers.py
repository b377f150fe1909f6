"""What stories about descriptions share: who asks, what the bot says, repositories of skills."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

from redis.asyncio import Redis

from bot.store.budget import RedisBudget
from demo.github import LocalGitHub, RepositoryHandle
from demo.model_api import CLAUDE_LIKE, DEMO_MODELS, Asked
from demo.model_api.chooser import is_choosing
from demo.play import HERE, PERSON, seed_samples
from tests.money import spent_today
from tests.stories.scene import Scene, steady

SAMPLE = HERE / "sample"
MODEL = "claude-sonnet-4-6"
"""It has a price, other than the demo's own."""
MODELS = (*DEMO_MODELS, *CLAUDE_LIKE)
ISSUE = 2
TRIGGER = "@skillbench trigger --skill release-notes"
OPTIMIZE = "@skillbench optimize --skill release-notes"
CHECK = "zebra-lighthouse"
"""A word of the positive control."""


async def ask(scene: Scene, command: str, issue: int = ISSUE) -> str:
    """Comment a command and wait for the end of its request; gives the reaction."""
    comment = scene.comment(issue, command)
    ends = {"rocket", "confused"}
    await scene.until(lambda: bool(ends & set(scene.reactions(issue, comment))), command)
    return scene.reactions(issue, comment)[-1]


def reports(scene: Scene, issue: int = ISSUE) -> list[str]:
    return [body for body in scene.bot_comments(issue) if "<!-- skillbench:trigger:v1 " in body]


def queries(scene: Scene) -> list[Asked]:
    """The first request of every session with a query, without the controls."""
    asked = [one for one in scene.stage.model_api.requests if is_choosing(one) and not one.turn]
    return [one for one in asked if not is_control(one)]


def is_control(asked: Asked) -> bool:
    return CHECK in asked.prompt or "two plus two" in asked.prompt


async def spent(scene: Scene) -> Decimal:
    """What the day has cost, as far as it is known or set aside."""
    settings = scene.stage.settings
    async with Redis.from_url(settings.redis_url) as redis:
        return await spent_today(RedisBudget(redis, per_day=settings.max_usd_per_day))


def seeded(
    folder: Path, files: Mapping[str, str], *, body: str = ""
) -> Callable[[LocalGitHub], RepositoryHandle]:
    """The sample repository with more files, and issue 7 with a body."""
    tree = folder / "tree"
    shutil.copytree(SAMPLE, tree)
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8", newline="")

    def seed(github: LocalGitHub) -> RepositoryHandle:
        repository = seed_samples(github)
        repository.push(tree, by=PERSON)
        repository.open_issue(author=PERSON, title="Queries", body=body, number=7)
        return repository

    return seed


def a_set(*queries: tuple[str, bool]) -> str:
    return json.dumps([{"query": text, "should_trigger": wanted} for text, wanted in queries])


def without_bill(body: str) -> str:
    """A report without what depends on the moment in which a session was stopped."""
    body = re.sub(r"[\d.]+k tokens", "<tokens> tokens", steady(body))
    return re.sub(r"cost \$[\d.]+", "cost <usd>", body)
