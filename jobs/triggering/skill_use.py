"""Which skills a session has used: by the tool `Skill`, or by reading their files.

Looks at every call of a whole session, since agents look around before they decide; a call
that failed is no use.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.claude_code.events import Call
from jobs.claude_code.installed_skill import SkillWatch
from jobs.content.skills import SKILL_FILE
from jobs.sessions.skill_tools import FOLDER
from jobs.triggering.installed import Installed


def make_watches(installed: Installed) -> dict[str, SkillWatch]:
    """One watch for each skill, by its name. Reads their SKILL.md, so it blocks."""
    watches = {}
    for listed in (installed.skill, *installed.neighbours):
        text = (installed.folder / listed.name / SKILL_FILE).read_text("utf-8", "replace")
        watches[listed.name] = SkillWatch.make({listed.name}, f"{FOLDER}/{listed.name}", text)
    return watches


@dataclass(slots=True)
class SkillUse:
    """What a session has used so far."""

    own: str
    """The skill under test."""
    watches: dict[str, SkillWatch]
    noticed: Callable[[], None] = lambda: None
    """Called once, when the skill under test is used."""
    fired: bool = False
    others: list[str] = field(default_factory=list)

    def take(self, call: Call, answer: str) -> bool:
        """Take a call that worked, with its answer; whether it has used the skill under test."""
        used = [name for name, watch in self.watches.items() if watch.sees(call, answer)]
        self.others += [name for name in used if name != self.own and name not in self.others]
        if self.own in used and not self.fired:
            self.fired = True
            self.noticed()
        return self.own in used
