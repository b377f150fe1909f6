"""Measuring and limiting process trees."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.memory_group import MemoryGroup
from jobs.sessions.usage import measure_disk, measure_processes, process_tree


async def test_a_tree_is_a_process_and_all_below_it():
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", "sleep 90 & sleep 90 & sleep 90 & echo ready; wait"),
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    await process.stdout.readline()
    tree = list(process_tree(process.pid))
    used = measure_processes(tree, sys.maxsize, sys.maxsize)
    os.killpg(process.pid, signal.SIGKILL)
    await process.communicate()
    assert len(tree) == 4
    assert used.tasks == 4
    assert used.memory_bytes > 4 * 4096


def test_counting_ends_soon_over_the_task_limit():
    def pids():
        yield os.getpid()
        yield os.getpid()
        pytest.fail("counted on")

    assert measure_processes(pids(), sys.maxsize, 1).tasks >= 2


def test_a_process_that_has_ended_uses_nothing():
    assert measure_processes([2**22 + 1], 0, 10).memory_bytes == 0
    assert list(process_tree(2**22 + 1)) == [2**22 + 1]


def test_disk_is_measured_by_what_is_taken_not_by_what_is_claimed(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    with (tmp_path / "hole").open("wb") as hole:
        hole.truncate(10**12)
    (tmp_path / "link").symlink_to("/")
    used = measure_disk([tmp_path], 10**9)
    assert 100_000 <= used < 1_000_000


def test_what_lies_too_deep_to_be_named_counts_as_too_much(tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(50):
        os.mkdir("d" * 200, dir_fd=fd)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    assert measure_disk([tmp_path], 10**9) > 10**9


def test_without_permission_there_is_no_memory_group(tmp_path):
    own = tmp_path / "own"
    for text in ("0::/user.slice\n", "4:memory:/user\n", "", "nonsense\n"[:0]):
        own.write_text(text)
        assert MemoryGroup.make(10**8, mount=tmp_path / "mount", own=own) is None
    assert MemoryGroup.make(10**8, mount=tmp_path, own=tmp_path / "missing") is None


async def test_where_a_memory_group_can_be_had_the_kernel_ends_the_job(workspace):
    group = MemoryGroup.make(10**8)
    if group is None:
        pytest.skip("no control group of our own can be had here")
    await group.remove()
    script = "x = bytearray(300 << 20); print('not held')"
    async with BubblewrapMaker().open(workspace.work, memory_mb=100) as box:
        result = await box.run(["python3", "-c", script], timeout_s=20)
        assert (result.killed_for, result.exit_code) == ("memory", 137)
        again = await box.run(["echo", "next"], timeout_s=20)
        assert again.output == b"next\n"
    left = list(group.path.parent.glob(f"skillbench-{os.getpid()}-*"))
    assert left == []


async def test_groups_of_workers_that_died_are_cleared_away(tmp_path):
    """As far as folders go: the files in them are the kernel's to make."""
    mount, own = tmp_path / "mount", tmp_path / "own"
    parent = mount / "memory" / "user"
    dead, alive = parent / "skillbench-4194305-aa", parent / f"skillbench-{os.getpid()}-bb"
    dead.mkdir(parents=True)
    alive.mkdir()
    own.write_text("4:memory:/user\n")
    group = MemoryGroup.make(10**8, mount=mount, own=own)
    assert group is not None
    assert sorted(path for path in parent.iterdir() if path != group.path) == [alive]
    assert (group.path / "memory.limit_in_bytes").read_text() == "100000000"
    assert group.count_kills() == 0
    Path(group.path / "memory.oom_control").write_text("under_oom 0\noom_kill 2\n")
    assert group.count_kills() == 2


def test_the_second_version_stands_beside_the_workers_own_group(tmp_path):
    mount, own = tmp_path / "mount", tmp_path / "own"
    (mount / "service" / "worker").mkdir(parents=True)
    (mount / "cgroup.controllers").write_text("cpu memory\n")
    (mount / "service" / "cgroup.subtree_control").write_text("cpu\n")
    own.write_text("0::/service/worker\n")
    group = MemoryGroup.make(10**8, mount=mount, own=own)
    assert group is not None
    assert group.path.parent == mount / "service"
    assert (mount / "service" / "cgroup.subtree_control").read_text() == "+memory"
    assert (group.path / "memory.max").read_text() == "100000000"
    assert (group.path / "memory.oom.group").read_text() == "1"
