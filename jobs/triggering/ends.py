"""What the end of a session says about a query, where the skill was not used until then.

An agent that came to its end, or to a limit of its own making, has had its chance. A clock
or money that ran out, or a platform that failed, says nothing about the skill.
"""

from jobs.conversation import ConversationEnd
from jobs.triggering.evaluation import Ask
from jobs.triggering.observations import Observation
from jobs.triggering.skill_use import SkillUse
from jobs.values import Usage

SEEN = frozenset({"completed", "max_turns", "max_tokens", "refused", "no_output"})


def make_observation(
    ask: Ask, use: SkillUse, end: ConversationEnd | None, *, usage: Usage, wall_s: float
) -> Observation:
    """What was seen in a session; `end` is None where it was stopped because the skill fired."""
    fired: bool | None = use.fired
    detail = ""
    if not use.fired and (end is None or end.end not in SEEN):
        fired = None
        detail = (end.detail or end.end) if end else "the session was stopped"
    elif not use.fired and not usage.requests:
        fired = None
        detail = "the session ended before the model was asked"
    return Observation(
        query_id=ask.query.id,
        number=ask.number,
        fired=fired,
        others=tuple(use.others),
        detail=detail,
        usage=usage,
        wall_s=wall_s,
        served_models=end.served_models if end else (),
    )
