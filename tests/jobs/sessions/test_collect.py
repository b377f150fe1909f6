"""Collecting `output/`: everything that is a file, nothing that is not, nothing from outside."""

import asyncio
import hashlib
import os
import socket
import threading
from pathlib import Path

import pytest

from jobs.sessions.collect import MAX_DEPTH, MAX_ENTRIES, collect_output


@pytest.fixture
def output(tmp_path: Path) -> Path:
    output = tmp_path / "work" / "output"
    output.mkdir(parents=True)
    return output


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "collected"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


async def test_files_are_copied_with_size_and_digest_in_the_order_of_their_paths(output, target):
    files = {"b.txt": b"b", "a/z.bin": b"\0\xff", "B.txt": b"", "a.txt": b"text"}
    for name, content in files.items():
        (output / name).parent.mkdir(exist_ok=True)
        (output / name).write_bytes(content)
    collected = await collect_output(output, target)
    assert [file.path for file in collected.files] == ["B.txt", "a.txt", "a/z.bin", "b.txt"]
    assert tree(target) == files
    for file in collected.files:
        assert file.size_bytes == len(files[file.path])
        assert file.sha256 == hashlib.sha256(files[file.path]).hexdigest()
    assert collected.left_out == ()


@pytest.mark.parametrize(
    "name", ["Übersicht ↔ v1.md", "-rf", "a\nb.txt", "x|y.md", "n" * 255, "…", "a\\b", " ", "CON"]
)
async def test_odd_names_are_kept(output, target, name):
    (output / name).write_text("x")
    collected = await collect_output(output, target)
    assert [file.path for file in collected.files] == [name]
    assert tree(target) == {name: b"x"}


async def test_names_that_are_not_utf_8_are_kept_readable_and_apart(output, target):
    folder = os.fsencode(output)
    names = [b"caf\xe9.txt", rb"caf\xe9.txt", b"\xff" * 255, b"\xfe" * 255]
    for name in names:
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(name)
    collected = await collect_output(output, target)
    paths = [file.path for file in collected.files]
    assert len(set(paths)) == 4
    assert rb"caf\xe9.txt".decode() in paths
    assert all(len(path.encode()) <= 255 for path in paths)
    assert sorted(tree(target).values()) == sorted(names)


async def test_links_and_special_files_are_left_out_and_named(output, target, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("host only")
    (output / "kept.md").write_text("kept")
    (output / "report.md").symlink_to(secret)
    (output / "hop").symlink_to("/proc/self")
    (output / "inside").symlink_to("kept.md")
    (output / "dangling").symlink_to("nowhere")
    (output / "loop").symlink_to("loop")
    os.link(secret, output / "hard")
    os.mkfifo(output / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(output / "socket"))
        async with asyncio.timeout(5):
            collected = await collect_output(output, target)
    assert tree(target) == {"kept.md": b"kept"}
    assert collected.left_out == (
        "dangling: a link",
        "fifo: a fifo",
        "hard: a hard link",
        "hop: a link",
        "inside: a link",
        "loop: a link",
        "report.md: a link",
        "socket: a socket",
    )


@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file", "missing"])
async def test_an_output_that_is_no_folder_gives_nothing(output, target, tmp_path, kind):
    output.rmdir()
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "secret").write_text("host only")
    if kind == "file":
        output.write_text("x")
    elif kind != "missing":
        output.symlink_to(tmp_path / ("host" if "folder" in kind else "nowhere"))
    collected = await collect_output(output, target)
    assert collected.files == ()
    assert collected.left_out == (() if kind == "missing" else ("output: is no folder",))
    assert tree(target) == {}


async def test_swapping_folders_for_links_meanwhile_gives_nothing_from_outside(
    output, target, tmp_path
):
    """A race that only one of many tries would win, were links followed in any step."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(20):
        (outside / f"{number}").write_text("host only")
    folder, aside = output / "folder", output / "aside"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number}").write_text("own")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            folder.rename(aside)
            folder.symlink_to(outside)
            folder.unlink()
            aside.rename(folder)

    swapping = asyncio.create_task(asyncio.to_thread(swap))
    try:
        for number in range(30):
            copied = target.with_name(f"collected-{number}")
            await collect_output(output, copied)
            assert b"host only" not in tree(copied).values()
    finally:
        stop.set()
        await swapping


async def test_more_than_the_allowed_bytes_are_left_out_whole(output, target):
    (output / "a").write_bytes(b"a" * 60)
    (output / "b").write_bytes(b"b" * 60)
    (output / "c").write_bytes(b"c" * 40)
    collected = await collect_output(output, target, max_bytes=100)
    assert [file.path for file in collected.files] == ["a", "c"]
    assert collected.left_out == ("b: over the limit of 0 MB in all",)


async def test_a_file_with_a_huge_hole_is_not_read(output, target):
    with (output / "hole").open("wb") as hole:
        hole.truncate(10**12)
    async with asyncio.timeout(5):
        collected = await collect_output(output, target)
    assert collected.files == ()
    assert collected.left_out == ("hole: over the limit of 64 MB in all",)


async def test_a_file_that_grows_meanwhile_stays_within_the_limit(output, target):
    stop = threading.Event()

    def grow() -> None:
        with (output / "log").open("ab", buffering=0) as log:
            while not stop.is_set() and log.tell() < 200_000_000:
                log.write(b"x" * 1_000_000)

    (output / "log").touch()
    growing = asyncio.create_task(asyncio.to_thread(grow))
    try:
        async with asyncio.timeout(10):
            collected = await collect_output(output, target, max_bytes=5_000_000)
    finally:
        stop.set()
        await growing
    assert sum(file.size_bytes for file in collected.files) <= 5_000_000
    assert sum(len(content) for content in tree(target).values()) <= 5_000_000


async def test_more_than_the_allowed_files_are_left_out(output, target):
    for number in range(620):
        (output / f"{number:03}").touch()
    collected = await collect_output(output, target)
    assert len(collected.files) == 500
    assert collected.left_out[0] == "500: more than 500 files"
    assert collected.left_out[-1] == "20 more"
    assert len(collected.left_out) == 101


async def test_endless_entries_and_depth_are_bounded(output, target):
    deep = output
    for _ in range(MAX_DEPTH + 2):
        deep = deep / "d"
        deep.mkdir()
    (deep / "lost").touch()
    many = output / "many"
    many.mkdir()
    for number in range(MAX_ENTRIES + 5):
        (many / f"{number}").mkdir()
    collected = await collect_output(output, target)
    assert any("folders deep" in line for line in collected.left_out)
    assert any(f"more than {MAX_ENTRIES} entries" in line for line in collected.left_out)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_named(output, target):
    (output / "closed").touch(mode=0o000)
    (output / "folder").mkdir(mode=0o000)
    collected = await collect_output(output, target)
    assert collected.left_out == (
        "closed: could not be read (Permission denied)",
        "folder: could not be read (Permission denied)",
    )
    (output / "folder").chmod(0o700)


async def test_a_used_target_is_refused(output, target):
    target.mkdir()
    with pytest.raises(FileExistsError):
        await collect_output(output, target)


async def test_collecting_does_not_stall_the_loop_and_stops_with_its_caller(output, target):
    """Limits of other sessions have to fire on time meanwhile."""
    (output / "large").write_bytes(os.urandom(60_000_000))
    loop = asyncio.get_running_loop()
    delays: list[float] = []
    last = loop.time()

    def beat() -> None:
        nonlocal last
        delays.append(loop.time() - last)
        last = loop.time()
        handles.append(loop.call_later(0.01, beat))

    handles = [loop.call_soon(beat)]
    await collect_output(output, target)
    handles[-1].cancel()
    assert max(delays) < 0.5
    task = asyncio.create_task(collect_output(output, target.with_name("second")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_a_session_leaves_is_collected_through_the_real_sandbox(
    box, workspace, tmp_path
):
    secret = tmp_path / "secret"
    secret.write_text("host only")
    script = (
        "cd output; echo text > 'Übersicht ↔ v1.md'; echo r > ./-rf; echo n > 'a\nb.txt'; "
        f"ln -s '{secret}' report.md; ln -s /proc/self hop; ln ./-rf hard; mkfifo fifo"
    )
    result = await box.run(["sh", "-c", script], timeout_s=10)
    assert result.output == b""
    collected = await collect_output(workspace.output, workspace.collected)
    assert {file.path for file in collected.files} == {"a\nb.txt", "Übersicht ↔ v1.md"}
    assert len(collected.left_out) == 5
    assert b"host only" not in b"".join(tree(workspace.collected).values())
