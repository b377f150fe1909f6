"""What is known of who may read a repository: told at once, found out within the hour."""

import json
from datetime import datetime

from bot.payloads import parse_event
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
from bot.upkeep.privacy import Privacy
from demo.github.repository_actions import RepositoryActions
from handlers.events import RepositoryChanged
from jobs.requests import Repo
from tests.bot.upkeep.conftest import World
from tests.openapi import load_description

NAME = "acme/skills"


def privacy(world: World) -> Privacy:
    return Privacy(world.app, world.redis, world.now)


async def seen(world: World, name: str = NAME) -> SeenRepo | None:
    return await RedisSeenRepos(world.redis).find(name)


def as_told(world: World, *, private: bool) -> Repo:
    return Repo(
        owner="acme", name="skills", installation_id=world.gh.installation_id, private=private
    )


def told(world: World) -> RepositoryChanged:
    """The event of the newest delivery, which GitHub describes."""
    delivery = world.gh.deliveries[-1]
    load_description().validate_webhook(delivery.event, delivery.payload)
    event = parse_event(delivery.event, delivery.body, delivery.guid)
    assert isinstance(event, RepositoryChanged)
    return event


async def test_a_look_at_all_installations_finds_who_may_read_what(world: World) -> None:
    world.gh.add_repository("acme", "secret", private=True)
    world.gh.add_repository("zoo", "open")
    await privacy(world).run()
    found = await RedisSeenRepos(world.redis).all()
    assert {name: one.is_private for name, one in found.items()} == {
        "acme/skills": False,
        "acme/secret": True,
        "zoo/open": False,
    }


async def test_one_suspended_installation_hides_no_other(world: World) -> None:
    world.gh.add_repository("zoo", "open")
    world.gh.suspend("acme")
    await privacy(world).run()
    assert list(await RedisSeenRepos(world.redis).all()) == ["zoo/open"]


async def test_a_repository_that_became_private_is_closed_at_once(world: World) -> None:
    """Also while GitHub does not answer, and whatever older words come later."""
    world.gh.set_webhook("http://127.0.0.1:9/")
    await privacy(world).run()
    world.handle.set_private()
    event = told(world)
    assert event.change == "privatized"
    await privacy(world).take(event)
    found = await seen(world)
    assert found is not None
    assert found.is_private
    await RedisSeenRepos(world.redis, world.now).see(as_told(world, private=False))
    found = await seen(world)
    assert found is not None
    assert found.is_private


async def test_that_one_is_public_is_believed_when_github_says_so_now(world: World) -> None:
    world.gh.set_webhook("http://127.0.0.1:9/")
    world.handle.set_private()
    await privacy(world).run()
    world.handle.set_private(is_private=False)
    event = told(world)
    RepositoryActions(world.gh.site).set_private(
        world.handle.repository, world.gh.site.account("acme"), is_private=True
    )
    await privacy(world).take(event)  # it comes late: the repository is private again
    found = await seen(world)
    assert found is not None
    assert found.is_private
    world.handle.set_private(is_private=False)
    await privacy(world).take(event)
    found = await seen(world)
    assert found is not None
    assert not found.is_private


async def test_a_name_that_is_given_up_shows_nothing_any_more(world: World) -> None:
    world.gh.set_webhook("http://127.0.0.1:9/")
    await privacy(world).run()
    world.handle.rename("abilities")
    event = told(world)
    assert event.name_before == NAME
    for _ in range(2):
        await privacy(world).take(event)
        assert await seen(world) is None
        assert await seen(world, "acme/abilities") is not None


async def test_a_transfer_gives_the_name_up_too(world: World) -> None:
    account = {"id": 4, "login": "zoo", "type": "Organization"}
    payload = {
        "action": "transferred",
        "changes": {"owner": {"from": {"organization": {"id": 3, "login": "acme"}}}},
        "repository": {"id": 9, "name": "skills", "private": False, "owner": account},
        "sender": account,
        "installation": {"id": 7},
    }
    event = parse_event("repository", json.dumps(payload).encode(), "d")
    assert isinstance(event, RepositoryChanged)
    assert (event.change, event.name_before) == ("renamed", NAME)


async def test_a_repository_that_is_gone_is_forgotten(world: World) -> None:
    world.gh.set_webhook("http://127.0.0.1:9/")
    await privacy(world).run()
    world.handle.delete()
    await privacy(world).take(told(world))
    assert await seen(world) is None


async def test_an_older_look_changes_nothing_that_was_learnt_since(world: World) -> None:
    repos = RedisSeenRepos(world.redis)
    now: datetime = world.now()
    await repos.see(as_told(world, private=True), now, is_asked=True)
    earlier = now.replace(year=now.year - 1)
    await repos.see(as_told(world, private=False), earlier, is_asked=True)
    found = await seen(world)
    assert found is not None
    assert found.is_private
