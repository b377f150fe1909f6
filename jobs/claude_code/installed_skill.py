"""A skill where Claude Code finds skills: `.claude/skills/<name>/` in the working folder.

Refuses, before anything is spent, a skill that could not be told from something of Claude
Code's own or that no agent would be offered. What is installed is a copy, whole and as it
is, but for what hides its front matter from Claude Code: a mark or blank lines above it, and
carriage returns in it.
"""

import posixpath
import re
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from jobs.claude_code.events import Call
from jobs.content.skills import SKILL_FILE
from jobs.errors import Refused
from jobs.values import Skill

MAX_SKILL_BYTES = 30 * 1024 * 1024
"""The most that Anthropic's Skills API takes for one skill."""
TAKEN_NAMES = frozenset(
    {
        # skills that come with Claude Code 2.1
        "batch", "claude-api", "code-review", "debug", "deep-research", "fewer-permission-prompts",
        "loop", "run", "run-skill-generator", "simplify", "update-config", "verify",
        # its commands, which share one list of names with skills
        "clear", "compact", "config", "context", "goal", "heapdump", "init", "insights",
        "reload-skills", "review", "security-review", "team-onboarding", "usage",
    }
)  # fmt: skip
"""As Claude Code 2.1.197 lists them in the first event of a session without skills."""
_TELLTALE = 30
"""Characters: a shorter line may stand in any text."""
_FRONT_MATTER = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?P<front>---[ \t]*\r?\n(?:(?!---[ \t]*\r?$).*\r?\n)*---[ \t]*\r?$\n?)",
    re.MULTILINE,
)
_KEPT_FROM_PEOPLE = re.compile(rb"^user-invocable[ \t]*:[ \t]*[\"']?false\b", re.MULTILINE)
_OUTSIDE_NAMES = re.compile(r"[^\w.-]+")


def check_installable(skill: Skill, taken_names: Collection[str] = TAKEN_NAMES) -> None:
    """Whether sessions can be given a skill in mode `installed`.

    `taken_names` are those of the launcher's own skills and commands.

    Raises `Refused` with what to change.
    """
    name = folder_name(skill)
    if name.lower() in taken_names:
        raise Refused(
            f"The skill {skill.name!r} cannot be installed: Claude Code has a skill or command "
            f"of that name itself. Rename the skill."
        )
    if not skill.description:
        raise Refused(
            f"The skill {skill.name!r} cannot be installed: its SKILL.md has no description, so "
            "no agent would be told what it is for. Add a front matter with `name` and "
            "`description`."
        )
    if skill.for_people_only:
        raise Refused(
            f"The skill {skill.name!r} cannot be measured as installed: its front matter says "
            "`disable-model-invocation: true`, so no agent is offered it. Take that line out."
        )
    if skill.size_bytes > MAX_SKILL_BYTES:
        raise Refused(
            f"The skill {skill.name!r} cannot be installed: it has {skill.size_bytes:,} bytes, "
            f"and {MAX_SKILL_BYTES:,} is the most that a skill may have."
        )


def folder_name(skill: Skill) -> str:
    """The folder a skill is installed in, by which Claude Code lists it."""
    return _OUTSIDE_NAMES.sub("-", skill.name).strip("-.") or "skill"


def install_skill(source: Path, work: Path, name: str) -> None:
    """Copy a skill's folder to where the session in `work` discovers it. Blocks."""
    target = work / ".claude" / "skills" / name
    shutil.copytree(source, target)
    settle_front_matter(target / SKILL_FILE)


def find_unnamed(work: Path, names: Iterable[str]) -> frozenset[str]:
    """The installed skills that Claude Code offers to its model and names nowhere else. Blocks.

    A skill can keep itself from people's own list of commands; the first event of a session,
    which tells what was found, is made from that list.
    """
    unnamed = set()
    for name in names:
        with suppress(OSError):
            text = (work / ".claude" / "skills" / name / SKILL_FILE).read_bytes()
            if _KEPT_FROM_PEOPLE.search(text.partition(b"\n---")[0]):
                unnamed.add(name)
    return frozenset(unnamed)


def settle_front_matter(skill_file: Path) -> None:
    """Have the front matter of an installed file begin with the file, and its lines end plainly.

    Claude Code 2.1 looks for it in the first bytes, and else lists the skill as `---`; with a
    carriage return in it, it gives a colon in a description up that it else would read.
    """
    content = skill_file.read_bytes()
    if found := _FRONT_MATTER.match(content):
        plain = found["front"].replace(b"\r\n", b"\n")
        skill_file.write_bytes(plain + content[found.end() :])


@dataclass(frozen=True, slots=True)
class SkillWatch:
    """Tells from a tool call and its answer whether the skill was read."""

    names: frozenset[str]
    """By which the tool `Skill` knows it."""
    folder: str
    """Where it lies, relative to the working folder."""
    telltale: str
    """A line that nothing but its SKILL.md holds; empty if it has none that is long enough."""

    @classmethod
    def make(cls, names: Iterable[str], folder: str, text: str) -> Self:
        """Watch for the skill in `folder`, called by any of `names`, whose SKILL.md says `text`."""
        line = max((line.strip() for line in text.splitlines()), key=len, default="")
        telltale = line if len(line) >= _TELLTALE else ""
        return cls(frozenset(names), folder, telltale)

    def sees(self, call: Call, answer: str) -> bool:
        """Whether a call that worked has read the skill.

        By the tool `Skill`, by reading a file of it, or by a command that names such a file
        or shows what stands in SKILL.md, which is all that can be known of a shell.
        """
        words = call.arguments
        if call.name == "Skill":
            return str(words.get("skill", "")).lstrip("/") in self.names
        if call.name == "Read":
            path = str(words.get("file_path", "")).removeprefix("/box/")
            return posixpath.normpath(path).startswith(f"{self.folder}/")
        if call.name == "Bash":
            named = rf"(?<![\w./-])(?:\./|/box/)?{re.escape(self.folder)}/[\w./-]"
            shown = self.telltale and self.telltale in answer
            return bool(shown or re.search(named, str(words.get("command", ""))))
        return False
