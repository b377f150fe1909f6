"""One plan for a request that asks for several runs, each planned by itself."""

from collections.abc import Sequence

from jobs.errors import Refused
from jobs.planning.plan import MOST_RUNS, Plan, RefusedRun
from jobs.requests import Request
from jobs.sequential.planning import leave_too_few, put_in_order

MOST_EVALS = 20
"""Runs of one request for all eval cases of a skill."""
OTHER_ENVIRONMENT = (
    "it takes place in another environment than the others; repeat it by itself with `retry` and "
    "its id."
)
ITS_OWN_ENVIRONMENT = (
    "it takes place in another environment than the others; ask for it by itself with `--eval`."
)


def join_plans(request: Request, plans: Sequence[Plan], refused: Sequence[RefusedRun]) -> Plan:
    """The plans of what is run once more as one; `refused` are runs that could not be planned.

    All sessions of a request take place in one environment: that of the first plan.
    """
    plan = _join(request.model_copy(update={"force": True}), plans, refused, OTHER_ENVIRONMENT)
    notes = plan.notes
    if (more := len(plan.runs) - MOST_RUNS) > 0:
        notes = (*notes, f"{MOST_RUNS} runs go on at once; {more} were left out.")
    return plan.model_copy(update={"runs": plan.runs[:MOST_RUNS], "duplicates": (), "notes": notes})


def join_evals(request: Request, plans: Sequence[Plan], refused: Sequence[RefusedRun]) -> Plan:
    """The plans of all eval cases of a skill as one, in the order in which they are measured.

    Raises `Refused` for more runs than one request may have.
    """
    plan = _join(request, plans, refused, ITS_OWN_ENVIRONMENT)
    if len(plan.runs) > MOST_EVALS:
        raise Refused(
            f"this asks for {len(plan.runs)} runs at once; {MOST_EVALS} is the most. Name one "
            "model, or single eval cases with `--eval`."
        )
    runs, notes = leave_too_few(put_in_order(plan.runs), [one.spec for one in plan.duplicates])
    return plan.model_copy(update={"runs": tuple(runs), "notes": (*plan.notes, *notes)})


def _join(
    request: Request, plans: Sequence[Plan], refused: Sequence[RefusedRun], elsewhere: str
) -> Plan:
    """The plans as one; what takes place in another environment is refused, and `elsewhere` why."""
    environment = plans[0].environment if plans else None
    fitting = [one for one in plans if one.environment == environment]
    strays = [
        RefusedRun(title=f"{spec.skill.name} on {spec.model.sent}", reason=elsewhere)
        for one in plans
        if one not in fitting
        for spec in one.runs
    ]
    return Plan(
        request=request,
        commit=plans[0].commit if plans else "",
        runs=tuple(spec for one in fitting for spec in one.runs),
        duplicates=tuple(known for one in plans for known in one.duplicates),
        refused=(*(row for one in plans for row in one.refused), *refused, *strays),
        environment=environment,
        notes=tuple(dict.fromkeys(note for one in plans for note in one.notes)),
    )
