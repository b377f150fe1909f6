"""`/repos/<owner>/<name>/runs`: runs that have ended, and the ones that go on."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, RootModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.api.asking import OF_REPO, Asked, Backend, RepoAsked, Run
from bot.api.problems import NotUnderstood
from bot.store.run_index import find_place
from bot.web.access import Visitor
from bot.web.run_values import RunDetails
from jobs.dashboard.addresses import LONGEST_PART
from jobs.dashboard.values import RunRows, RunState
from jobs.live_sessions import RunNow
from jobs.requests import Value
from jobs.results import RunRecord


class RunsAsked(BaseModel):
    """Which runs are asked for."""

    model_config = ConfigDict(extra="forbid")

    skill: str = Field("", max_length=LONGEST_PART, description="Path of the skill's folder.")
    model: str = Field("", max_length=LONGEST_PART, description="The model's id, as it was sent.")
    state: RunState | None = Field(None, description="How they ended.")
    after: str = Field("", max_length=100, description="The `next` of the part before.")
    most: int = Field(50, ge=1, le=200, description="How many runs.")


class TrialAsked(BaseModel):
    """Which of a run's trials is told in full."""

    model_config = ConfigDict(extra="forbid")

    trial: int = Field(0, ge=0, le=1000, description="Its number; 0: the first that counts.")


class EndedRun(Value):
    """A run that has ended."""

    record: RunRecord
    """As the ledger keeps it."""
    details: RunDetails
    """As its page shows it."""


class RunsNow(RootModel[tuple[RunNow, ...]]):
    """Runs that go on."""


def make_runs(backend: Backend) -> APIRouter:
    """The questions about runs of a repository."""
    router = APIRouter(prefix=OF_REPO, tags=["runs"])

    @router.get("/runs", response_model=RunRows)
    async def list_runs(
        asked: Annotated[RepoAsked, Depends(backend.ask_repo)],
        chosen: Annotated[RunsAsked, Query()],
    ) -> Response:
        """A repository's runs, newest first; `Link` and `next` lead to the part after it."""
        if chosen.after and find_place(chosen.after) is None:
            raise NotUnderstood("query.after", "must be the `next` of an earlier answer")

        async def make() -> Response:
            found = await backend.figures.runs(
                asked.repo,
                skill=chosen.skill,
                model=chosen.model,
                state=chosen.state or "",
                after=chosen.after,
                most=chosen.most,
            )
            return backend.give(asked, found, found.next)

        return await backend.answer(asked, [await backend.figures.version(asked.repo)], make)

    @router.get("/runs/{run}", response_model=EndedRun)
    async def get_run(
        asked: Annotated[RepoAsked, Depends(backend.ask_repo)],
        run: Run,
        which: Annotated[TrialAsked, Query()],
    ) -> Response:
        """A run that has ended: its record, scores, assertions with evidence, and sessions."""
        found = await backend.reader.find(asked.repo, run)
        if found is None:
            raise HTTPException(404)
        details = await backend.reader.describe(found, asked.repo, trial=which.trial)
        return await backend.answer_value(asked, EndedRun(record=found.record, details=details))

    @router.get("/runs/{run}/live", response_model=RunNow)
    async def get_running_run(
        asked: Annotated[RepoAsked, Depends(backend.ask_repo)], run: Run
    ) -> Response:
        """A run as it goes on, for a day after it has ended, too: its sessions so far."""
        found = await backend.live.look(run)
        if found is None or found.head.repo.lower() != asked.repo.full_name.lower():
            raise HTTPException(404)
        return await backend.answer_value(asked, found)

    return router


def make_live(backend: Backend) -> APIRouter:
    """The question about all runs that go on."""
    router = APIRouter(tags=["runs"])

    @router.get("/live", response_model=RunsNow)
    async def list_running_runs(asked: Annotated[Asked, Depends(backend.ask)]) -> Response:
        """Every run that goes on, of the repositories that whoever asks may see."""
        running = await backend.live.running()
        names = {one.head.repo.lower() for one in running}
        seen = {name for name in names if await _sees(backend, asked.visitor, name)}
        found = tuple(one for one in running if one.head.repo.lower() in seen)
        return await backend.answer_value(asked, RunsNow(found))

    return router


async def _sees(backend: Backend, visitor: Visitor, name: str) -> bool:
    repo = await backend.figures.repo(name)
    return repo is not None and visitor.sees(repo)
