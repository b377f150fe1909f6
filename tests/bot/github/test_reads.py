"""What a repository holds and who may do what there."""

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from bot.github.reads import RepositoryReads
from jobs.errors import Gone, Refused, Transient
from tests.bot.github.conftest import World

COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"


async def test_the_default_commit_takes_one_call(world: World):
    assert await world.client.default_commit() == world.handle.head
    assert len(world.calls()) == 1


async def test_an_empty_repository_is_refused_with_what_to_do(world: World):
    empty = world.gh.add_repository("acme", "empty")
    with pytest.raises(Refused, match="no commit yet"):
        await world.app.repository(world.repo_of(empty)).default_commit()


@pytest.mark.parametrize("role", ["admin", "maintain", "write", "triage", "read"])
async def test_a_permission_is_the_role(world: World, role: str):
    world.gh.add_person("lisa", {"acme/skills": role})
    assert await world.client.permission("lisa") == role


@pytest.mark.parametrize("login", ["nobody-of-that-name", "renovate[bot]", "../../app", "a?b#c"])
async def test_whom_github_does_not_know_may_do_nothing(world: World, login: str):
    assert await world.client.permission(login) == "none"


async def test_a_name_that_no_address_can_hold_is_nobodys(world: World):
    before = len(world.gh.requests)
    assert await world.client.permission("x" * 70_000) == "none"
    assert len(world.gh.requests) == before


async def test_a_stranger_may_read_what_is_public_and_nothing_private(world: World):
    world.gh.add_person("stranger")
    private = world.gh.add_repository("acme", "secret", private=True)
    assert await world.client.permission("stranger") == "read"
    client = world.app.repository(world.repo_of(private))
    assert await client.permission("stranger") == "none"


@pytest.mark.parametrize("private", [False, True])
async def test_a_tarball_is_written_whole(world: World, tmp_path: Path, private: bool):
    world.handle.repository.is_private = private
    target = tmp_path / "commit.tar.gz"
    await world.client.download_tarball(world.handle.head, target)
    with tarfile.open(target) as archive:
        names = archive.getnames()
    assert any(name.endswith("/README.md") for name in names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["commit.tar.gz", "skills"]


async def test_a_commit_that_does_not_exist_is_gone(world: World, tmp_path: Path):
    with pytest.raises(Gone):
        await world.client.download_tarball(COMMIT, tmp_path / "commit.tar.gz")
    assert not (tmp_path / "commit.tar.gz").exists()


class OtherHost:
    """A file server that is not GitHub's API; it notes what it is asked and answers as told."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.answers: list[bytes] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self.answers.pop(0))
        await writer.drain()
        writer.close()


@asynccontextmanager
async def an_other_host() -> AsyncIterator[OtherHost]:
    host = OtherHost()
    server = await asyncio.start_server(host.serve, "127.0.0.1", 0)
    async with server:
        host.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield host


def an_answer(content: bytes, *, length: int | None = None) -> bytes:
    size = len(content) if length is None else length
    return f"HTTP/1.1 200 OK\r\nContent-Length: {size}\r\n\r\n".encode() + content


async def test_the_token_stays_behind_when_another_host_serves_the_file(
    world: World, tmp_path: Path
):
    target = tmp_path / "commit.tar.gz"
    async with an_other_host() as host:
        host.answers = [an_answer(b"packed")]
        location = f"{host.url}/acme/skills/legacy.tar.gz/x?token=short-lived"
        world.gh.faults.answer(302, on="GET */tarball/*", headers={"location": location})
        await world.client.download_tarball(COMMIT, target)
    assert target.read_bytes() == b"packed"
    assert b"authorization" not in host.asked[0].lower()
    assert b"token=short-lived" in host.asked[0]


async def test_a_download_that_breaks_off_starts_again_from_the_api(world: World, tmp_path: Path):
    target = tmp_path / "commit.tar.gz"
    async with an_other_host() as host:
        host.answers = [an_answer(b"pack", length=6), an_answer(b"packed")]
        world.gh.faults.answer(
            302, on="GET */tarball/*", times=2, headers={"location": f"{host.url}/x"}
        )
        await world.client.download_tarball(COMMIT, target)
    assert target.read_bytes() == b"packed"
    assert len(world.calls("GET")) == 2


async def test_an_address_that_expired_is_asked_for_anew(world: World, tmp_path: Path):
    target = tmp_path / "commit.tar.gz"
    async with an_other_host() as host:
        expired = b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
        host.answers = [expired, an_answer(b"packed")]
        world.gh.faults.answer(
            302, on="GET */tarball/*", times=2, headers={"location": f"{host.url}/x"}
        )
        await world.client.download_tarball(COMMIT, target)
    assert target.read_bytes() == b"packed"


async def test_a_download_that_never_ends_well_is_transient_and_leaves_nothing(
    world: World, tmp_path: Path
):
    target = tmp_path / "new" / "commit.tar.gz"
    target.parent.mkdir()
    async with an_other_host() as host:
        host.answers = [an_answer(b"pack", length=6)] * 9
        world.gh.faults.answer(
            302, on="GET */tarball/*", times=None, headers={"location": f"{host.url}/x"}
        )
        with pytest.raises(Transient):
            await world.client.download_tarball(COMMIT, target)
    assert list(target.parent.iterdir()) == []


async def test_a_tarball_over_the_cap_is_refused_and_leaves_nothing(world: World, tmp_path: Path):
    target = tmp_path / "new" / "commit.tar.gz"
    target.parent.mkdir()
    calls = world.app._calls(world.repo.installation_id)
    async with an_other_host() as host, httpx.AsyncClient(trust_env=False) as plain:
        reads = RepositoryReads(calls, world.repo, plain=plain, largest_tarball=1_000_000)
        host.answers = [an_answer(io.BytesIO(b"x" * 1_000_001).read())]
        world.gh.faults.answer(302, on="GET */tarball/*", headers={"location": f"{host.url}/x"})
        with pytest.raises(Refused, match="larger than 1 MB"):
            await reads.download_tarball(COMMIT, target)
    assert list(target.parent.iterdir()) == []
