"""What is known of a repository is what GitHub told last."""

from datetime import timedelta

from redis.asyncio import Redis

from bot.store.seen_repos import SEEN, RedisSeenRepos, SeenRepo
from jobs.requests import Repo
from tests.builders import NOON


async def test_a_repository_is_known_as_it_was_seen_last_and_in_any_case(redis: Redis) -> None:
    moments = [NOON, NOON + timedelta(hours=1)]
    seen = RedisSeenRepos(redis, lambda: moments.pop(0))
    assert await seen.find("acme/skills") is None
    await seen.see(Repo(owner="acme", name="skills", installation_id=7, private=True))
    await seen.see(Repo(owner="Acme", name="Skills", installation_id=8), is_asked=True)
    known = SeenRepo(
        full_name="Acme/Skills",
        is_private=False,
        installation_id=8,
        seen_at=NOON + timedelta(hours=1),
    )
    assert await seen.find("ACME/skills") == known
    assert await seen.all() == {"acme/skills": known}


async def test_what_was_told_before_the_last_word_changes_nothing(redis: Redis) -> None:
    """A request that was made while the repository was public, and is carried out later."""
    public = Repo(owner="acme", name="skills", installation_id=7)
    private = public.model_copy(update={"private": True})
    seen = RedisSeenRepos(redis, lambda: NOON)
    await seen.see(private)
    await seen.see(public, NOON - timedelta(days=1))
    known = await seen.find("acme/skills")
    assert known is not None
    assert known.is_private
    await seen.see(public, NOON + timedelta(days=1))  # an event that was delivered late, say
    known = await seen.find("acme/skills")
    assert known is not None
    assert known.is_private
    await seen.see(public, NOON + timedelta(days=1), is_asked=True)
    known = await seen.find("acme/skills")
    assert known is not None
    assert not known.is_private


async def test_several_are_found_at_once_and_one_is_forgotten(redis: Redis) -> None:
    seen = RedisSeenRepos(redis)
    await seen.see(Repo(owner="acme", name="Skills", installation_id=7))
    found = await seen.find_many(["ACME/skills", "acme/other"])
    assert list(found) == ["acme/skills"]
    assert await seen.find_many([]) == {}
    await seen.forget("Acme/skills")
    assert await seen.all() == await seen.find_many(["acme/skills"]) == {}
    await seen.see(Repo(owner="acme", name="skills", installation_id=7))
    assert await seen.find("acme/skills") is None  # said late
    await seen.see(Repo(owner="acme", name="skills", installation_id=7), is_asked=True)
    assert await seen.find("acme/skills") is not None


async def test_what_another_version_wrote_counts_as_never_seen(redis: Redis) -> None:
    await redis.execute_command(
        "HSET", SEEN, "acme/skills", '{"full_name": "acme/skills", "is_private": "no idea"}'
    )
    seen = RedisSeenRepos(redis)
    assert await seen.find("acme/skills") is None
    assert await seen.all() == {}
