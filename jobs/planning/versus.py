"""What the other arm of a run is given: no skill, another version of it, or the same once more.

Whatever somebody types is pinned to a skill SHA here, so that two names for one version are
one run. Decides only; reading a commit's files costs a download and no money.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.history import History
from jobs.values import Skill

MOST_LOOKED_AT = 8
"""Commits that are read to find a previous version: each is a download. Commits that changed
nothing but a skill's evals left its version as it is."""
FORMS = "`none`, `previous`, `self`, `main`, `@SHA` or `ref:NAME`"

_SHA = re.compile(r"@([0-9a-fA-F]{7,64})")
_REF = re.compile(r"ref:((?!/|.*\.\.)[^\s~^:?*\[\\]{1,200})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Where other versions are found."""

    history: History
    open: Callable[[str], Awaitable[Snapshot]]
    """The files of a commit."""
    head: str
    """The newest commit of the default branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Versus:
    """The other arm, pinned. The fields are those of a `RunSpec`; `note` is for the reader."""

    vs: str = "none"
    other: Skill | None = None
    other_commit: str = ""
    note: str = ""


class OtherVersions:
    """Finds the other version of each skill of a request, reading no commit twice."""

    def __init__(self, asked: str | None, versions: Versions | None) -> None:
        self._asked = (asked or "none").strip()
        self._versions = versions
        self._shelves: dict[str, SkillShelf] = {}

    async def find(self, skill: Skill, commit: str) -> Versus:
        """What a skill at a commit is compared with.

        Raises `Refused` for what stands for nothing, and for a version that is the skill's own.
        """
        word = self._asked.casefold()
        if word == "none":
            return Versus()
        if word == "self":
            return Versus(vs="self", other=skill, other_commit=commit)
        if self._versions is None:
            raise Refused("versions can only be compared where there is a repository on GitHub.")
        if word == "previous":
            return await self._find_previous(skill, commit, self._versions)
        there = await self._resolve(self._versions)
        other = await self._find_at(there, skill, self._versions)
        if other is None:
            return Versus(
                note=f"There is no skill {quoted(skill.path)} at {self._named(there)}, so it is "
                "compared with none."
            )
        if other.sha == skill.sha:
            raise Refused(
                f"there is nothing to compare: {quoted(skill.path)} at {self._named(there)} is the "
                "very same version. To see how much two runs of one version differ, ask for "
                "`--vs self`."
            )
        return _against(other, there)

    async def _find_previous(self, skill: Skill, commit: str, versions: Versions) -> Versus:
        """The last version before this one in the default branch's history."""
        commits = await versions.history.commits_of(
            skill.path, versions.head, most=MOST_LOOKED_AT + 2
        )
        # the newest of them made the version that stands at the head
        earlier = commits[1:] if commit == versions.head else commits
        for there in earlier[:MOST_LOOKED_AT]:
            other = await self._find_at(there, skill, versions)
            if other is None:
                break  # it was deleted or moved here: what lies before is another story
            if other.sha != skill.sha:
                return _against(other, there)
        else:
            if len(earlier) > MOST_LOOKED_AT:
                raise Refused(
                    f"the last {MOST_LOOKED_AT} changes of {quoted(skill.path)} left the skill as "
                    "it is, and I look no further back. Name the other version with `--vs @SHA`."
                )
        return Versus(
            note=f"There is no previous version of {quoted(skill.path)}, so it is compared with "
            "no skill."
        )

    async def _find_at(self, commit: str, skill: Skill, versions: Versions) -> Skill | None:
        """The skill in the same folder at another commit; None where there is none."""
        if commit not in self._shelves:
            snapshot = await versions.open(commit)
            self._shelves[commit] = await asyncio.to_thread(find_skills, snapshot)
        shelf = self._shelves[commit]
        if skill.path in shelf.broken:
            raise Refused(
                f"the skill {quoted(skill.path)} cannot be used at commit {quoted(commit[:12])}: "
                f"{shelf.broken[skill.path]}"
            )
        return next((one for one in shelf.skills if one.path == skill.path), None)

    async def _resolve(self, versions: Versions) -> str:
        """The commit that was asked for."""
        if self._asked.casefold() == "main":
            return versions.head
        found = _SHA.fullmatch(self._asked) or _REF.fullmatch(self._asked)
        if found is None:
            raise Refused(f"{quoted(self._asked)} is no version to compare with; write {FORMS}.")
        is_commit = self._asked.startswith("@")
        for name in (found[1],) if is_commit else _names_of(found[1]):
            if (commit := await versions.history.find_commit(name)) is not None:
                return commit
        kind = "commit" if is_commit else "branch and no tag"
        raise Refused(f"there is no {kind} {quoted(found[1])} in this repository.")

    def _named(self, commit: str) -> str:
        return f"{quoted(self._asked)} (commit {quoted(commit[:12])})"


def _names_of(ref: str) -> tuple[str, ...]:
    """What a branch or tag may be called in full, the branch first.

    GitHub takes any other ref as well. That of a pull request leads to what a fork holds just
    now, which nobody has looked at.
    """
    name = ref.removeprefix("refs/")
    if name.startswith(("heads/", "tags/")):
        return (name,)
    return (f"heads/{name}", f"tags/{name}") if name == ref else ()


def _against(other: Skill, commit: str) -> Versus:
    return Versus(vs=f"sha:{other.sha}", other=other, other_commit=commit)
