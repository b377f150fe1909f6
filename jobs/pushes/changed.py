"""Which skills a push changed: by their content, wherever they lie and however it came about.

A merge, a forced push, a rename and a push of many commits are all the same here: there is a
state before and a state after, and a skill has changed if its SHA was not there before.
"""

from jobs.content.shelf import SkillShelf
from jobs.pushes.plan import ChangedSkill


def find_changed_skills(before: SkillShelf, after: SkillShelf) -> tuple[ChangedSkill, ...]:
    """The skills whose very content no skill had before, by path.

    One that only moved has not changed, one that is gone is not there to be measured. A skill
    that holds another one changes with it, since its SHA covers it. Two that cannot be told
    apart by path and content are one.
    """
    known = {skill.sha for skill in before.skills}
    return tuple(
        ChangedSkill(path=skill.path, name=skill.name, sha=skill.sha)
        for skill in sorted(after.skills, key=lambda skill: skill.path)
        if skill.sha not in known
    )
