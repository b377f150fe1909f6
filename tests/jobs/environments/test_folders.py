"""Prepared folders on disk: whole or not there, and gone when nobody wants them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs.environments.folders import UNUSED_FOR, Folders

DIGEST = "a" * 64
OTHER = "b" * 64

CLAIMING = """
import asyncio, sys
from pathlib import Path
from jobs.environments.folders import Folders

async def main():
    async with Folders(Path(sys.argv[1])).building() as building:
        (building / "half").write_text("built")
        print("building", flush=True)
        sys.stdin.read()

asyncio.run(main())
"""


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path / "environments")


async def build(folders: Folders, digest: str = DIGEST, text: str = "built") -> str:
    """Keep a folder with one file; gives the digest of its content."""
    async with folders.building() as building:
        built = building / "built"
        built.mkdir()
        (built / "file").write_text(text)
        return folders.keep(digest, built, building).content


async def test_what_was_kept_is_found_with_the_digest_of_its_content(folders, tmp_path):
    assert folders.find(DIGEST) is None
    content = await build(folders)
    found = folders.find(DIGEST)
    assert found is not None
    assert found.content == content
    assert (found.path / "file").read_text() == "built"
    assert [path.name for path in (tmp_path / "environments").iterdir()] == [DIGEST]


async def test_of_two_that_build_the_same_the_first_ones_stays(folders):
    """Sessions may be at work in it."""
    first = await build(folders, text="first")
    assert await build(folders, text="second") == first


async def test_the_content_decides_the_digest_not_the_time(folders, tmp_path):
    content = await build(folders)
    assert await build(Folders(tmp_path / "elsewhere")) == content
    assert await build(folders, OTHER, "something else") != content


async def test_a_digest_is_a_digest(folders):
    """It becomes the name of a folder."""
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        folders.find("../../etc")


async def test_only_what_was_long_unused_is_swept(folders):
    await build(folders)
    await build(folders, OTHER)
    record = folders._root / OTHER / "record.json"
    long_ago = time.time() - UNUSED_FOR.total_seconds() - 60
    os.utime(record, (long_ago, long_ago))
    folders.sweep()
    assert [path.name for path in folders._root.iterdir()] == [DIGEST]


async def test_to_be_found_is_to_be_used(folders):
    await build(folders)
    record = folders._root / DIGEST / "record.json"
    long_ago = time.time() - UNUSED_FOR.total_seconds() - 60
    os.utime(record, (long_ago, long_ago))
    assert folders.find(DIGEST) is not None
    folders.sweep()
    assert folders.find(DIGEST) is not None


def test_what_a_killed_process_was_building_is_swept_and_a_living_ones_is_not(folders):
    """Kill -9 leaves a half-built folder, which nobody ever finds; its lock tells."""
    root = folders._root
    with subprocess.Popen(
        [sys.executable, "-c", CLAIMING, str(root)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"building\n"
        folders.sweep()
        assert [path.name[:9] for path in root.iterdir()] == ["building-"]
        assert folders.find(DIGEST) is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        folders.sweep()
    assert list(root.iterdir()) == []


def test_sweeping_where_nothing_was_ever_prepared_is_no_error(folders):
    folders.sweep()
    assert not folders._root.exists()
