"""Blobs on the web process's own disk: fetched once, bounded, and open for whoever reads them."""

import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.blobs import Blobs
from bot.web.run_cache import WebCache
from bot.web.run_parsed import ParsedResults
from tests.builders import a_result


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return Blobs((tmp_path / "blobs").as_uri())


def names(folder: Path) -> int:
    return len(list(folder.iterdir()))


async def take(cache: WebCache, key: str, blobs: Blobs) -> bytes:
    file = await cache.open(key, blobs)
    assert file is not None
    with file:
        return file.read()


async def test_a_blob_is_fetched_once_for_many_readers(blobs: Blobs, tmp_path: Path) -> None:
    cache = WebCache(tmp_path / "cache")
    await blobs.put("a/b", b"content")
    read = await asyncio.gather(*(take(cache, "a/b", blobs) for _ in range(8)))
    assert set(read) == {b"content"}
    assert names(tmp_path / "cache") == 1
    await blobs.delete("a/b")
    assert await take(cache, "a/b", blobs) == b"content"


async def test_what_is_not_stored_is_not_there(blobs: Blobs, tmp_path: Path) -> None:
    cache = WebCache(tmp_path / "cache")
    assert await cache.open("a/b", blobs) is None


async def test_what_was_used_longest_ago_goes_first(blobs: Blobs, tmp_path: Path) -> None:
    cache = WebCache(tmp_path / "cache", most_bytes=250)
    for name in ("a", "b", "c"):
        await blobs.put(name, name.encode() * 100)
    held = await cache.open("a", blobs)
    await take(cache, "b", blobs)
    await take(cache, "c", blobs)
    assert names(tmp_path / "cache") == 2
    assert held is not None
    with held:  # its name is gone, and it can still be read
        assert held.read() == b"a" * 100
    await blobs.delete("b")
    assert await take(cache, "b", blobs) == b"b" * 100


async def test_a_blob_larger_than_any_of_ours_leaves_nothing(blobs: Blobs, tmp_path: Path) -> None:
    cache = WebCache(tmp_path / "cache", largest=10)
    await blobs.put("a", b"x" * 11)
    with pytest.raises(ValueError, match="larger than 10 bytes"):
        await cache.open("a", blobs)
    assert names(tmp_path / "cache") == 0


def test_a_result_is_read_once_while_there_is_room() -> None:
    one, two = (a_result(judging=name).model_dump_json().encode() for name in ("one", "two"))
    parsed = ParsedResults(most_bytes=len(one) + 10)
    first = parsed.read(one)
    assert parsed.read(one) is first
    assert parsed.read(two).judging == "two"
    assert parsed.read(one) is not first
    assert parsed.read(one) == first
    assert ParsedResults(most_bytes=10).read(one) == first
    with pytest.raises(ValidationError):
        parsed.read(b"{}")
