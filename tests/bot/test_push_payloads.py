"""Pushes at the door: only what the default branch now leads to is taken in."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from bot.payloads import Ignored, parse_event
from demo.github import LocalGitHub
from handlers.events import Pushed
from tests.bot.web import a_payload, an_account, deliver, queued_events

BEFORE, AFTER, NOTHING = "b" * 40, "a" * 40, "0" * 40


def a_commit(**files: list[str]) -> dict[str, Any]:
    return {"id": AFTER, "added": [], "removed": [], "modified": [], **files}


def a_push_payload(**changes: Any) -> dict[str, Any]:
    """A push to the default branch that changed a skill."""
    payload = a_payload("")
    repository = payload["repository"] | {"default_branch": "main"}
    payload = {key: payload[key] for key in ("sender", "installation")}
    commit = a_commit(modified=["skills/count/SKILL.md"])
    return payload | {
        "ref": "refs/heads/main",
        "before": BEFORE,
        "after": AFTER,
        "created": False,
        "deleted": False,
        "forced": False,
        "commits": [commit],
        "head_commit": commit,
        "pusher": {"name": "mona"},
        "repository": repository,
        **changes,
    }


def parse(payload: dict[str, Any]) -> Pushed | Ignored:
    content = parse_event("push", json.dumps(payload).encode(), "d-1")
    assert isinstance(content, Pushed | Ignored)
    return content


def test_a_push_becomes_an_event() -> None:
    event = parse(a_push_payload())
    assert isinstance(event, Pushed)
    assert (event.before, event.after, event.touches_skills) == (BEFORE, AFTER, True)
    assert (event.sender.login, event.repository.name) == ("mona", "skills")


async def test_it_goes_through_the_door(web: httpx.AsyncClient, redis: Redis) -> None:
    assert (await deliver(web, "push", a_push_payload())).status_code == 202
    (event,) = await queued_events(redis)
    assert event["type"] == "pushed"


@pytest.mark.parametrize(
    "changes",
    [
        {"deleted": True, "after": NOTHING, "commits": [], "head_commit": None},
        {"after": NOTHING, "commits": [], "head_commit": None},
        {"ref": "refs/tags/v1.2.0", "before": NOTHING, "commits": [], "head_commit": None},
        {"ref": "refs/tags/v1.2.0", "deleted": True, "after": NOTHING, "head_commit": None},
        {"ref": "refs/tags/main"},
        {"ref": "refs/heads/other"},
        {"ref": "refs/heads/refs/heads/main"},
        {"ref": "main"},
        {"installation": None},
    ],
)
async def test_what_no_skill_can_have_changed_by_is_answered_and_not_queued(
    web: httpx.AsyncClient, redis: Redis, changes: dict[str, Any]
) -> None:
    """A deleted branch, a tag (whose `after` need be no commit), another branch."""
    with capture_logs() as logs:
        answer = await deliver(web, "push", a_push_payload(**changes))
    assert (answer.status_code, answer.json()["outcome"]) == (200, "ignored")
    assert answer.json()["reason"]
    assert await redis.dbsize() == 0
    assert {entry["log_level"] for entry in logs} <= {"info", "debug"}


@pytest.mark.parametrize("forced", [True, False])
def test_a_push_without_commits_may_have_changed_anything(forced: bool) -> None:
    """The branch went back to an older commit, or was moved to one that is known."""
    event = parse(a_push_payload(forced=forced, commits=[], head_commit=None))
    assert isinstance(event, Pushed)
    assert event.touches_skills


def test_the_first_push_of_a_branch_has_nothing_before_it() -> None:
    event = parse(a_push_payload(before=NOTHING, created=True))
    assert isinstance(event, Pushed)
    assert event.before is None
    longer = parse(a_push_payload(before="0" * 64, after="a" * 64))
    assert isinstance(longer, Pushed)
    assert longer.before is None


@pytest.mark.parametrize(
    ("commits", "touches"),
    [
        ([a_commit(modified=["SKILL.md"])], True),
        ([a_commit(added=["a/b/SKILL.md"])], True),
        ([a_commit(modified=["a/skill.MD"])], True),
        ([a_commit(modified=["README.md"]), a_commit(modified=["x/SKILL.md"])], True),
        ([a_commit(removed=["x/SKILL.md"])], False),
        ([a_commit(modified=["x/SKILL.md.bak", "MY-SKILL.md", "SKILL.md/notes.txt"])], False),
        ([a_commit()], False),
        ([a_commit(modified=["README.md"])] * 20, True),
        ([{"id": AFTER}], False),
    ],
)
def test_a_push_that_certainly_changed_no_skill_says_so(
    commits: list[dict[str, Any]], touches: bool
) -> None:
    event = parse(a_push_payload(commits=commits))
    assert isinstance(event, Pushed)
    assert event.touches_skills is touches


def test_a_push_by_a_deploy_key_is_the_owners() -> None:
    payload = a_push_payload()
    del payload["sender"]
    event = parse(payload)
    assert isinstance(event, Pushed)
    assert event.sender.login == an_account("acme")["login"]


def test_what_the_local_github_sends_is_understood(app_key: str, tmp_path: Path) -> None:
    gh = LocalGitHub(private_key_pem=app_key, webhook_url="http://127.0.0.1:9/nobody-listens")
    repo = gh.add_repository("acme", "skills")
    for number in (1, 2):
        (tmp_path / "SKILL.md").write_text(f"version {number}")
        repo.push(tmp_path)
    first, second = (parse(delivery.payload) for delivery in gh.deliveries)
    assert isinstance(first, Pushed)
    assert isinstance(second, Pushed)
    assert first.before is None
    assert (second.before, second.after) == (first.after, repo.head)
    assert second.touches_skills


@pytest.mark.parametrize(
    ("commits", "touches"),
    [
        ([a_commit(modified=[".github/skillbench.yml"])], True),
        ([a_commit(added=["a"]), a_commit(removed=[".github/skillbench.yaml"])], True),
        ([a_commit(modified=["docs/.github/skillbench.yml", "skillbench.yml"])], False),
        ([], True),
        ([a_commit()] * 20, True),
    ],
)
def test_a_push_says_whether_it_may_have_changed_the_repositorys_file(
    commits: list[dict[str, Any]], touches: bool
) -> None:
    event = parse(a_push_payload(commits=commits))
    assert isinstance(event, Pushed)
    assert event.touches_config is touches
