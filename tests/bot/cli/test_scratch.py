"""What a killed process leaves on the disk is swept up by the next, and nothing else is."""

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.cli.scratch import LOCK, PREFIX, scratch_folder, sweep

HOLDER = """
import time
from bot.cli.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("left")
    (folder / "deep").chmod(0)
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_a_folder_is_gone_when_its_process_has_ended(temporary: Path) -> None:
    with scratch_folder() as folder:
        (folder / "something").write_text("of ours")
        assert folder.parent == temporary
    assert list(temporary.iterdir()) == []


def test_a_killed_process_leaves_a_folder_that_the_next_one_removes(temporary: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        left = Path(holder.stdout.readline().strip())
        with scratch_folder():
            assert left.exists()  # its owner lives
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert left.exists()
        with scratch_folder():
            assert not left.exists()
    finally:
        holder.kill()
        holder.communicate()


def test_only_folders_of_ours_are_swept(temporary: Path) -> None:
    """Neither one that is just being made, nor one that a link names, nor anybody else's."""
    being_made = temporary / f"{PREFIX}new"
    being_made.mkdir()
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (temporary / f"{PREFIX}link").symlink_to(elsewhere)
    sweep(temporary)
    assert being_made.exists()
    assert (elsewhere / LOCK).exists()
