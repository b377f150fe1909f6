"""Who somebody on GitHub is, and which repositories they reach through this App.

Asked once at each sign-in, with a token of the person's own that is forgotten afterwards. Only
repositories that the bot has had to do with are kept, so that of a large account little is asked
and little remembered. No address in an answer is followed: the token would go along.
https://docs.github.com/rest/apps/installations#list-app-installations-accessible-to-the-user-access-token
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
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

log = structlog.get_logger(__name__)


class NotTold(Exception):  # noqa: N818 -- said on the page
    """What GitHub did not tell, in a sentence."""


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

    async def with_roles(self, who: SignedIn, seen: Mapping[str, SeenRepo]) -> SignedIn:
        """The same person with their role in each repository that was `seen`, by its name in
        lower case.
        """
        roles: dict[str, Role] = {}
        try:
            async with asyncio.timeout(ALL_IN_S):
                async for key, role in self._roles(seen):
                    roles[key] = role
                    if len(roles) >= MOST_KEPT:
                        log.warning("roles_left_out", login=who.login, kept=len(roles))
                        break
        except TimeoutError:
            raise NotTold("GitHub took too long to list your repositories; try again.") from None
        return who.model_copy(update={"roles": roles})

    async def _roles(self, seen: Mapping[str, SeenRepo]) -> AsyncIterator[tuple[str, Role]]:
        wanted = {one.installation_id for one in seen.values()}
        left = MOST_PAGES
        for installation in await self._installations():
            if installation.id not in wanted or installation.suspended_at:
                continue
            path = f"/user/installations/{installation.id}/repositories"
            for page in range(1, left + 1):
                found = (await self._get(path, _Repositories, page)).repositories
                left -= 1
                for one in found:
                    role = find_role(one.permissions)
                    known = seen.get(one.full_name.lower())
                    if role and known and known.installation_id == installation.id:
                        yield make_right_key(installation.id, one.full_name), role
                if len(found) < PER_PAGE:
                    break
            if left <= 0:
                log.warning("pages_left_out", installation=installation.id)
                return

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
        raise NotTold(f"GitHub answered with {answer.status_code}.")
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotTold("GitHub's answer cannot be read.") from None
