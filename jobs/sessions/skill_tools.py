"""The tools of a session that may find skills by itself, for models without a program of their own.

The five tools of every session and a `Skill` tool that gives a skill's SKILL.md, as Claude
Code has one; which skills there are stands in the system prompt, name and description alone.
A SKILL.md is read where no session can have changed it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.claude_code.events import Call
from jobs.content.skill_file import parse_skill_file
from jobs.content.skills import SKILL_FILE
from jobs.conversation import Tool, ToolOutcome
from jobs.sessions.tool_arguments import ARGUMENTS
from jobs.sessions.tools import MAX_TEXT, SessionTools
from jobs.values import Mode

FOLDER = ".claude/skills"
"""Where skills lie, relative to a session's working folder."""

_SKILL = Tool(
    name="Skill",
    description=(
        "Use a skill: its instructions are given back, and are to be followed from then on. Use "
        "one when its description fits what was asked, before beginning."
    ),
    parameters={
        "type": "object",
        "properties": {"skill": {"type": "string", "description": "The skill's name."}},
        "required": ["skill"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class Offered:
    """A skill that a session may use."""

    name: str
    description: str
    folder: Path
    """Holds its SKILL.md, out of the session's reach."""


def name_tools(mode: Mode) -> tuple[str, ...]:
    """The tools of every session in a mode, in either arm."""
    return (*ARGUMENTS, _SKILL.name) if mode == "installed" else tuple(ARGUMENTS)


def render_skills(offered: Sequence[Offered]) -> str:
    """What a session is told of the skills it may use; also where there is none."""
    rule = (
        "Skills are instructions for tasks of certain kinds; the tool Skill gives one by its "
        "name. At hand"
    )
    if not offered:
        return f"{rule} is none."
    listed = "\n".join(f"- {one.name}: {' '.join(one.description.split())}" for one in offered)
    return f"{rule}:\n{listed}"


@dataclass(slots=True)
class SkillTools:
    """Tools and skills of one session (a `jobs.conversation.ToolBox`)."""

    session: SessionTools
    offered: Sequence[Offered]
    notice: Callable[[Call, str], object]
    """Told of every call that worked, with its answer."""
    tools: Sequence[Tool] = field(init=False)

    def __post_init__(self) -> None:
        self.tools = (*self.session.tools, _SKILL)

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        """Carry out one call; whatever goes wrong is told in the answer."""
        if name == _SKILL.name:
            outcome = self._give_skill(arguments)
        else:
            outcome = await self.session.call(name, arguments)
        if not outcome.failed:
            self.notice(Call(id="", name=name, arguments=arguments), outcome.text)
        return outcome

    def _give_skill(self, arguments: dict[str, object]) -> ToolOutcome:
        wanted = str(arguments.get("skill", "")).lstrip("/")
        found = next((one for one in self.offered if one.name == wanted), None)
        if found is None:
            names = ", ".join(one.name for one in self.offered)
            there = f"There are {names}." if names else "No skill is at hand."
            return ToolOutcome(f"There is no skill {wanted!r}. {there}", failed=True)
        content = (found.folder / SKILL_FILE).read_bytes()
        text = parse_skill_file(content, SKILL_FILE, wanted).text[:MAX_TEXT]
        return ToolOutcome(f"The skill lies in {FOLDER}/{wanted}/.\n\n{text}")
