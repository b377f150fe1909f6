"""What has been tried on an issue, so that it can be asked for once more as it was.

A run is known from the plan of its request, which also knows those that came to no result; where
the plan was swept, from the marker of its report. What is run again is the same question under
the same conditions, about what stands on the default branch now.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.errors import Refused
from jobs.inquiries.own_comments import Told, read_told
from jobs.judging.judges import asked_judges
from jobs.keeping import asking_folder, find_planned, find_result
from jobs.planning.dedup import answers, record_key
from jobs.planning.markers import find_markers
from jobs.planning.plan import Plan
from jobs.ports import Comment
from jobs.requests import LATEST, Request
from jobs.results import RunRecord
from jobs.sequential.evals import was_not_needed
from jobs.values import RunSpec
from jobs.world import World

CANCELLED = "🛑 Cancelled"
"""How the living comment of a cancelled request begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One run of an issue that has ended, with or without a result."""

    run: str
    asks: dict[str, object]
    """The fields of a request that asks for the same."""
    model: str
    """Identity of the model, whatever it was asked for as."""
    is_scored: bool
    was_cancelled: bool = False

    @property
    def question(self) -> tuple[str, ...]:
        """What two attempts have in common that are about the same; who judges is no part of it."""
        said = [str(self.asks[name]) for name in sorted(self.asks.keys() - {"judge", "models"})]
        return (self.model, *said)


async def find_wanted(
    request: Request, comments: Sequence[Comment], world: World
) -> tuple[Request, ...]:
    """The requests that a `retry` or a `rerun failed` means, each for one run; else itself.

    Raises `Refused` where there is no such run.
    """
    if request.run is None and not request.only_failed:
        return (request,)
    attempts = await _find_attempts(comments, world)
    if request.only_failed:
        newest = {one.question: one for one in attempts if not one.was_cancelled}
        chosen = [one for one in newest.values() if not one.is_scored]
        if not chosen:
            raise Refused(
                "there is nothing to run again: no run of this issue has failed, or a newer "
                "attempt at it has a score."
            )
    else:
        chosen = [await _find_named(request, attempts, world)]
        if str(chosen[0].asks["vs"]).startswith("sha:"):
            raise Refused(
                f"what the run `{chosen[0].run}` was compared with is not kept any more; ask for "
                "it with `run --vs`."
            )
    return tuple(
        request.model_copy(
            update={**one.asks, "run": None, "only_failed": False, "force": True, "head": ""}
        )
        for one in chosen
    )


async def _find_named(request: Request, attempts: Sequence[Attempt], world: World) -> Attempt:
    if request.run == LATEST:
        if not attempts:
            raise Refused("no run has ended on this issue yet, so there is none to repeat.")
        return attempts[-1]
    named = [one for one in attempts if one.run == request.run]
    if named:
        return named[-1]
    records = await world.ledger.records(request.repo.full_name)
    record = next((one for one in records if one.run == request.run), None)
    if record is None:
        raise Refused(
            f"I know no run `{request.run}` of this repository that has ended. One that goes on "
            "can be repeated once it has. The id of a run stands at the end of its report."
        )
    return _of_record(record)


async def _find_attempts(comments: Sequence[Comment], world: World) -> list[Attempt]:
    """Every run that has ended, the oldest first."""
    markers: dict[str, RunRecord] = {}
    for comment in comments:
        if comment.by_this_app:
            markers |= {record.run: record for record in find_markers(comment.body).ours}
    planned: dict[str, Attempt] = {}
    for told in reversed(read_told(comments)):
        planned |= {one.run: one for one in await _of_request(told, markers, world)}
    swept = [_of_record(record) for run, record in markers.items() if run not in planned]
    return [*swept, *planned.values()]


async def _of_request(told: Told, markers: dict[str, RunRecord], world: World) -> list[Attempt]:
    """The runs of a request that has ended, as far as its plan is kept."""
    folder, blobs = asking_folder(told.key, told.asked_at), world.runs.blobs
    planned = await find_planned(folder, blobs)
    # plans of other kinds, such as a search for a description, have shapes of their own
    if planned is None or planned.request.kind != "benchmark":
        return []
    stored = await blobs.get(f"{folder}/plan.json")
    if stored is None or not await blobs.exists(f"{folder}/ended"):
        return []
    plan = Plan.model_validate_json(stored)
    begun = [spec for spec in plan.runs if not await was_not_needed(spec, blobs)]
    return [
        Attempt(
            run=spec.run_id,
            asks=_asks(spec, plan),
            model=spec.model.identity,
            is_scored=await _is_scored(spec, markers, world),
            was_cancelled=told.headline.startswith(CANCELLED),
        )
        for spec in begun
    ]


async def _is_scored(spec: RunSpec, markers: dict[str, RunRecord], world: World) -> bool:
    if spec.run_id in markers:
        return markers[spec.run_id].state == "complete"
    result = await find_result(spec, world.runs)
    if result is not None:
        return result.graded
    # another request's run of the same may have answered for it
    record = await world.ledger.find(record_key(spec))
    return record is not None and answers(record, spec)


def _asks(spec: RunSpec, plan: Plan) -> dict[str, object]:
    return {
        "eval_id": spec.eval_case.id,
        "skill": spec.skill.path,
        "models": (spec.model.asked,),
        "launcher": spec.launcher,
        "mode": spec.mode,
        "environment": plan.environment.name if plan.environment else "none",
        "vs": spec.vs_asked or "none",
        "trials": spec.trials,
        "until_sure": spec.until_sure == "trials",
        "judge": asked_judges(spec),
    }


def _of_record(record: RunRecord) -> Attempt:
    """A run whose plan was swept. Of another version only the SHA is known, and no name."""
    return Attempt(
        run=record.run,
        asks={
            "eval_id": record.eval_id,
            "skill": record.skill,
            "models": (record.model_asked or record.model,),
            "launcher": record.launcher,
            "mode": record.mode,
            # an environment is known by its digest alone: the one that is usual stands for it
            "environment": None if record.environment else "none",
            "vs": record.vs,
            "trials": record.stopped.most if record.stopped else record.trials,
            "until_sure": record.stopped is not None,
            "judge": record.judge,
        },
        model=record.model_identity,
        is_scored=record.state == "complete",
    )
