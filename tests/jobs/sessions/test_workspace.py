"""A session's folder on the host."""

import os
from pathlib import Path

from jobs.sessions.workspace import Workspace, remove_tree


def test_a_workspace_is_fresh_and_closed_to_others(tmp_path):
    first, second = Workspace.make(tmp_path), Workspace.make(tmp_path)
    assert first.root != second.root
    assert first.root.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in first.work.iterdir()) == ["input", "output"]
    assert not first.skill.exists()


def test_the_parent_is_made_as_needed(tmp_path):
    assert Workspace.make(tmp_path / "not" / "there").output.is_dir()


async def test_removal_handles_whatever_a_session_left(tmp_path):
    workspace = Workspace.make(tmp_path)
    closed = workspace.output / "closed"
    (closed / "inner").mkdir(parents=True)
    (closed / "inner" / "file").touch()
    (closed / "inner").chmod(0o000)
    closed.chmod(0o000)
    os.mkfifo(workspace.output / "fifo")
    await workspace.remove()
    assert list(tmp_path.iterdir()) == []
    await workspace.remove()


def test_a_tree_deeper_than_any_path_is_removed(tmp_path):
    root = tmp_path / "deep"
    root.mkdir()
    fd = os.open(root, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)
    remove_tree(root)
    assert list(tmp_path.iterdir()) == []


def test_removal_does_not_follow_links(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(kept)
    remove_tree(root)
    assert [path.name for path in Path(kept).iterdir()] == ["file"]
