"""Takes the next eval case for a model, so that nobody else takes it too.

What was taken is not taken again for a week, whatever came of it: a case that breaks every time
would otherwise be tried every night, and no other ever. A new version of skill or case is
another claim.
"""

from collections.abc import Set as AbstractSet
from typing import Literal

from jobs.choosing.claims import Claims
from jobs.choosing.next_eval import Standing, rank
from jobs.choosing.survey import Survey
from jobs.requests import Request, Value
from jobs.values import Model


class Choice(Value):
    """What is next for a model."""

    repository: str
    model: str
    """The id that is sent."""
    status: Literal["CHOSEN", "ALL_TAKEN", "UP_TO_DATE"]
    """`ALL_TAKEN`: what is pending was taken within the week; `UP_TO_DATE`: nothing is."""
    chosen: Standing | None = None
    pending: tuple[Standing, ...] = ()
    """All that is pending, the next first."""
    taken: tuple[str, ...] = ()
    """Ids of pending cases that somebody had taken before."""
    evals: int
    """How many cases there are."""


async def look_for_next(survey: Survey, model: Model, claims: Claims) -> Choice:
    """What would be taken now; takes nothing."""
    ranked = rank(survey.standings(model), model.identity)
    taken = await claims.find_taken([one.claim for one in ranked])
    free = [one for one in ranked if one.claim not in taken]
    return _choice(survey, model, ranked, free[0] if free else None, taken)


async def take_next(survey: Survey, model: Model, claims: Claims, *, holder: str) -> Choice:
    """Take the next one in the name of `holder`; the same holder takes the same again."""
    ranked = rank(survey.standings(model), model.identity)
    by_claim = {one.claim: one for one in ranked}
    taken_before = await claims.find_taken(list(by_claim))
    taken = await claims.take(list(by_claim), holder=holder) if by_claim else None
    chosen = by_claim.get(taken) if taken else None
    return _choice(survey, model, ranked, chosen, taken_before - {taken})


def request_for(choice: Choice, survey: Survey, model: Model, asking: Request) -> Request:
    """The benchmark of what was chosen, in the name of whoever asked for the choice.

    It is told on the case's issue, or on the commit where there is none.
    """
    chosen = choice.chosen
    if chosen is None:
        raise ValueError("nothing was chosen")
    return Request(
        key=f"next:{survey.repo.full_name}:{chosen.claim}",
        repo=survey.repo,
        issue=chosen.issue,
        asker=asking.asker,
        origin="schedule",
        models=(model.sent,),
        eval_id=chosen.eval_id,
        after="" if chosen.issue else survey.commit,
        asked_at=asking.asked_at,
    )


def _choice(
    survey: Survey,
    model: Model,
    ranked: tuple[Standing, ...],
    chosen: Standing | None,
    taken: AbstractSet[str | None],
) -> Choice:
    status: Literal["CHOSEN", "ALL_TAKEN", "UP_TO_DATE"] = "UP_TO_DATE"
    if ranked:
        status = "CHOSEN" if chosen else "ALL_TAKEN"
    return Choice(
        repository=survey.repo.full_name,
        model=model.sent,
        status=status,
        chosen=chosen,
        pending=ranked,
        taken=tuple(one.eval_id for one in ranked if one.claim in taken),
        evals=len(survey.evals),
    )
