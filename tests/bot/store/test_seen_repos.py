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
    await seen.see(Repo(owner="Acme", name="Skills", installation_id=8))
    known = SeenRepo(
        full_name="Acme/Skills",
        is_private=False,
        installation_id=8,
        seen_at=NOON + timedelta(hours=1),
    )
    assert await seen.find("ACME/skills") == known
    assert await seen.all() == {"acme/skills": known}


async def test_what_another_version_wrote_counts_as_never_seen(redis: Redis) -> None:
    await redis.execute_command(
        "HSET", SEEN, "acme/skills", '{"full_name": "acme/skills", "is_private": "no idea"}'
    )
    seen = RedisSeenRepos(redis)
    assert await seen.find("acme/skills") is None
    assert await seen.all() == {}
