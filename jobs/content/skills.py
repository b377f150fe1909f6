"""Finds the skills of a commit.

The rule of nesting: every folder with a SKILL.md is a skill, wherever it stands, also inside
another skill. The files of an inner skill belong to the outer one too, so a change in it
changes both SHAs. Not looked into: version control, caches, and the `evals/` of a skill. A
linked folder is no skill of its own but another way to the one it leads to.
"""

import os
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from config.repo_file import RepoFile
from jobs.content.repo_file import SkillPlaces, load_repo_file
from jobs.content.sha import legacy_sha, skill_sha
from jobs.content.shelf import SkillShelf
from jobs.content.skill_file import SkillText, parse_skill_file
from jobs.content.skill_tree import EVALS_FOLDER, SkillFile, list_skill_files
from jobs.content.snapshot import IGNORED_FOLDERS, Snapshot
from jobs.content.text import listed, quoted
from jobs.errors import Refused
from jobs.values import Skill

SKILL_FILE = "SKILL.md"
MAX_ALIASES = 10_000
"""Links to folders full of skills multiply; nobody writes that many names."""
ROOT = "."
"""The path of a skill whose SKILL.md stands at the root of the repository."""


def find_skills(snapshot: Snapshot, repo_file: RepoFile | None = None) -> SkillShelf:
    """All skills of a commit, by path; one that cannot be read takes no other down.

    `repo_file` says which folders are taken; None: the commit's own file. Raises `Refused` where
    that cannot be used.
    """
    repo_file = repo_file or load_repo_file(snapshot)
    taken = SkillPlaces(repo_file.skills.globs, repo_file.skills.excludes)
    places = _Places(snapshot, taken)
    places.look()
    skills: list[Skill] = []
    broken: dict[str, str] = {
        path: f"its file is called {quoted(name)}; rename it to `{SKILL_FILE}`."
        for path, name in places.misnamed.items()
    }
    for path in sorted(places.found):
        try:
            skills.append(_load_skill(snapshot, path))
        except Refused as error:
            broken[path] = str(error)
    aliases = _aliases([*places.found, *broken], places.links)
    return SkillShelf(
        snapshot, tuple(_with_clashes(skills)), broken, aliases, repo_file.evals.globs
    )


def skill_path(folder: str, name: str) -> str:
    """The repository path of a file in a skill's folder."""
    return name if folder == ROOT else f"{folder}/{name}"


def read_skill_text(snapshot: Snapshot, folder: str) -> SkillText:
    """What the SKILL.md in a folder says. Raises `Refused` if it cannot be read."""
    path = skill_path(folder, SKILL_FILE)
    basename = snapshot.name if folder == ROOT else folder.rpartition("/")[2]
    return parse_skill_file(snapshot.read_bytes(path), path, basename)


def _load_skill(snapshot: Snapshot, path: str) -> Skill:
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Refused("the name of its folder is not UTF-8.") from None
    text = read_skill_text(snapshot, path)
    files: list[SkillFile] = list_skill_files(snapshot, path)
    return Skill(
        path=path,
        name=text.name,
        description=text.description,
        sha=skill_sha(files),
        legacy_sha=legacy_sha(snapshot, path),
        size_bytes=sum(file.size_bytes for file in files),
        warnings=text.warnings,
        for_people_only=text.for_people_only,
    )


@dataclass(slots=True)
class _Places:
    """Where SKILL.md files and linked folders stand in the tree."""

    snapshot: Snapshot
    taken: SkillPlaces
    found: list[str] = field(default_factory=list)
    misnamed: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def look(self) -> None:
        waiting = [("", False)]
        while waiting:
            folder, in_skill = waiting.pop()
            with os.scandir(self.snapshot.root / folder) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
            in_skill = self._note_skill(folder, entries) or in_skill
            for entry in entries:
                if entry.name in IGNORED_FOLDERS or (in_skill and entry.name == EVALS_FOLDER):
                    continue
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_symlink():
                    self._note_link(path)
                elif entry.is_dir():
                    waiting.append((path, in_skill))

    def _note_skill(self, folder: str, entries: "list[os.DirEntry[str]]") -> bool:
        names = [entry.name for entry in entries if entry.name.lower() == SKILL_FILE.lower()]
        if names and not self.taken.take(folder or ROOT):
            return False
        files = [name for name in names if self.snapshot.find_file(skill_path(folder, name))]
        if SKILL_FILE in files:
            self.found.append(folder or ROOT)
        elif files:
            self.misnamed[folder or ROOT] = files[0]
        return SKILL_FILE in files

    def _note_link(self, path: str) -> None:
        real = self.snapshot.resolve(path)
        if real is not None and real.is_dir() and real != self.snapshot.root:
            self.links[path] = self.snapshot.path_of(Path(real))


def _aliases(paths: list[str], links: dict[str, str]) -> dict[str, str]:
    """Every way through one linked folder to a skill, as far as `MAX_ALIASES` goes."""
    ordered = sorted(paths)
    aliases: dict[str, str] = {}
    for link, target in links.items():
        if target in ordered[(at := bisect_left(ordered, target)) : at + 1]:
            aliases[link] = target
        at = bisect_left(ordered, f"{target}/")
        while at < len(ordered) and ordered[at].startswith(f"{target}/"):
            aliases[link + ordered[at][len(target) :]] = ordered[at]
            at += 1
            if len(aliases) >= MAX_ALIASES:
                return aliases
    return aliases


def _with_clashes(skills: list[Skill]) -> list[Skill]:
    """The skills, those that share a name with others warned about it."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for skill in skills:
        by_name[skill.name].append(skill.path)
    return [
        skill
        if len(by_name[skill.name]) == 1
        else skill.model_copy(
            update={
                "warnings": (
                    *skill.warnings,
                    (
                        f"The name {quoted(skill.name)} is borne by "
                        f"{listed(by_name[skill.name])}; name this skill by its path."
                    ),
                )
            }
        )
        for skill in skills
    ]
