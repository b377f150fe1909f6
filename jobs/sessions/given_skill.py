"""How a session is given its skill, in either launcher: in its prompt, or installed.

In mode `forced` SKILL.md stands in the prompt and the folder at `skill/`; in mode `installed`
the folder lies where agents discover skills, and the prompt is the task alone. The arm without
a skill goes the same way and is given nothing.
"""

from collections.abc import Collection
from dataclasses import dataclass

from jobs.claude_code.events import Call
from jobs.claude_code.installed_skill import (
    SkillWatch,
    check_installable,
    folder_name,
    install_skill,
)
from jobs.errors import Refused
from jobs.health.skill_free import find_traces
from jobs.sessions.attempts import stage_inputs, stage_skill
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.skill_tools import FOLDER, Offered
from jobs.sessions.task import render_prompt, render_task
from jobs.sessions.workspace import Workspace
from jobs.values import RunSpec

_NOT_FORCED = (
    "the eval case says that the skill is not to be loaded, which only shows where an agent may "
    "choose: in the mode `forced` it stands in the prompt. Ask for `--mode installed`."
)


def check_mode(run: RunSpec, taken_names: Collection[str] = ()) -> None:
    """Whether every version of a run's skill can be given in the run's mode.

    `taken_names` are the launcher's own.

    Raises `Refused` with what to change, or to ask for instead.
    """
    if run.mode == "forced":
        if not run.eval_case.should_load:
            raise Refused(_NOT_FORCED)
        return
    try:
        for skill in run.skills:
            check_installable(skill, taken_names)
    except Refused as problem:
        raise Refused(
            f"{problem} Or ask for `--mode forced`, which puts a skill into the prompt."
        ) from None


def stage_session(session: SessionSpec, workspace: Workspace) -> str:
    """Put inputs and skill in place, and give the prompt. Blocks."""
    stage_inputs(session, workspace)
    if session.run.mode == "forced":
        stage_skill(session, workspace)
        return render_prompt(session)
    if session.skill_folder is not None:
        install_skill(session.skill_folder, workspace.work, folder_name(session.skill))
    return render_task(session.run.eval_case, session.inputs_folder)


def look_for_skill(session: SessionSpec, workspace: Workspace, told: str) -> tuple[str, ...] | None:
    """What a session that is staged has of the skill that it must be free of.

    `told` is all that it is told before it begins. None where it has a skill. Blocks.
    """
    if session.absent is None:
        return None
    return find_traces(session.absent, workspace.work, told)


def find_offered(session: SessionSpec) -> tuple[Offered, ...]:
    """The skills that a session is to list: its own, or none."""
    if session.run.mode == "forced" or session.skill_folder is None:
        return ()
    skill = session.skill
    return (Offered(folder_name(skill), skill.description, session.skill_folder),)


@dataclass(slots=True)
class SkillSight:
    """Whether a session has read its skill, as far as its tool calls tell."""

    watch: SkillWatch
    seen: bool = False

    def notice(self, call: Call, answer: str) -> None:
        """Take a call that worked, with its answer."""
        self.seen = self.seen or self.watch.sees(call, answer)


def make_watch(session: SessionSpec) -> SkillWatch:
    """Watch for the skill of a run, where its mode puts it."""
    skill, name = session.skill, folder_name(session.skill)
    folder = f"{FOLDER}/{name}" if session.run.mode == "installed" else "skill"
    return SkillWatch.make({skill.name, name}, folder, session.skill_text or "")


def is_in_prompt(session: SessionSpec) -> bool:
    """Whether the session's prompt holds its SKILL.md."""
    return session.run.mode == "forced" and session.skill_text is not None
