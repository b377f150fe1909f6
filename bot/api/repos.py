"""`/repos`: repositories, their skills, and everything about one skill."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field, RootModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.api.asking import OF_REPO, Asked, Backend, RepoAsked
from bot.store.seen_repos import SeenRepo
from bot.web.doing import Doing, find_doing
from jobs.dashboard.addresses import LONGEST_PART
from jobs.dashboard.values import RepoFigures, SkillCard, SkillFigures
from jobs.requests import Value


class RepoPart(Value):
    """A part of the repositories that whoever asks may see, by name."""

    repos: tuple[RepoFigures, ...]
    total: int
    """All of them."""
    next: str = ""
    """What to ask for the part after it by; empty: there is none."""


class SkillCards(RootModel[tuple[SkillCard, ...]]):
    """A repository's skills, the one that was measured last first."""


class PartAsked(BaseModel):
    """Which part of the repositories is asked for."""

    model_config = ConfigDict(extra="forbid")

    after: str = Field(
        "", max_length=2 * LONGEST_PART, description="The `next` of the part before."
    )
    most: int = Field(20, ge=1, le=100, description="How many repositories.")


class SkillAsked(BaseModel):
    """Which skill is asked for."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(
        min_length=1, max_length=LONGEST_PART, description="Path of the skill's folder."
    )


def make_all_repos(backend: Backend) -> APIRouter:
    """The question about all repositories."""
    router = APIRouter(tags=["repositories"])

    @router.get("/repos", response_model=RepoPart)
    async def list_repositories(
        asked: Annotated[Asked, Depends(backend.ask)], part: Annotated[PartAsked, Query()]
    ) -> Response:
        """Repositories with runs, by name, each with a card for every skill."""
        seen = [repo for repo in await backend.figures.repos() if asked.visitor.sees(repo)]
        seen.sort(key=_name)
        behind = [repo for repo in seen if _name(repo) > part.after.lower()]
        shown = behind[: part.most]
        doing = await find_doing(backend.queue, shown)
        after = shown[-1].full_name if len(behind) > len(shown) else ""

        async def make() -> Response:
            found = await backend.figures.overview(shown)
            repos = tuple(_with_requests(one, doing) for one in found)
            return backend.give(asked, RepoPart(repos=repos, total=len(seen), next=after), after)

        names = [(repo.full_name, repo.is_private) for repo in shown]
        versions = await asyncio.gather(*map(backend.figures.version, shown))
        made_of = [len(seen), after, names, versions, doing.version]
        return await backend.answer(asked, made_of, make)

    return router


def make_one_repo(backend: Backend) -> APIRouter:
    """The questions about one repository and its skills."""
    router = APIRouter(prefix=OF_REPO, tags=["repositories"])

    @router.get("", response_model=RepoFigures)
    async def get_repository(asked: Annotated[RepoAsked, Depends(backend.ask_repo)]) -> Response:
        """One repository, with a card for every skill."""
        doing = await find_doing(backend.queue, [asked.repo])

        async def make() -> Response:
            [found] = await backend.figures.overview([asked.repo])
            return backend.give(asked, _with_requests(found, doing))

        version = await backend.figures.version(asked.repo)
        return await backend.answer(asked, [asked.repo.is_private, version, doing.version], make)

    @router.get("/skills", response_model=SkillCards)
    async def list_skills(asked: Annotated[RepoAsked, Depends(backend.ask_repo)]) -> Response:
        """A repository's skills, the one that was measured last first."""

        async def make() -> Response:
            [found] = await backend.figures.overview([asked.repo])
            return backend.give(asked, SkillCards(found.cards))

        return await backend.answer(asked, [await backend.figures.version(asked.repo)], make)

    @router.get("/skill", response_model=SkillFigures)
    async def get_skill(
        asked: Annotated[RepoAsked, Depends(backend.ask_repo)],
        skill: Annotated[SkillAsked, Query()],
    ) -> Response:
        """Everything about one skill: its sets, versions, eval cases, assertions and triggers."""

        async def make() -> Response:
            found = await backend.figures.skill(asked.repo, skill.path)
            if found is None:
                raise HTTPException(404)
            return backend.give(asked, found)

        version = await backend.figures.version(asked.repo, skill.path)
        return await backend.answer(asked, [version], make)

    return router


def _name(repo: SeenRepo) -> str:
    return repo.full_name.lower()


def _with_requests(found: RepoFigures, doing: Doing) -> RepoFigures:
    own = doing.of(found.repo)
    counts = {"running": len(own.running), "queued": len(own.waiting)}
    return found.model_copy(update=counts)
