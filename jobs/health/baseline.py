"""Looks through what the arm without a skill is going to be given, before anything is spent."""

from pathlib import Path

from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.health.skill_free import (
    SkillMark,
    find_attached,
    find_passage,
    find_share,
    is_instructions,
)
from jobs.values import EvalCase, InputFile

MOST_OF_IT = 0.5
"""Share of SKILL.md from which on an input is the skill, however it was changed."""
MAX_TEXT_BYTES = 2_000_000
"""Of an input that is looked through for passages: a larger one is data."""


def check_baseline(mark: SkillMark, case: EvalCase, told: str, staged: Path) -> tuple[str, ...]:
    """Remarks on what the eval case attaches of the skill, whole files or passages of SKILL.md:
    both arms have it.

    `told` is the task text, `staged` the folder with the inputs under their aliases. Blocks.
    Raises `Refused` where the task or an input would give the arm without a skill what the skill
    says, since the comparison would then be of nothing.
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
    copied = (_check_text(mark, file, staged / file.alias) for file in case.inputs)
    return (*remarks, *filter(None, copied))


def _check_text(mark: SkillMark, file: InputFile, place: Path) -> str:
    """A remark on an input that holds a passage of SKILL.md; empty for others.

    Raises `Refused` where it holds most of it.
    """
    if file.size_bytes > MAX_TEXT_BYTES or file.sha256 in mark.files:
        return ""
    text = place.read_text("utf-8", "replace")
    if not (passage := find_passage(mark.text, text)):
        return ""
    if find_share(mark.text, text) >= MOST_OF_IT:
        raise Refused(
            f"the eval case attaches {quoted(file.source)}, which holds most of the SKILL.md of "
            f"{quoted(mark.name)} (“{passage}”): the arm without the skill would be given it. Take "
            "it out of the attached files."
        )
    return (
        f"The input {quoted(file.source)} holds a passage of the skill's SKILL.md (“{passage}”): "
        "both arms had it, so the difference is that of the rest of the skill."
    )
