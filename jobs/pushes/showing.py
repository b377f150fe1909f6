"""Shows a push's check run: always anew from what is kept, one at a time for each push."""

import structlog

from jobs.conclusions.telling import find_version_lines
from jobs.errors import Gone, Refused, Suspended
from jobs.pushes.check import Ends, is_ended, render_push
from jobs.pushes.plan import PushPlan, find_ends
from jobs.requests import PUSH_CHECK
from jobs.world import World

log = structlog.get_logger(__name__)


async def show_push(plan: PushPlan, world: World) -> None:
    """Bring the check run of a push up to date.

    Raises `Transient` and `Suspended` as GitHub does, after which it is to be shown again.

    Whoever shows it waits for whoever is at it, so that an older look at what has ended never
    stands last. An App that may not write check runs measures all the same.
    """
    tag = f"{PUSH_CHECK}{plan.before}-{plan.after}"
    async with world.ledger.hold(f"check:{plan.repo.full_name.casefold()}:{tag}"):
        ends = await find_ends(plan, world.runs.blobs)
        settings = world.runs.settings
        sets = await _find_sets(plan, ends, world)
        check = render_push(plan, ends, web_url=settings.github_web_url, sets=sets)
        try:
            await world.github.show_check(check, tag=tag)
        except Suspended:
            raise
        except (Refused, Gone) as trouble:
            log.warning("check_not_shown", commit=plan.after, reason=str(trouble))


async def _find_sets(plan: PushPlan, ends: Ends, world: World) -> tuple[str, ...]:
    """What the sets of the changed skills say, once all has ended."""
    if not plan.rows or not is_ended(plan, ends):
        return ()
    records = await world.ledger.records(plan.repo.full_name)
    shas = {row.skill.sha for row in plan.rows}
    return await find_version_lines(shas, records, world.runs.settings)
