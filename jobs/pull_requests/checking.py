"""Shows the check run of a pull request that touches a skill, before anybody has asked for more.

Nobody waits for it: what cannot be read, or is not there any more, is passed over.
"""

from contextlib import AsyncExitStack

import structlog

from jobs.carrying_out import carry_out_answered, find_head
from jobs.errors import Refused
from jobs.pull_requests.planning import open_sides
from jobs.pull_requests.words import render_unmeasured
from jobs.requests import PULL_CHECK, Request
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Look at what a pull request changes. Raises `Transient` where that is worth another try."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    try:
        await _show(request, world)
    except Refused as refusal:
        log.info("pull_request_passed_over", key=request.key, reason=str(refusal))


async def _show(request: Request, world: World) -> None:
    pull = await world.github.pull_request(request.issue)
    if pull.head != request.head or not pull.is_open:
        log.info("pull_request_moved", key=request.key, head=pull.head)
        return
    base = await world.github.merge_base(pull.base_branch, pull.head)
    rules = await find_head(world)
    async with AsyncExitStack() as stack:
        sides = await open_sides(request, (rules, base, pull.head), world, stack)
        changed, broken = sides.changed, sides.broken
    if not changed and not broken:
        log.info("pull_request_changes_no_skill", key=request.key)
        return
    fork = (pull.head_repository or "a deleted repository") if pull.is_from_fork else ""
    mention = world.runs.settings.mention
    check = render_unmeasured(pull.head, changed, broken, fork=fork, mention=mention)
    await world.github.show_check(check, tag=f"{PULL_CHECK}{request.issue}")
