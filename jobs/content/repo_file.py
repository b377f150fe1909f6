"""The repository's own file as a commit has it, and what it says about skills and eval cases."""

import os
from dataclasses import dataclass

from config.repo_file import REPO_FILES, RepoFile, RepoFileError, parse_repo_file
from config.sections import listed
from config.yaml_lines import MAX_BYTES
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from jobs.sessions.glob_pattern import matches


def load_repo_file(snapshot: Snapshot) -> RepoFile:
    """The repository's own file at this commit; one that says nothing where there is none.

    A link, or what lies behind one, is no such file: handlers, who ask GitHub for it, follow none
    either. Raises `Refused`, listing what is wrong with it, or if there are two.
    """
    there = [path for path in REPO_FILES if _is_plain_file(snapshot, path)]
    if not there:
        return RepoFile()
    if len(there) > 1:
        raise Refused(f"There are both {listed(there)}; delete one of them.")
    try:
        return parse_repo_file(snapshot.read_bytes(there[0], MAX_BYTES), there[0])
    except RepoFileError as error:
        raise Refused(str(error)) from None


def _is_plain_file(snapshot: Snapshot, path: str) -> bool:
    place = os.path.realpath(snapshot.root / path)
    return place == os.path.join(os.path.realpath(snapshot.root), path) and os.path.isfile(place)  # noqa: PTH113, PTH118


@dataclass(frozen=True, slots=True)
class SkillPlaces:
    """Which folders are taken for skills."""

    globs: tuple[str, ...]
    excludes: tuple[str, ...]

    def take(self, folder: str) -> bool:
        """Whether a folder with a SKILL.md is a skill; `.` is the repository's root.

        An exclude takes what lies below a folder along.
        """
        parts = folder.split("/")
        above = ["/".join(parts[: count + 1]) for count in range(len(parts))]
        if any(matches(path, exclude) for exclude in self.excludes for path in above):
            return False
        return any(matches(folder, glob) for glob in self.globs)
