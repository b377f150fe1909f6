"""The repository's own file for handlers: fresh enough, and nearly free."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from redis.asyncio import Redis

from bot.github.repo_files import KEPT_FOR
from bot.github.repository import RepositoryClient
from bot.store.rights import STRICTEST, RedisRights
from config.repo_file import RepoFile
from config.yaml_lines import MAX_BYTES
from tests.bot.github.conftest import World

LOOK = "GET /repos/acme/skills/contents"
ONE = ".github/skillbench.yml"
OTHER = ".github/skillbench.yaml"


@pytest.fixture
async def redis(redis_socket: Path) -> AsyncIterator[Redis]:
    async with Redis(unix_socket_path=str(redis_socket)) as connected:
        yield connected


@pytest.fixture
async def client(world: World, redis: Redis) -> RepositoryClient:
    """The repository as two workers have it: each asks through a client of its own."""
    return (await world.another_app(redis=redis)).repository(world.repo)


def push(world: World, files: dict[str, str]) -> None:
    """Make these the repository's files, all of them."""
    with TemporaryDirectory() as folder:
        for path, text in files.items():
            (place := Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        world.handle.push(Path(folder), by="mona")


@pytest.mark.parametrize("path", [ONE, OTHER])
async def test_the_file_is_read_under_either_name(world: World, path: str):
    push(world, {path: "labels: {run: measure}\n"})
    assert (await world.client.repo_file()).labels.run == "measure"
    assert len(world.calls(LOOK)) == 2


@pytest.mark.parametrize("files", [{}, {".github/CODEOWNERS": "* @mona\n"}, {".github": "a"}])
async def test_a_repository_without_the_file_costs_one_look(world: World, files: dict[str, str]):
    if files:
        push(world, files)
    assert await world.client.repo_file() == RepoFile()
    assert len(world.calls(LOOK)) == 1


@pytest.mark.parametrize(
    "files",
    [
        {ONE: "labels: {run: measure}\n", OTHER: "labels: {run: weigh}\n"},
        {ONE: "labels: {run: measure}\ncolour: red\n"},
        {ONE: "labels: {run: measure}\n" + "#" * MAX_BYTES},
        {ONE: "a: &a [x]\nb: *a\n"},
    ],
)
async def test_a_file_that_cannot_be_used_says_nothing(world: World, files: dict[str, str]):
    push(world, files)
    assert await world.client.repo_file() == RepoFile()


async def test_fifty_questions_at_once_cost_two_calls(world: World, redis: Redis):
    push(world, {ONE: "labels: {run: measure}\n"})
    app = await world.another_app(redis=redis)
    asked = await asyncio.gather(*(app.repository(world.repo).repo_file() for _ in range(50)))
    assert {one.labels.run for one in asked} == {"measure"}
    assert len(world.calls(LOOK)) == 2


async def test_the_absence_of_the_file_is_remembered_too(world: World, client: RepositoryClient):
    assert await client.repo_file() == await client.repo_file() == RepoFile()
    assert len(world.calls(LOOK)) == 1


async def test_what_is_forgotten_is_read_anew(world: World, client: RepositoryClient):
    push(world, {ONE: "labels: {run: measure}\n"})
    await client.repo_file()
    push(world, {ONE: "labels: {run: weigh}\n"})
    assert (await client.repo_file()).labels.run == "measure"
    await client.repo_files.forget()
    assert (await client.repo_file()).labels.run == "weigh"


async def test_nothing_is_kept_for_long(world: World, client: RepositoryClient, redis: Redis):
    await client.repo_file()
    [key] = await redis.keys("skillbench:repo-file:*")
    assert 0 < await redis.ttl(key) <= KEPT_FOR.total_seconds()


async def test_what_it_takes_to_do_something_is_left_for_the_pages_until_a_push_may_change_it(
    world: World, client: RepositoryClient, redis: Redis
):
    rights, place = RedisRights(redis), (world.repo.installation_id, "ACME/skills")
    assert await rights.find(*place) == STRICTEST
    push(world, {ONE: "permissions: {cancel: triage}\n"})
    await client.repo_file()
    assert (await rights.find(*place)).cancel == "triage"
    assert (await rights.find(*place)).run == "write"
    await client.repo_files.forget(may_differ=False)
    assert (await rights.find(*place)).cancel == "triage"
    await client.repo_files.forget()
    assert await rights.find(*place) == STRICTEST
    assert await rights.find(world.repo.installation_id + 1, "acme/skills") == STRICTEST
