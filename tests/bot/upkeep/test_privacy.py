"""What is known of who may read a repository: told at once, found out within the hour."""

import json
from datetime import datetime

from bot.payloads import parse_event
from bot.store.figures_shelf import FiguresShelf
from bot.store.ledger import RedisLedger
from bot.store.run_index import RunIndex
from bot.store.seen_repos import RedisSeenRepos, SeenRepo
from bot.upkeep.privacy import Privacy
from demo.github.repository_actions import RepositoryActions
from handlers.events import RepositoryChanged
from jobs.requests import Repo
from tests.bot.upkeep.conftest import World
from tests.bot.web_pages.ledger_seed import put_records, some_records
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


async def test_a_look_gives_up_the_names_that_it_does_not_find(world: World) -> None:
    """An event that never came: renamed, made private, or taken from the App."""
    world.gh.set_webhook("http://127.0.0.1:9/")
    world.gh.add_repository("zoo", "open")
    await privacy(world).run()
    world.handle.set_private()
    world.handle.rename("abilities")
    for _ in range(2):
        await privacy(world).run()
        found = await RedisSeenRepos(world.redis).all()
        assert {name: one.is_private for name, one in found.items()} == {
            "acme/abilities": True,
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


async def test_no_late_word_opens_a_name_that_was_given_up(world: World) -> None:
    """A request that waited, or an event that was delivered late, from when it was public."""
    world.gh.set_webhook("http://127.0.0.1:9/")
    await privacy(world).run()
    world.handle.set_private()
    await privacy(world).take(told(world))
    world.handle.rename("abilities")
    await privacy(world).take(told(world))
    repos = RedisSeenRepos(world.redis, world.now)
    await repos.see(as_told(world, private=False))
    assert await seen(world) is None
    assert [one.is_private for one in (await repos.all()).values()] == [True]


async def test_whoever_takes_a_name_does_not_get_the_runs_that_were_measured_under_it(
    world: World,
) -> None:
    """A private repository that was renamed, or deleted, and a public one of its old name."""
    world.gh.set_webhook("http://127.0.0.1:9/")
    ledger, index = RedisLedger(world.redis), RunIndex(world.redis)
    shelf = FiguresShelf(world.redis, "this one")
    records = some_records(5, repo=NAME)
    await put_records(world.redis, records)
    for skill in {one.skill for one in records}:
        await shelf.put(NAME, skill, {"card": "{}", "skill": "{}"}, "a version", world.now())
    world.handle.rename("abilities")
    renamed = told(world)
    for _ in range(2):
        await privacy(world).take(renamed)
        assert await ledger.records(NAME) == []
        assert (await index.state(NAME)).skills == {}
        assert await shelf.made(NAME, records[0].skill, "skill") is None
        moved = await ledger.records("acme/abilities")
        assert [one.run for one in moved] == [one.run for one in records]
    world.gh.add_repository("acme", "skills")
    world.handle.delete()
    gone = told(world)
    for _ in range(2):
        await privacy(world).take(gone)
        assert await index.repos() == {
            f"acme/abilities~{world.now():%Y-%m-%d}": f"acme/abilities~{world.now():%Y-%m-%d}"
        }


async def test_a_late_word_of_a_new_name_takes_no_runs_of_a_stranger_along(world: World) -> None:
    world.gh.set_webhook("http://127.0.0.1:9/")
    await put_records(world.redis, some_records(5, repo=NAME))
    world.handle.rename("abilities")
    renamed = told(world)
    world.gh.add_repository("acme", "skills")
    await privacy(world).take(renamed)
    assert list(await RunIndex(world.redis).repos()) == [f"{NAME}~{world.now():%Y-%m-%d}"]


async def test_a_name_in_other_letters_is_the_same_name(world: World) -> None:
    world.gh.set_webhook("http://127.0.0.1:9/")
    await put_records(world.redis, some_records(5, repo=NAME))
    world.handle.rename("Skills")
    await privacy(world).take(told(world))
    assert len(await RedisLedger(world.redis).records(NAME)) == 5
    assert await seen(world) is not None


async def test_an_older_look_changes_nothing_that_was_learnt_since(world: World) -> None:
    repos = RedisSeenRepos(world.redis)
    now: datetime = world.now()
    await repos.see(as_told(world, private=True), now, is_asked=True)
    earlier = now.replace(year=now.year - 1)
    await repos.see(as_told(world, private=False), earlier, is_asked=True)
    found = await seen(world)
    assert found is not None
    assert found.is_private
