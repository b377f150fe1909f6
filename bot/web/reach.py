"""Who somebody on GitHub is, and which repositories they reach through this App.

Asked once at each sign-in, with a token of the person's own that is forgotten afterwards. Only
repositories that the bot knows are kept, and only so much is asked: of an account that reaches
more, what comes first. No address in an answer is followed: the token would go along.
https://docs.github.com/rest/apps/installations#list-app-installations-accessible-to-the-user-access-token
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import TypeVar

import httpx
import msgspec
import structlog

from bot.store.seen_repos import SeenRepo
from bot.store.sign_ins import SignedIn, make_right_key
from config.repo_kinds import Role

ROLE_OF: Mapping[str, Role] = {
    "admin": "admin",
    "maintain": "maintain",
    "push": "write",
    "triage": "triage",
    "pull": "read",
}
"""Our word for each of GitHub's permissions on a repository, the weightiest first."""
PER_PAGE = 100
MOST_INSTALLATION_PAGES = 10
MOST_PAGES = 100
"""Pages of repositories, of all installations together."""
MOST_KEPT = 2_000
"""Repositories that are remembered of one person."""
ALL_IN_S = 30.0
"""However much there is to read: somebody looks at an empty page meanwhile."""
LARGEST_ANSWER = 4 * 1024 * 1024
"""A page of a hundred repositories is of about 600 kB."""

Answer = TypeVar("Answer")
FindSeen = Callable[[Collection[str]], Awaitable[Mapping[str, SeenRepo]]]
"""Gives the repositories with these names that the bot knows, by name in lower case."""

log = structlog.get_logger(__name__)


GONE = frozenset({403, 404})
"""What is answered about an installation that was suspended or removed this moment."""


class NotTold(Exception):  # noqa: N818 -- said on the page
    """What GitHub did not tell, in a sentence."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class _User(msgspec.Struct):
    login: str
    id: int


class _Installation(msgspec.Struct):
    id: int
    suspended_at: str | None = None


class _Installations(msgspec.Struct):
    installations: list[_Installation]


class _Repository(msgspec.Struct):
    full_name: str
    permissions: dict[str, bool] = msgspec.field(default_factory=dict)


class _Repositories(msgspec.Struct):
    repositories: list[_Repository]


class Reach:
    """Asks GitHub in the name of one person. Raises `NotTold`."""

    def __init__(self, api_url: str, token: str, client: httpx.AsyncClient) -> None:
        self._api_url = api_url
        self._client = client
        self._headers = {
            "accept": "application/vnd.github+json",
            "authorization": f"Bearer {token}",
            "x-github-api-version": "2022-11-28",
        }

    async def who(self) -> SignedIn:
        """Who that is, without any repository."""
        user = await self._get("/user", _User)
        if not user.login:
            raise NotTold("GitHub did not say who that is.")
        return SignedIn(login=user.login, user_id=user.id, asked_at=datetime.now(UTC))

    async def with_roles(self, who: SignedIn, find_seen: FindSeen) -> SignedIn:
        """The same person with their role in each repository that the bot knows."""
        roles: dict[str, Role] = {}
        try:
            async with asyncio.timeout(ALL_IN_S):
                async for key, role in self._roles(find_seen):
                    roles[key] = role
                    if len(roles) >= MOST_KEPT:
                        log.warning("roles_left_out", login=who.login, kept=len(roles))
                        break
        except TimeoutError:
            raise NotTold("GitHub took too long to list your repositories; try again.") from None
        return who.model_copy(update={"roles": roles})

    async def _roles(self, find_seen: FindSeen) -> AsyncIterator[tuple[str, Role]]:
        left = MOST_PAGES
        for installation in await self._installations():
            if installation.suspended_at:
                continue
            page = 1
            while left > 0:
                found = await self._repositories(installation.id, page)
                seen = await find_seen([one.full_name for one in found])
                for one in found:
                    role, known = find_role(one.permissions), seen.get(one.full_name.lower())
                    if role and known and known.installation_id == installation.id:
                        yield make_right_key(installation.id, one.full_name), role
                left, page = left - 1, page + 1
                if len(found) < PER_PAGE:
                    break
        if left <= 0:
            log.warning("repositories_left_out", pages=MOST_PAGES)

    async def _repositories(self, installation: int, page: int) -> list[_Repository]:
        path = f"/user/installations/{installation}/repositories"
        try:
            return (await self._get(path, _Repositories, page)).repositories
        except NotTold as problem:
            if problem.status not in GONE:
                raise
            log.info("installation_not_shown", installation=installation, status=problem.status)
            return []

    async def _installations(self) -> list[_Installation]:
        installations: dict[int, _Installation] = {}
        for page in range(1, MOST_INSTALLATION_PAGES + 1):
            found = (await self._get("/user/installations", _Installations, page)).installations
            installations |= {one.id: one for one in found}
            if len(found) < PER_PAGE:
                break
        return list(installations.values())

    async def _get(self, path: str, kind: type[Answer], page: int | None = None) -> Answer:
        query = {"per_page": PER_PAGE, "page": page} if page else {}
        request = self._client.build_request(
            "GET", self._api_url + path, params=query, headers=self._headers
        )
        return await read_answer(self._client, request, kind)


def find_role(permissions: Mapping[str, bool]) -> Role | None:
    """The role that permissions amount to; None where they amount to nothing."""
    return next((role for name, role in ROLE_OF.items() if permissions.get(name) is True), None)


async def read_answer(
    client: httpx.AsyncClient, request: httpx.Request, kind: type[Answer]
) -> Answer:
    """What GitHub answers, read as this kind. Raises `NotTold`."""
    try:
        answer = await client.send(request, stream=True)
        try:
            content = b""
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > LARGEST_ANSWER:
                    raise NotTold("GitHub's answer is too large.")
        finally:
            await answer.aclose()
    except httpx.HTTPError as trouble:
        raise NotTold(f"GitHub does not answer ({type(trouble).__name__}).") from None
    if answer.status_code != httpx.codes.OK:
        raise NotTold(f"GitHub answered with {answer.status_code}.", answer.status_code)
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotTold("GitHub's answer cannot be read.") from None
