"""A worker's ends put together: what asks GitHub something, and what must not."""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from redis.asyncio import Redis

from bot.github.app import GitHubApp
from bot.queues import REQUESTS
from bot.wiring import Wiring
from bot.worlds import Worlds
from config.settings import Settings
from demo.github import LocalGitHub, RepositoryHandle
from handlers.events import Event, EventRepository
from tests.bot.github.clocks import StoppedClock
from tests.handlers.events import (
    OTHER_BOT,
    OURSELVES,
    a_commented,
    a_labelled,
    a_pushed,
    an_unlabelled,
)
from tests.handlers.test_pull_requests import pull
from tests.openapi import check_exchanges

NO_WORLDS = cast("Worlds", None)
"""No test here carries a request out."""


@dataclass
class Scene:
    """The App on a local GitHub whose clock only waiting moves, and an issue to speak on."""

    gh: LocalGitHub
    settings: Settings
    app: GitHubApp
    issues: RepositoryHandle
    redis: Redis

    def wiring(self, **changes: Any) -> Wiring:
        settings = self.settings.model_copy(update=changes)
        return Wiring(settings, self.redis, self.app, NO_WORLDS)

    @property
    def repository(self) -> EventRepository:
        account = self.gh.site.account("acme")
        installation = self.gh.site.state.find_installation(account)
        assert installation is not None
        return EventRepository(
            id=9, owner="acme", name="skills", private=False, installation_id=installation.id
        )

    @property
    def paths(self) -> list[str]:
        return [f"{sent.method} {sent.path.removeprefix('/api/v3')}" for sent in self.gh.requests]


@pytest.fixture
async def scene(tmp_path: Path, app_key: str, redis: Redis) -> AsyncIterator[Scene]:
    clock = StoppedClock(now=time.time())
    gh = LocalGitHub(clock=lambda: datetime.fromtimestamp(clock.now, UTC), private_key_pem=app_key)
    (tmp_path / "skills").mkdir()
    (tmp_path / "skills/README.md").write_text("# Skills\n")
    issues = gh.add_repository("acme", "skills", folder=tmp_path / "skills")
    gh.add_person("mona", {"acme/skills": "write"})
    issues.open_issue(author="mona", title="Case", body="Count.", number=21)
    async with gh.serve() as served:
        settings = Settings(
            _env_file=None,
            github_app_id=str(gh.app_id),
            github_private_key=app_key,
            github_api_url=served.api_url,
            allowed_owners="acme",
        )
        async with GitHubApp(settings, timing=clock.timing) as app:
            yield Scene(gh, settings, app, issues, redis)
    check_exchanges(gh.requests)


@pytest.mark.parametrize("sender", [OURSELVES, OTHER_BOT])
async def test_a_bots_comment_and_label_are_ignored_before_any_call(
    scene: Scene, sender: Any
) -> None:
    """The bot's own words would otherwise cost calls for ever."""
    for allowed_owners in ("acme", ""):
        wiring = scene.wiring(allowed_owners=allowed_owners)
        await wiring.handle_event(a_commented(repository=scene.repository, sender=sender))
        await wiring.handle_event(a_labelled(repository=scene.repository, sender=sender))
    assert scene.paths == []
    assert await scene.redis.zcard(REQUESTS) == 0


async def test_who_we_are_is_asked_once_however_many_comments_come(scene: Scene) -> None:
    wiring = scene.wiring()
    for _ in range(3):
        await wiring.handle_event(a_commented("Thanks, all", repository=scene.repository))
    assert scene.paths in ([], ["GET /app"])


async def test_a_label_after_the_early_question_asks_who_we_are_no_more(scene: Scene) -> None:
    """A worker asks while it starts, so that a fresh one has as few calls as an old one."""
    await scene.app.ask_early()
    await scene.wiring().handle_event(a_labelled(repository=scene.repository))
    assert scene.paths.count("GET /app") == 1
    assert scene.paths[0] == "GET /app"


async def test_a_worker_starts_though_github_does_not_tell_who_we_are(scene: Scene) -> None:
    scene.gh.faults.answer(500, on="GET /app", times=100)
    await scene.app.ask_early()
    scene.gh.faults.clear()
    assert (await scene.app.identity()).slug


async def test_a_stranger_is_not_served_where_nobody_is_named(scene: Scene) -> None:
    """An App is installed by anybody; its operator pays for the own account only."""
    await scene.wiring(allowed_owners="").handle_event(a_labelled(repository=scene.repository))
    assert await scene.redis.zcard(REQUESTS) == 0
    assert "SKILLBENCH_ALLOWED_OWNERS" in scene.issues.comments(21)[0]


async def test_the_apps_own_owner_is_served_where_nobody_is_named(scene: Scene) -> None:
    owner = (await scene.app.identity()).owner
    repository = msgspec.structs.replace(scene.repository, owner=owner)
    context = await scene.wiring(allowed_owners="")._context(a_labelled(repository=repository))
    assert context.allows_owner(owner)
    assert not context.allows_owner("acme")


@pytest.mark.parametrize("of", [a_pushed, pull])
async def test_what_a_bot_pushes_or_proposes_is_served_and_what_we_did_is_known(
    scene: Scene, of: Callable[..., Event]
) -> None:
    """A merge queue pushes, too; our own proposal is left alone."""
    identity = await scene.app.identity()
    repository = msgspec.structs.replace(scene.repository, owner=identity.owner)
    wiring = scene.wiring(allowed_owners="")
    context = await wiring._context(of(repository=repository, sender=OTHER_BOT))
    assert context.allows_owner(identity.owner)
    ourselves = msgspec.structs.replace(OURSELVES, id=1, login=identity.bot_login)
    context = await wiring._context(of(repository=repository, sender=ourselves))
    assert context.is_own(ourselves)


async def test_we_do_not_obey_ourselves_even_if_the_settings_name_us(scene: Scene) -> None:
    ourselves = (await scene.app.identity()).bot_login
    sender = OURSELVES.__class__(id=1, login=ourselves, is_bot=True)
    wiring = scene.wiring(allowed_bots=ourselves)
    await wiring.handle_event(a_commented(repository=scene.repository, sender=sender))
    assert await scene.redis.zcard(REQUESTS) == 0
    assert scene.issues.comments(21) == []


async def test_a_label_that_we_took_off_ourselves_cancels_nothing(scene: Scene) -> None:
    """Put on again in that moment, it asks for something new."""
    wiring = scene.wiring()
    await wiring.handle_event(a_labelled(repository=scene.repository))
    ourselves = (await scene.app.identity()).bot_login
    for login, left in ((ourselves, 1), ("stale[bot]", 0)):
        sender = OURSELVES.__class__(id=1, login=login, is_bot=True)
        await wiring.handle_event(an_unlabelled(repository=scene.repository, sender=sender))
        assert await scene.redis.zcard(REQUESTS) == left


async def test_a_command_is_enqueued_under_the_permission_github_gives(scene: Scene) -> None:
    await scene.wiring().handle_event(a_commented(repository=scene.repository))
    assert await scene.redis.zcard(REQUESTS) == 1
    assert scene.issues.comments(21) == []


async def test_two_apologies_in_the_same_words_are_one_comment(scene: Scene) -> None:
    """A job that is carried out again apologises again."""
    repository = scene.repository
    place = {
        "repo": {
            "owner": "acme",
            "name": "skills",
            "installation_id": repository.installation_id,
        },
        "issue": 21,
    }
    wiring = scene.wiring()
    for text in ("It broke (reference `a`).", "It broke (reference `a`).", "It broke (`b`)."):
        await wiring.say(place, text)
    assert len(scene.issues.comments(21)) == 2


async def test_an_apology_for_a_push_is_made_on_its_commit(scene: Scene) -> None:
    place = {
        "repo": {
            "owner": "acme",
            "name": "skills",
            "installation_id": scene.repository.installation_id,
        },
        "issue": 0,
        "commit": scene.issues.head,
    }
    for _ in range(2):
        await scene.wiring().say(place, "It broke (reference `a`).")
    (comment,) = scene.issues.repository.commit_comments
    assert comment.body.endswith("It broke (reference `a`).")


async def test_a_push_that_changed_a_skill_is_put_on_the_queue(scene: Scene) -> None:
    event = a_pushed(repository=scene.repository)
    await scene.wiring().handle_event(event)
    await scene.wiring().handle_event(event)
    assert await scene.redis.zcard(REQUESTS) == 2  # of skills, and of their descriptions
    assert scene.issues.repository.commit_comments == []
