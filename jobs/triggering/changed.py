"""Which skills are described otherwise than before: what a push asks to be measured anew."""

from jobs.content.shelf import SkillShelf
from jobs.values import Skill


def find_changed_descriptions(before: SkillShelf, after: SkillShelf) -> tuple[Skill, ...]:
    """The skills that an agent is now told of in other words than before, by path.

    An agent is told name and description. A skill that only moved has not changed; a new one,
    and one that could not be read before, has.
    """
    known = {(skill.name, skill.description) for skill in before.skills}
    return tuple(skill for skill in after.skills if (skill.name, skill.description) not in known)
