"""Shows how a comparison stands: in its comment and in the check run, always anew from what is
kept, one at a time. Whoever finds that all has ended says the last words.
"""

import structlog

from jobs.answers import react_to_end
from jobs.conclusions.telling import FEWEST_SHOWN, find_version_lines
from jobs.errors import Gone, Refused, Suspended
from jobs.keeping import request_folder
from jobs.living_comment import comment_tag
from jobs.pull_requests.plan import PullPlan, find_ends, name_family
from jobs.pull_requests.words import Ends, count_outcome, render_check, render_comment
from jobs.requests import PULL_CHECK
from jobs.world import World

log = structlog.get_logger(__name__)


async def show(plan: PullPlan, world: World) -> None:
    """Bring comment and check run up to date. Raises `Transient` and `Gone` as GitHub does.

    An App that may not write check runs measures all the same.
    """
    request = plan.request
    async with world.ledger.hold(f"pull:{name_family(request)}"):
        ends = await find_ends(plan, world.runs.blobs)
        try:
            tag = f"{PULL_CHECK}{request.issue}"
            await world.github.show_check(render_check(plan, ends), tag=tag)
        except Suspended:
            raise
        except (Refused, Gone) as trouble:
            log.warning("check_not_shown", commit=request.head, reason=str(trouble))
        sets = await _find_sets(plan, ends, world)
        body = render_comment(plan, ends, mention=world.runs.settings.mention, sets=sets)
        await world.github.comment(request.issue, body, tag=comment_tag(request))
        outcome = count_outcome(plan, ends)
        ended = f"{request_folder(request)}/ended"
        if outcome.is_ended and not await world.runs.blobs.exists(ended):
            await react_to_end(request, world, good=outcome.measured > 0 and not outcome.unmeasured)
            await world.runs.blobs.put(ended, b"")


async def _find_sets(plan: PullPlan, ends: Ends, world: World) -> tuple[str, ...]:
    """What the sets of the head's skills say, once all has ended."""
    if len(plan.rows) < FEWEST_SHOWN or not count_outcome(plan, ends).is_ended:
        return ()
    records = await world.ledger.records(plan.request.repo.full_name)
    shas = {row.skill.sha for row in plan.rows}
    return await find_version_lines(shas, records, world.runs.settings, pull=plan.request.issue)
