"""Whether both arms met the same world: void if anything but the skill differs."""

from collections.abc import Sequence
from itertools import pairwise

from jobs.judging.judges import judges_of
from jobs.planning.model_names import same_model
from jobs.readings import JudgePass
from jobs.values import Arm, RunSpec, SessionResult

ARM_NAMES = {
    Arm.WITH_SKILL: "with skill",
    Arm.WITHOUT_SKILL: "without skill",
    Arm.CANDIDATE_SKILL: "with this version",
    Arm.BASE_SKILL: "with the base version",
}
"""How a reason names the session of an arm."""

_MET = {
    "served_models": "which model answered",
    "tools": "which tools there were",
    "sandbox": "in which sandbox it was",
    "environment": "what stood in its environment",
    "memory_mb": "how much memory it had",
    "limits": "what its limits were",
}
"""What a session tells of its world, as a reason names it."""


def find_mismatch(spec: RunSpec, sessions: Sequence[SessionResult]) -> str | None:
    """Why these sessions cannot be compared, in one sentence; None if they can.

    A provider may answer for an alias with the dated id behind it: that is the same model.
    """
    for session in sessions:
        arm = ARM_NAMES[session.arm]
        if len(session.served_models) > 1:
            return (
                f"the session {arm} was answered by several models: "
                f"{', '.join(session.served_models)}."
            )
        for served in session.served_models:
            if not same_model(spec.model.sent, served):
                return f"{spec.model.sent} was asked for, but {served} answered {arm}."
    served_models = {model for session in sessions for model in session.served_models}
    if len(served_models) > 1:
        return f"the arms were answered by different models: {', '.join(sorted(served_models))}."
    return _find_other_program(sessions) or _find_skill_where_none_is(spec, sessions)


def find_baseline_mismatch(spec: RunSpec, kept: SessionResult, met: SessionResult) -> str | None:
    """Why a kept session cannot stand beside one that has run now, in one sentence.

    Stricter than between sessions that ran together: what only one of them tells is no match.
    """
    if reason := find_mismatch(spec, (met, kept)):
        return reason
    for field, what in _MET.items():
        told, tells = (getattr(session, field) for session in (kept, met))
        if field == "tools":
            told, tells = sorted(told), sorted(tells)
        if told != tells:
            return f"one of the two does not tell {what}."
    if kept.skill_traces is None:
        return "nobody looked whether it was free of a skill."
    return None


def find_other_judges(spec: RunSpec, passes: Sequence[JudgePass]) -> tuple[str, ...]:
    """Remarks on passes that another model read than the one asked for.

    Both arms had the same judge all the same, so the scores stand.
    """
    return tuple(
        f"Pass {reading.number} was read by `{reading.served_model}`, "
        f"though `{asked}` was asked for."
        for reading in passes
        if (asked := judges_of(spec)[reading.judge - 1].sent)
        and reading.served_model
        and not same_model(asked, reading.served_model)
    )


def _find_other_program(sessions: Sequence[SessionResult]) -> str | None:
    """Whether one arm had another launcher or other tools; a session tells both of itself."""
    versions = {session.launcher_version for session in sessions}
    if len(versions) > 1:
        return f"the arms ran in different versions of the launcher: {_named(versions)}."
    tools = {" ".join(sorted(session.tools)) for session in sessions if session.tools}
    if len(tools) > 1:
        return f"the arms had different tools: {_named(tools)}."
    return _find_other_world(sessions)


def _find_other_world(sessions: Sequence[SessionResult]) -> str | None:
    """Whether one arm met another world, or might use more of it; older records do not tell.

    It happens where a run is carried on after a pause, by a worker that has been set up anew
    or holds a newer image.
    """
    told = [session for session in sessions if session.sandbox]
    sandboxes = {session.sandbox for session in told}
    if len(sandboxes) > 1:
        return f"the arms ran in different kinds of sandbox: {_named(sandboxes)}."
    environments = {session.environment for session in told}
    if len(environments) > 1:
        shown = {identity[:19] or "the machine's own" for identity in environments}
        return f"the arms met different environments: {_named(shown)}."
    memories = {session.memory_mb for session in sessions if session.memory_mb is not None}
    if len(memories) > 1:
        amounts = " and ".join(str(memory_mb) for memory_mb in sorted(memories))
        return f"the arms had different memory: {amounts} MB."
    limits = [session.limits for session in sessions if session.limits]
    for one, other in pairwise(limits):
        if differing := [name for name, value in other if value != getattr(one, name)]:
            return f"the arms had different limits: {', '.join(differing)}."
    return None


def _find_skill_where_none_is(spec: RunSpec, sessions: Sequence[SessionResult]) -> str | None:
    """Whether the arm without a skill had some of it all the same."""
    for session in sessions:
        if spec.skill_of(session.arm) is not None:
            continue
        arm = ARM_NAMES[session.arm]
        if session.skill_traces:
            found = "; ".join(session.skill_traces)
            return f"the session {arm} was not free of the skill: {found}."
        if session.skills_listed:
            listed = ", ".join(session.skills_listed)
            return f"the session {arm} was offered skills: {listed}."
    return None


def _named(values: set[str]) -> str:
    return " and ".join(value or "unknown" for value in sorted(values))
