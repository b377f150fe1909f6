"""Puts together what a check's command finds: the candidate's files, the inputs, its own files.

Each under a name that tells no arm, since a process in a sandbox can read where its mounts
come from.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from jobs.checks.check import Check
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.sessions.box import Bind


def stage_check_files(snapshot: Snapshot, checks: Iterable[Check], target: Path) -> None:
    """Copy the files that commands name into the new folder `target`, where they find them.

    Blocks. Raises `Refused` where one is no file of this commit any more.
    """
    target.mkdir()
    for file in (file for check in checks for file in check.files):
        real = snapshot.find_file(file.source)
        if real is None:
            raise Refused(f"`{file.source}` is no file at commit {snapshot.commit[:12]}.")
        copy = target / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(real, copy)
        copy.chmod(0o755 if real.stat().st_mode & 0o111 else 0o644)


def lay_out(target: Path, *, output: Path, inputs: Path, files: Path) -> None:
    """Make the folder `target` with copies of all that a command finds: `output/`, `input/` …

    Readable by whomever the sandbox runs as. Blocks.
    """
    shutil.copytree(files, target)
    for name, source in (("output", output), ("input", inputs)):
        shutil.copytree(source, target / name)
    for path in (target, *target.rglob("*")):
        executable = path.is_dir() or path.stat().st_mode & 0o111
        path.chmod(0o755 if executable else 0o644)


def show(given: Path, work: Path) -> list[Bind]:
    """Binds that show what was laid out in the folder that a command starts in, to be read only.

    Their places are made in `work`, the empty folder behind it. Blocks.
    """
    binds = []
    for entry in sorted(given.iterdir()):
        place = work / entry.name
        if entry.is_dir():
            place.mkdir()
        else:
            place.touch()
        binds.append(Bind(entry, f"/box/{entry.name}"))
    return binds
