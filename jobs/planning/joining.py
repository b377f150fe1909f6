"""One plan for a request that asks for several runs anew, each planned by itself."""

from collections.abc import Sequence

from jobs.planning.plan import MOST_RUNS, Plan, RefusedRun
from jobs.requests import Request

OTHER_ENVIRONMENT = (
    "it takes place in another environment than the others; repeat it by itself with `retry` and "
    "its id."
)


def join_plans(request: Request, plans: Sequence[Plan], refused: Sequence[RefusedRun]) -> Plan:
    """The plans as one; `refused` are runs that could not be planned at all.

    All sessions of a request take place in one environment: that of the first plan.
    """
    environment = plans[0].environment if plans else None
    fitting = [one for one in plans if one.environment == environment]
    elsewhere = [
        RefusedRun(title=f"{spec.skill.name} on {spec.model.sent}", reason=OTHER_ENVIRONMENT)
        for one in plans
        if one not in fitting
        for spec in one.runs
    ]
    runs = [spec for one in fitting for spec in one.runs]
    notes = [note for one in plans for note in one.notes]
    if more := len(runs) - MOST_RUNS:
        notes += [f"{MOST_RUNS} runs go on at once; {more} were left out."] if more > 0 else []
    return Plan(
        request=request.model_copy(update={"force": True}),
        commit=plans[0].commit if plans else "",
        runs=tuple(runs[:MOST_RUNS]),
        duplicates=(),
        refused=(*(row for one in plans for row in one.refused), *refused, *elsewhere),
        environment=environment,
        notes=tuple(dict.fromkeys(notes)),
    )
