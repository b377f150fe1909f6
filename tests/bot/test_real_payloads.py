"""Every real payload that npm's webhooks-examples holds goes through the door."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from redis.asyncio import Redis

from bot.dispatch import HANDLERS
from bot.embedded_redis import embedded_redis
from bot.payloads import Ignored, parse_event
from bot.queues import EVENTS
from config.repo_file import RepoFile
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Reply, StopServing
from handlers.events import (
    Event,
    InstallationChanged,
    IssueCommented,
    IssueLabelled,
    IssueUnlabelled,
    PullRequestChanged,
    Pushed,
    RepositoryChanged,
)
from handlers.questions import HandlerContext
from tests.bot.web import deliver, some_settings, web_client

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLES = Path(__file__).parents[1] / "npm/node_modules/@octokit/webhooks-examples"


def examples() -> Iterator[tuple[str, dict[str, Any]]]:
    """Event names and payloads, those of GitHub Enterprise Server included."""
    indexes = sorted(EXAMPLES.glob("*/index.json"))
    assert indexes, f"{EXAMPLES} is empty; `make test` installs it (or: npm ci --prefix tests/npm)"
    for index in indexes:
        for event in json.loads(index.read_text(encoding="utf-8")):
            for payload in event["examples"]:
                yield event["name"], payload


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[httpx.AsyncClient, Redis]]:
    async with (
        embedded_redis(tmp_path_factory.mktemp("door")) as url,
        web_client(some_settings(url)) as client,
        Redis.from_url(url) as redis,
    ):
        yield client, redis


class Anybody:
    """Answers every question about permission with yes, and counts them."""

    asked = 0

    async def permission(self, login: str) -> str:
        self.asked += 1
        return "write"

    async def is_labelled(self, *_: object, **__: object) -> bool:
        return False

    async def is_open(self, *_: object, **__: object) -> bool:
        return False

    async def repo_file(self) -> RepoFile:
        return RepoFile()


async def decide(event: Event) -> Decision:
    context = HandlerContext(allowed_owners=("*",), mention="@skillbench")
    return await HANDLERS[type(event)](event, context, Anybody())


async def test_every_payload_gets_a_2xx_and_at_most_one_event(
    door: tuple[httpx.AsyncClient, Redis],
) -> None:
    client, redis = door
    count = 0
    for name, payload in examples():
        count += 1
        before = await redis.zcard(EVENTS)
        answer = await deliver(client, name, payload)
        assert answer.status_code in {200, 202}, (name, payload.get("action"), answer.text)
        taken = await redis.zcard(EVENTS) - before
        assert taken == (1 if answer.json()["outcome"] == "queued" else 0)
    assert count > 300


async def test_as_the_apps_own_deliveries_they_lead_to_one_decision_each() -> None:
    """Most examples are of repository hooks; as the App sees them they name an installation."""
    decisions: dict[str, int] = {}
    kinds: set[type[Event]] = set()
    for name, payload in examples():
        with_installation = {"installation": {"id": 7}} | payload
        content = parse_event(name, json.dumps(with_installation).encode(), "d-1")
        if isinstance(content, Ignored):
            assert content.reason
            continue
        kinds.add(type(content))
        decision = await decide(content)
        if isinstance(content, InstallationChanged | PullRequestChanged):
            assert isinstance(decision, Enqueue | StopServing | CancelRequests | Ignore)
            continue  # nobody speaks to us there, and much follows from it all the same
        decisions[type(decision).__name__] = decisions.get(type(decision).__name__, 0) + 1
    people = {IssueLabelled, IssueUnlabelled, IssueCommented, Pushed}
    assert kinds == people | {PullRequestChanged, InstallationChanged, RepositoryChanged}
    assert decisions["Ignore"] > 10
    assert set(decisions) == {"Ignore"}, "no example speaks to us"


async def test_with_our_label_or_command_in_them_they_start_exactly_one_request() -> None:
    started = 0
    for name, payload in examples():
        asking = json.loads(json.dumps(payload)) | {"installation": {"id": 7}}
        if (name, asking.get("action")) == ("issues", "labeled"):
            asking["label"]["name"] = "needs-benchmark"
        elif (name, asking.get("action")) == ("issue_comment", "created"):
            asking["comment"]["body"] = "@skillbench run claude-sonnet"
        else:
            continue
        content = parse_event(name, json.dumps(asking).encode(), "d-1")
        assert isinstance(content, IssueLabelled | IssueCommented)
        decision = await decide(content)
        if content.is_pull_request:
            assert isinstance(decision, Reply)
            continue
        assert isinstance(decision, Enqueue)
        assert len(decision.requests) == 1
        assert decision.replies == ()
        started += 1
    assert started > 10
