"""The tools of a session that may find skills, for models that have no program of their own.

The five tools of every session and a `Skill` tool that gives a skill's SKILL.md, as Claude
Code has one; which skills there are stands in the system prompt, name and description alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from jobs.claude_code.events import Call
from jobs.content.skill_file import parse_skill_file
from jobs.content.skills import SKILL_FILE
from jobs.conversation import Tool, ToolOutcome
from jobs.sessions.task import SYSTEM
from jobs.sessions.tools import MAX_TEXT, SessionTools
from jobs.triggering.installed import Installed, Listed
from jobs.triggering.skill_use import FOLDER, SkillUse

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


def render_system(installed: Installed) -> str:
    """What a session is told before the query: the rules, and which skills there are."""
    listed = sorted((installed.skill, *installed.neighbours), key=lambda one: one.name)
    skills = "\n".join(f"- {one.name}: {_on_one_line(one)}" for one in listed)
    return (
        f"{SYSTEM}\n\nSkills are at hand, instructions for tasks of certain kinds. The tool Skill "
        f"gives one by its name:\n{skills}"
    )


@dataclass(slots=True)
class SkillTools:
    """Tools and skills of one session (a `jobs.conversation.ToolBox`)."""

    session: SessionTools
    installed: Installed
    use: SkillUse
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
            self.use.take(Call(id="", name=name, arguments=arguments), outcome.text)
        return outcome

    def _give_skill(self, arguments: dict[str, object]) -> ToolOutcome:
        wanted = str(arguments.get("skill", "")).lstrip("/")
        names = [one.name for one in (self.installed.skill, *self.installed.neighbours)]
        if wanted not in names:
            return ToolOutcome(
                f"There is no skill {wanted!r}. There are {', '.join(names)}.", failed=True
            )
        content = (self.installed.folder / wanted / SKILL_FILE).read_bytes()
        text = parse_skill_file(content, SKILL_FILE, wanted).text[:MAX_TEXT]
        return ToolOutcome(f"The skill lies in {FOLDER}/{wanted}/.\n\n{text}")


def _on_one_line(skill: Listed) -> str:
    return " ".join(skill.description.split())
