"""`/repos/<owner>/<name>/runs`: every run of a repository, newest first, as far as is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.store.seen_repos import SeenRepo
from bot.web.access import Visitor
from bot.web.figures import Figures
from bot.web.fresh import answer_fresh, find_repo, not_there
from bot.web.guard import Guard
from bot.web.shell import render
from jobs.dashboard.addresses import LONGEST_PART, runs_address
from jobs.dashboard.values import RunState

RUNS_A_PAGE = 50
STATES: tuple[RunState, ...] = get_args(RunState)


@dataclass(frozen=True, slots=True)
class RunChoice:
    """Which runs are asked for; empty: all."""

    skill: str = ""
    model: str = ""
    state: str = ""
    after: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "RunChoice":
        """From the query of an address, whatever stands in it."""
        state = query.get("state", "")
        return cls(
            skill=query.get("skill", "")[:LONGEST_PART],
            model=query.get("model", "").strip()[:LONGEST_PART],
            state=state if state in STATES else "",
            after=query.get("after", "")[:LONGEST_PART],
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether any run is left out for what it is."""
        return bool(self.skill or self.model or self.state)

    def address(self, repo: str, after: str = "") -> str:
        """Of the part after a run, with the same choice."""
        return runs_address(repo, skill=self.skill, model=self.model, state=self.state, after=after)


class RunsList:
    """The list of runs."""

    def __init__(self, figures: Figures, clock: Callable[[], datetime]) -> None:
        self._figures = figures
        self._clock = clock

    def routes(self, guard: Guard) -> list[BaseRoute]:
        return [Route("/repos/{owner}/{name}/runs", guard.open_page(self.show), methods=["GET"])]

    async def show(self, request: Request, visitor: Visitor) -> Response:
        """One part of the list."""
        repo = await find_repo(request, visitor, self._figures)
        if repo is None:
            return not_there(visitor)
        choice = RunChoice.read(request.query_params)

        async def make() -> Response:
            return await self._render(visitor, repo, choice)

        versions = [repo.is_private, await self._figures.version(repo)]
        return await answer_fresh(request, visitor, versions, make, now=self._clock())

    async def _render(self, visitor: Visitor, repo: SeenRepo, choice: RunChoice) -> Response:
        found = await self._figures.runs(
            repo,
            skill=choice.skill,
            model=choice.model,
            state=choice.state,
            after=choice.after,
            most=RUNS_A_PAGE,
        )
        [figures] = await self._figures.overview([repo])
        models = await self._figures.models(repo, choice.skill)
        return render(
            "runs.html",
            visitor,
            here="",
            repo=figures,
            choice=choice,
            found=found,
            skills=sorted(card.skill for card in figures.cards),
            models=models,
            states=STATES,
        )
