"""The skills as a session finds them: each in a folder of its own, under its own name.

One folder is prepared for all sessions of a description and shown to each of them read-only,
so that no session sees another's copy and none can change what the next one reads. Eval sets
are no part of a skill and never get there.
"""

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.claude_code.installed_skill import (
    check_installable,
    folder_name,
    settle_front_matter,
)
from jobs.content.shelf import SkillShelf
from jobs.content.skills import SKILL_FILE, skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.staging import stage_skill
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.sessions.skill_tools import Offered
from jobs.triggering.front_matter import replace_description
from jobs.values import Skill

MOST_NEIGHBOURS = 100
"""Skills beside the one under test; agents are shown no longer lists than that in one place."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A skill as an agent is told of it."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Skills that stand ready to be shown to sessions."""

    folder: Path
    """Holds one folder for each skill, called by its name."""
    skill: Listed
    """The one under test, with the description that is tried."""
    neighbours: tuple[Listed, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def offered(self) -> tuple[Offered, ...]:
        """The skills as a session is offered them, by name."""
        skills = sorted((self.skill, *self.neighbours), key=lambda one: one.name)
        return tuple(Offered(one.name, one.description, self.folder / one.name) for one in skills)

    @property
    def digest(self) -> str:
        """Tells one description under test from another: 16 hexadecimal digits."""
        return hashlib.sha256(self.skill.description.encode()).hexdigest()[:16]


def find_neighbours(shelf: SkillShelf, skill: Skill) -> tuple[Skill, ...]:
    """The repository's other skills that an agent would be offered beside this one.

    Skills inside the skill itself are part of it. Raises `Refused` where another skill bears
    the same name: an agent could not tell which one was meant.
    """
    own = folder_name(skill).lower()
    inside = f"{skill.path}/"
    others = [
        one
        for one in shelf.skills
        if one.path != skill.path and not one.path.startswith(inside) and one.description
    ]
    for one in others:
        if folder_name(one).lower() == own:
            raise Refused(
                f"two skills are called {quoted(skill.name)}: {quoted(skill.path)} and "
                f"{quoted(one.path)}. Rename one, or try this one alone with `--alone`."
            )
    return tuple(others)


def install_skills(
    snapshot: Snapshot,
    skill: Skill,
    neighbours: Sequence[Skill],
    folder: Path,
    *,
    description: str = "",
) -> Installed:
    """Prepare the skills in the new folder `folder`, the one under test with `description`.

    Blocks. Raises `Refused` where the skill cannot be installed or described so. Of two
    neighbours with one name the first is kept, as the remarks say.
    """
    check_installable(skill)
    folder.mkdir(parents=True)
    taken = {folder_name(skill).lower()}
    own = folder / folder_name(skill)
    stage_skill(snapshot, skill, own, ())
    if description:
        own_file = own / SKILL_FILE
        changed = replace_description(
            own_file.read_bytes(), description, skill_path(skill.path, SKILL_FILE)
        )
        own_file.write_bytes(changed)
    settle_front_matter(own / SKILL_FILE)
    remarks, listed = [], []
    for one in neighbours[:MOST_NEIGHBOURS]:
        name = folder_name(one)
        if name.lower() in taken:
            remarks.append(f"{quoted(one.path)} was left out: another skill has its name.")
            continue
        taken.add(name.lower())
        try:
            check_installable(one)
            stage_skill(snapshot, one, folder / name, ())
            settle_front_matter(folder / name / SKILL_FILE)
        except Refused as problem:
            shutil.rmtree(folder / name, ignore_errors=True)
            remarks.append(f"{quoted(one.path)} was left out: {problem}")
        else:
            listed.append(Listed(name, one.description))
    if unlisted := neighbours[MOST_NEIGHBOURS:]:
        remarks.append(f"{len(unlisted)} more skills of the repository were left out.")
    return Installed(
        folder=folder,
        skill=Listed(folder_name(skill), description or skill.description),
        neighbours=tuple(listed),
        remarks=tuple(remarks),
    )
