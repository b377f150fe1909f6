"""The folder on the host that becomes one session's working folder.

It is made fresh for every session, readable by its owner alone, and removed afterwards
whatever the session did to it (folders without permissions, trees thousands deep). Its
path names no arm, since a process can read the source of its mounts: the name is drawn
at random, and the parent that a caller passes must be as neutral.
"""

import asyncio
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Workspace:
    """A session's folder on the host; `work` is what the session sees as `/box`."""

    root: Path

    @classmethod
    def make(cls, parent: Path) -> Self:
        """A new workspace below `parent`, with empty `input/` and `output/` in its `work/`."""
        root = parent / f"session-{secrets.token_hex(6)}"
        root.mkdir(parents=True, mode=0o700)
        workspace = cls(root.resolve())
        for folder in (workspace.input, workspace.output):
            folder.mkdir(parents=True)
        return workspace

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def input(self) -> Path:
        return self.work / "input"

    @property
    def output(self) -> Path:
        return self.work / "output"

    @property
    def skill(self) -> Path:
        """Where the skill is staged; it exists only in the arm that has one."""
        return self.work / "skill"

    @property
    def collected(self) -> Path:
        """Where the outputs are copied to: outside of what the session can reach."""
        return self.root / "collected"

    @property
    def transcript(self) -> Path:
        return self.root / "transcript.jsonl"

    async def remove(self) -> None:
        """Delete everything; a workspace that is gone already is no error."""
        await asyncio.to_thread(remove_tree, self.root)


def remove_tree(root: Path) -> None:
    """Delete a folder that untrusted code has written; links in it are not followed.

    `shutil` gives up on folders without permissions and on trees deeper than Python's
    recursion limit; the system's own `chmod` and `rm` handle both.
    """
    try:
        shutil.rmtree(root)
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run(  # noqa: S603
                [*command, "--", str(root)], check=False, capture_output=True
            )
