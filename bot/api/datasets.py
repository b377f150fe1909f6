"""`/datasets`: runs of datasets, their cases, and two of them beside each other.

Answers whom the pages about them let in, the operator's users; for all others nothing is here.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.api.asking import Asked, Backend, Run
from bot.api.dataset_telling import (
    tell_comparison,
    tell_figures,
    tell_findings,
    tell_line,
    tell_money,
    tell_run,
    tell_setup,
    tell_suite,
)
from bot.api.dataset_values import (
    DatasetCase,
    DatasetCaseRow,
    DatasetCases,
    DatasetComparison,
    DatasetRunDetails,
    DatasetRunPart,
    DatasetSuites,
)
from bot.api.problems import NotUnderstood
from bot.web.asking import find_suites
from bot.web.run_places import read_place
from bot.web.runs import RUN_ID, RunView
from jobs.datasets.cases import LONGEST_ID
from jobs.datasets.grades import Outcome
from jobs.datasets.plan import RunPlan
from jobs.datasets.report import render_line
from jobs.datasets.report_cases import RESULT_WORDS
from jobs.datasets.whole_text import mended
from jobs.errors import Refused

AN_ID = Field(max_length=64, description="Id of a run that has a report.")
NOT_NEXT = "must be the `next` of an earlier answer"


class RunsAsked(BaseModel):
    """Which part of the runs is asked for."""

    model_config = ConfigDict(extra="forbid")

    after: str = Field("", max_length=100, description="The `next` of the part before.")
    most: int = Field(50, ge=1, le=200, description="How many runs.")


class CasesAsked(BaseModel):
    """Which cases of a run are asked for."""

    model_config = ConfigDict(extra="forbid")

    outcome: Outcome | None = Field(None, description="How they ended; of a run with a report.")
    after: str = Field("", max_length=100, description="The `next` of the part before.")
    most: int = Field(50, ge=1, le=200, description="How many cases.")


class CaseAsked(BaseModel):
    """Which case is asked for."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(min_length=1, max_length=LONGEST_ID, description="The case's id.")


class TwoAsked(BaseModel):
    """Which runs are held against each other."""

    model_config = ConfigDict(extra="forbid")

    a: str = AN_ID
    b: str = AN_ID


def make_dataset_runs(backend: Backend) -> APIRouter:
    """The questions about runs of datasets."""
    router = APIRouter(prefix="/datasets", tags=["datasets"])

    @router.get("", response_model=DatasetSuites)
    async def list_datasets(asked: Annotated[Asked, Depends(backend.ask_operator)]) -> Response:
        """Benchmarks in this machine's data folder: what can be run without a repository."""
        found = await to_thread.run_sync(find_suites, backend.settings.datasets)
        return await backend.answer_value(asked, DatasetSuites(tuple(map(tell_suite, found))))

    @router.get("/runs", response_model=DatasetRunPart)
    async def list_dataset_runs(
        asked: Annotated[Asked, Depends(backend.ask_operator)],
        chosen: Annotated[RunsAsked, Query()],
    ) -> Response:
        """Runs of datasets, newest first; a part may hold fewer than `most`."""
        place = read_place(chosen.after)
        if chosen.after and place is None:
            raise NotUnderstood("query.after", NOT_NEXT)
        found = await backend.datasets.part(chosen.most, place)
        after = str(found.last) if found.last else ""
        part = DatasetRunPart(rows=tuple(map(tell_run, found.runs)), next=after)
        return await backend.answer_value(asked, part, after)

    @router.get("/runs/{run}", response_model=DatasetRunDetails)
    async def get_dataset_run(
        asked: Annotated[Asked, Depends(backend.ask_operator)], run: Run
    ) -> Response:
        """One run: how far it has come, what it came to, and how it was planned."""
        found = await _describe(backend, await _find(backend, run))

        async def make() -> Response:
            return backend.give(asked, found)

        version = found.model_dump_json(exclude={"at", "seconds_left"})
        return await backend.answer_now(asked, [version], make)

    @router.get("/compare", response_model=DatasetComparison)
    async def compare_dataset_runs(
        asked: Annotated[Asked, Depends(backend.ask_operator)], two: Annotated[TwoAsked, Query()]
    ) -> Response:
        """What run `b` changed against run `a`, case by case, over all cases and by tag."""
        reports = [await _find_report(backend, name) for name in (two.a, two.b)]

        async def make() -> Response:
            try:
                found = await backend.comparer.compare(*reports)
            except Refused as refusal:
                raise NotUnderstood("query.b", str(refusal)) from None
            return backend.give(asked, tell_comparison(mended(found)))

        # a run that was resumed has another report
        ended = [[one["finished_at"], one["graded_count"]] for one in reports]
        return await backend.answer_now(asked, ended, make)

    return router


def make_dataset_cases(backend: Backend) -> APIRouter:
    """The questions about cases of a run."""
    router = APIRouter(prefix="/datasets/runs/{run}", tags=["datasets"])

    @router.get("/cases", response_model=DatasetCases)
    async def list_dataset_cases(
        asked: Annotated[Asked, Depends(backend.ask_operator)],
        run: Run,
        chosen: Annotated[CasesAsked, Query()],
    ) -> Response:
        """A run's cases in the order of the dataset, those that have not ended included."""
        part = await _list(backend, await _find(backend, run), chosen)
        return await backend.answer_value(asked, part, part.next)

    @router.get("/case", response_model=DatasetCase)
    async def get_dataset_case(
        asked: Annotated[Asked, Depends(backend.ask_operator)],
        run: Run,
        case: Annotated[CaseAsked, Query()],
    ) -> Response:
        """One case: all that was said, its grade, and what was found in it."""
        plan = await _find_plan(backend, await _find(backend, run))
        if case.id not in plan.cases:
            raise HTTPException(404)
        result = await backend.datasets.case(plan.run_id, case.id)
        at = plan.cases.index(case.id)
        answer = DatasetCase(
            id=case.id,
            before=plan.cases[at - 1] if at else None,
            after=plan.cases[at + 1] if at + 1 < len(plan.cases) else None,
            result=result,
            cost_usd=tell_money(result.cost_usd) if result else None,
            findings=tell_findings(result) if result else (),
        )
        return await backend.answer_value(asked, answer)

    return router


async def _find(backend: Backend, run_id: str) -> RunView:
    """The run of the address. Raises 404; only what looks like an id is looked up."""
    found = await backend.datasets.find(run_id) if RUN_ID.fullmatch(run_id) else None
    if found is None:
        raise HTTPException(404)
    return found


async def _find_plan(backend: Backend, run: RunView) -> RunPlan:
    """Raises 404 where no worker has planned it."""
    plan = await backend.datasets.plan(run.run_id)
    if plan is None:
        raise HTTPException(404)
    return plan


async def _find_report(backend: Backend, run_id: str) -> dict[str, Any]:
    """A report with a line for each case. Raises 404 where there is none."""
    found = await backend.datasets.summary(run_id) if RUN_ID.fullmatch(run_id) else None
    if found is None:
        raise HTTPException(404)
    return found


async def _describe(backend: Backend, run: RunView) -> DatasetRunDetails:
    plan = await backend.datasets.plan(run.run_id)
    report = await backend.datasets.figures(run.run_id) if run.has_ended else None
    word = await backend.datasets.word(run.run_id) if plan is None else None
    now = backend.clock()
    return DatasetRunDetails(
        at=now,
        run=tell_run(run),
        seconds_left=run.seconds_left(now),
        in_flight=run.in_flight,
        setup=tell_setup(plan) if plan else None,
        report=tell_figures(mended(report)) if report else None,
        word=word or "",
    )


async def _list(backend: Backend, run: RunView, chosen: CasesAsked) -> DatasetCases:
    """A part begins behind a case's place in the plan, which stays when the run ends."""
    if chosen.after and not (chosen.after.isascii() and chosen.after.isdecimal()):
        raise NotUnderstood("query.after", NOT_NEXT)
    plan = await _find_plan(backend, run)
    summary = await backend.datasets.summary(run.run_id) if run.has_ended else None
    if chosen.outcome and summary is None:
        raise NotUnderstood("query.outcome", "can be asked for once the run has a report")
    lines = None if summary is None else _choose(summary, chosen.outcome)
    listed = [
        (number, name)
        for number, name in enumerate(plan.cases, 1)
        if lines is None or name in lines
    ]
    behind = [one for one in listed if one[0] > int(chosen.after or 0)]
    shown = behind[: chosen.most]
    names = [name for _, name in shown]
    if lines is None:
        rows = await _look(backend, run, names)
    else:
        rows = [tell_line(mended(lines[name])) for name in names]
    after = str(shown[-1][0]) if len(behind) > len(shown) else ""
    return DatasetCases(rows=tuple(rows), total=len(listed), next=after)


def _choose(summary: Mapping[str, Any], outcome: Outcome | None) -> dict[str, Mapping[str, Any]]:
    """The lines of a report's cases, by their ids."""
    result = RESULT_WORDS.get(outcome, outcome) if outcome else None
    lines: list[dict[str, Any]] = summary["case_list"]
    return {line["id"]: line for line in lines if result in {None, line["result"]}}


async def _look(backend: Backend, run: RunView, names: Sequence[str]) -> list[DatasetCaseRow]:
    """Cases of a run without a report, as they stand."""
    flying = {one.id: one.turn for one in run.in_flight}

    async def look(name: str) -> DatasetCaseRow:
        if name in flying:
            return DatasetCaseRow(id=name, outcome="running", turn=flying[name])
        found = await backend.datasets.case(run.run_id, name)
        if found is None:
            return DatasetCaseRow(id=name, outcome="waiting")
        return tell_line(render_line(found))

    return await asyncio.gather(*map(look, names))
