"""Finds Claude Code on the worker's machine: the program itself, not a script around it.

The native program needs neither Node nor anything else of the host, so it is the one file
that a sandbox has to be shown. npm puts a small script in its place on PATH where it must
not run install scripts; then the native program lies in the package beside it.
"""

import platform
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from jobs.errors import Refused

OLDEST = (2, 1, 197)
"""The version that the tests run; older ones lack switches that keep the arms alike."""
_INSTALL = (
    f"install version {'.'.join(map(str, OLDEST))} or newer with `npm install -g "
    "@anthropic-ai/claude-code`, and name its program in SKILLBENCH_CLAUDE_BINARY where it is "
    "not on PATH"
)
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_ELF = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class ClaudeCli:
    """The native program of Claude Code."""

    binary: Path

    @classmethod
    def find(
        cls, setting: str = "", *, find_program: Callable[[str], str | None] = shutil.which
    ) -> Self:
        """The program that the setting names, else the one on PATH.

        Looks at files only; whether it runs is for a sandbox to show. Raises `Refused` with
        what to install.
        """
        named = setting or find_program("claude")
        if not named:
            raise Refused(f"Claude Code is not installed: {_INSTALL}.")
        start = Path(named).expanduser()
        if not start.is_file():
            raise Refused(f"Claude Code is not at {named}: {_INSTALL}.")
        for path in _candidates(start.resolve()):
            if _is_native(path):
                return cls(path)
        raise Refused(
            f"{named} is a script, and the native program of Claude Code lies nowhere beside it: "
            f"{_INSTALL}."
        )


def find_version_problem(version: str) -> str | None:
    """Why a version (`2.1.197` or `2.1.197 (Claude Code)`) cannot be used; None if it can."""
    needed = ".".join(str(part) for part in OLDEST)
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", version.strip())
    if numbers is None:
        return f"Claude Code does not tell its version: {needed} or newer is needed."
    if tuple(int(part) for part in numbers.groups()) < OLDEST:
        return f"Claude Code {numbers[0]} is too old: {needed} or newer is needed."
    return None


def _candidates(start: Path) -> Iterator[Path]:
    """Where the native program may be, if `start` is what stands on PATH."""
    yield start
    machine = _MACHINES.get(platform.machine().lower(), "x64")
    for folder in start.parents:
        for scope in (folder, folder / "node_modules" / "@anthropic-ai"):
            for suffix in ("", "-musl"):
                yield scope / f"claude-code-linux-{machine}{suffix}" / "claude"


def _is_native(path: Path) -> bool:
    try:
        with path.open("rb") as program:
            return program.read(len(_ELF)) == _ELF
    except OSError:
        return False
