"""Looks through what the arm without a skill is going to be given, before anything is spent."""

from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.health.skill_free import SkillMark, find_attached, find_passage, is_instructions
from jobs.values import EvalCase


def check_baseline(mark: SkillMark, case: EvalCase, told: str) -> tuple[str, ...]:
    """Remarks on data files of the skill that the eval case attaches: both arms have them.

    `told` is the task text. Raises `Refused` where the task or an input would give the arm
    without a skill what the skill says, since the comparison would then be of nothing.
    """
    remarks = []
    for file, path in find_attached(mark, case.inputs):
        if is_instructions(path):
            raise Refused(
                f"the eval case attaches {quoted(file.source)}, which is the {quoted(path)} of the "
                f"skill {quoted(mark.name)}: the arm without the skill would be given it. Take it "
                "out of the attached files."
            )
        remarks.append(
            f"The input {quoted(file.source)} is the skill's {quoted(path)}, letter for letter: "
            "both arms had it, so the difference is that of the rest of the skill."
        )
    if passage := find_passage(mark.text, told):
        raise Refused(
            f"the task holds a passage of the SKILL.md of {quoted(mark.name)} (“{passage}”): the "
            "arm without the skill would be told it. Take it out of the eval case, or out of the "
            "skill."
        )
    return tuple(remarks)
