"""Who asks the API, for what, and how they are answered."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Annotated
from urllib.parse import quote, urlencode

from fastapi import Path, Request
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response

from bot.queue_view import RedisQueueView
from bot.store.live_sessions import LiveReader
from bot.store.seen_repos import PRIVACY_FRESH, SeenRepo
from bot.web.access import Access, Visitor
from bot.web.comparing import Comparer
from bot.web.figures import Figures
from bot.web.fresh import OWN, answer_fresh
from bot.web.queue_reading import QueueReader
from bot.web.run_reader import RunReader
from bot.web.runs import Runs
from bot.web.shell import HEADERS
from config.settings import Settings

ROOT = "/api/v1"
OF_REPO = "/repos/{owner}/{name}"
LONGEST_NAME = 140

Owner = Annotated[str, Path(max_length=LONGEST_NAME, description="Who the repository belongs to.")]
Name = Annotated[str, Path(max_length=LONGEST_NAME, description="Name of the repository.")]
Run = Annotated[str, Path(max_length=64, description="Id of the run, 12 hexadecimal digits.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and who asks it."""

    request: Request
    visitor: Visitor


@dataclass(frozen=True, slots=True)
class RepoAsked(Asked):
    """The same about a repository that they may see."""

    repo: SeenRepo


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """What the answers are made from."""

    settings: Settings
    access: Access
    figures: Figures
    reader: RunReader
    live: LiveReader
    queue: RedisQueueView
    requests: QueueReader
    datasets: Runs
    comparer: Comparer
    clock: Callable[[], datetime]

    async def ask(self, request: Request) -> Asked:
        """Who asks. Raises 401 where GitHub must first be asked anew what they may see.

        A script of another site asks as nobody, whoever's browser it runs in: only such questions
        name an origin.
        """
        if "origin" in request.headers:
            since = self.clock() - PRIVACY_FRESH if self.settings.public_pages else None
            return Asked(request, Visitor("", public_since=since))
        visitor = await self.access.visitor(request)
        if visitor.is_stale:
            raise HTTPException(401)
        return Asked(request, replace(visitor, form_key=""))  # there are no forms in an answer

    async def ask_operator(self, request: Request) -> Asked:
        """One of the operator's users. Raises 404 for all others: nothing is there for them."""
        asked = await self.ask(request)
        if not asked.visitor.is_operator:
            raise HTTPException(404)
        return asked

    async def ask_repo(self, request: Request, owner: Owner, name: Name) -> RepoAsked:
        """The repository of the address. Raises 404 where it is none, or none of theirs."""
        asked = await self.ask(request)
        repo = await self.figures.repo(f"{owner}/{name}")
        if repo is None or not asked.visitor.sees(repo):
            raise HTTPException(404)
        return RepoAsked(request, asked.visitor, repo)

    async def answer(
        self, asked: Asked, versions: Sequence[object], make: Callable[[], Awaitable[Response]]
    ) -> Response:
        """What `make` makes, or 304 where whoever asks has it: it follows from `versions`."""
        now = self.clock()
        response = await answer_fresh(asked.request, asked.visitor, versions, make, now=now)
        response.headers.add_vary_header("origin")
        return response

    async def answer_now(
        self, asked: Asked, versions: Sequence[object], make: Callable[[], Awaitable[Response]]
    ) -> Response:
        """The same for what changes by the second."""
        response = await self.answer(asked, versions, make)
        response.headers["cache-control"] = OWN
        return response

    async def answer_value(self, asked: Asked, value: BaseModel, after: str = "") -> Response:
        """An answer that alone says whether it is new; `after` as `give` has it."""
        given = self.give(asked, value, after)

        async def make() -> Response:
            return given

        return await self.answer_now(asked, [sha256(bytes(given.body)).hexdigest()], make)

    def give(self, asked: Asked, value: BaseModel, after: str = "") -> Response:
        """An answer; `after` is where the part of a list that follows begins, empty: nowhere."""
        response = _as_json(value.model_dump_json())
        if after:
            base = self.settings.public_url or str(asked.request.base_url)
            query = urlencode({**asked.request.query_params, "after": after})
            path = quote(asked.request.url.path.removeprefix(ROOT))
            address = f"{base.removesuffix(f'{ROOT}/').rstrip('/')}{ROOT}{path}?{query}"
            response.headers["link"] = f'<{address}>; rel="next"'
        return response


def _as_json(text: str) -> Response:
    return Response(text, headers=HEADERS, media_type="application/json")
