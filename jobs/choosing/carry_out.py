"""Carries out a sweep: for each model to keep current, the eval case it knows least about.

Nobody has asked, so nobody is told where there is nothing to do; what is measured is told on
the eval case's own issue by the request that measures it.
"""

import structlog

from jobs.carrying_out import carry_out_answered, find_head, open_snapshot
from jobs.choosing.choosing import request_for, take_next
from jobs.choosing.survey import Sources, Survey, make_survey
from jobs.errors import Refused
from jobs.requests import Request
from jobs.world import World

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Put one benchmark for each model on the queue.

    Raises `Transient` where it is worth carrying out again and `last_try` is False; what was
    taken by an earlier try is found again.
    """
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    try:
        commit = await find_head(world)
        async with open_snapshot(request, commit, world) as snapshot:
            sources = Sources(world.github, world.ledger, world.runs.settings)
            survey = await make_survey(request.repo, snapshot, sources)
    except Refused as refusal:
        log.warning("sweep_refused", repo=request.repo.full_name, reason=str(refusal))
        return
    for asked in survey.models:
        try:
            await _take(asked, survey, request, world)
        except Refused as refusal:
            log.warning("sweep_refused", repo=request.repo.full_name, reason=str(refusal))


async def _take(asked: str, survey: Survey, request: Request, world: World) -> None:
    model = await world.runs.catalog.resolve(asked)
    holder = f"{request.key}|{request.asked_at.isoformat()}|{model.identity}"
    choice = await take_next(survey, model, world.claims, holder=holder)
    if choice.chosen is not None:
        await world.requests.enqueue(request_for(choice, survey, model, request))
    log.info(
        "sweep_chose",
        repo=request.repo.full_name,
        model=model.sent,
        status=choice.status,
        eval_id=choice.chosen and choice.chosen.eval_id,
        pending=len(choice.pending),
    )
