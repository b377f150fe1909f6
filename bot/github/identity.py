"""Who we are on GitHub, so that the App knows its own comments and never answers itself."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

NEEDED_PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
    "checks": "write",
}
"""Who may do what; the releases that hold archives, and branches; comments and labels; proposals
and reports; check runs with their buttons."""
NEEDED_EVENTS = ("issues", "issue_comment", "push", "pull_request", "check_run")
"""Those of the App's own installations come unasked."""
WISHED_EVENTS = ("repository",)
"""Without it the bot learns within the hour, not at once, that a repository became private."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The App as GitHub knows it."""

    app_id: int
    slug: str
    owner: str
    """Login of the account that owns the App."""
    missing: tuple[str, ...] = ()
    """What the App was not granted and needs, in words."""

    @property
    def bot_login(self) -> str:
        return f"{self.slug}[bot]"


def identity_of(body: dict[str, Any]) -> Identity:
    """Our value for the answer to `GET /app`."""
    granted, events = body.get("permissions") or {}, body.get("events") or []
    missing = [
        f"permission {name}: {access}"
        for name, access in NEEDED_PERMISSIONS.items()
        if granted.get(name) not in {access, "write", "admin"}
    ]
    missing += [f"event {name}" for name in NEEDED_EVENTS if name not in events]
    owner = body.get("owner") or {}
    return Identity(
        app_id=int(body["id"]),
        slug=str(body["slug"]),
        owner=str(owner.get("login") or owner.get("slug") or ""),
        missing=tuple(missing),
    )


class OwnComments:
    """Tells the App's own comments from all others, by ids.

    A comment that a person wrote through the App (signed in on its pages) names the App too,
    but its account is that person's: it is not the App's own.
    """

    def __init__(self, app_id: str, identity: Callable[[], Awaitable[Identity]]) -> None:
        """`app_id` as configured: a number, or a client id that only GitHub can translate."""
        self._app_id = int(app_id) if app_id.isdecimal() else None
        self._identity = identity
        self._bot_id: int | None = None
        self._asking = asyncio.Lock()

    def made_with(
        self, read: Callable[[str], Awaitable[Any]]
    ) -> Callable[[dict[str, Any]], Awaitable[bool]]:
        """The judgement for one installation; `read` asks GitHub with its token."""

        async def is_own(comment: dict[str, Any]) -> bool:
            author = comment.get("user") or {}
            if author.get("type") != "Bot":
                return False  # people need no further look, and they are most
            app = comment.get("performed_via_github_app")
            if app is not None:
                ours = self._app_id or (await self._identity()).app_id
                return bool(app.get("id") == ours)
            return bool(author.get("id") == await self._bot_account(read))

        return is_own

    async def _bot_account(self, read: Callable[[str], Awaitable[Any]]) -> int:
        async with self._asking:
            if self._bot_id is None:
                login = (await self._identity()).bot_login
                self._bot_id = int((await read(f"/users/{quote(login, safe='')}"))["id"])
            return self._bot_id
