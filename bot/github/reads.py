"""Questions about a repository: its newest commit, a commit's files, who may do what.

Nothing is kept: whoever asks for a permission gets the present one.
"""

import re
from pathlib import Path
from typing import cast, get_args
from urllib.parse import quote

import httpx

from bot.github.calls import Calls
from bot.github.download import LARGEST_TARBALL, download
from bot.github.failures import NotFound, Rejected
from bot.github.places import place_of
from jobs.errors import Refused, Transient
from jobs.ports import Permission
from jobs.requests import Repo

BARE_ID = {"Accept": "application/vnd.github.sha"}
COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
CUSTOM_ROLE_FALLBACK = "permission"
"""An organization's own roles have names of their own; this field maps them to the old four."""


class RepositoryReads:
    """Implements `jobs.ports.RepositoryReader`."""

    def __init__(
        self,
        calls: Calls,
        repo: Repo,
        *,
        plain: httpx.AsyncClient,
        largest_tarball: int = LARGEST_TARBALL,
    ) -> None:
        self._calls = calls
        self._repo = repo
        self._base = base_of(repo)
        self._plain = plain
        self._largest_tarball = largest_tarball

    async def default_commit(self) -> str:
        """Full SHA of the default branch's head. Raises `Refused` for an empty repository.

        Asks for the bare id: the same call in JSON brings all patches of the commit along.
        """
        try:
            answer = await self._calls.read(f"{self._base}/commits/HEAD", headers=BARE_ID)
        except Rejected as rejected:
            if rejected.status != httpx.codes.CONFLICT:
                raise
            raise Refused(
                f"{self._repo.full_name} has no commit yet: push the skill and its eval cases "
                "first."
            ) from None
        commit = answer.text.strip()
        if not COMMIT_ID.fullmatch(commit):
            raise Transient(f"GitHub gave no commit id for the head of {self._repo.full_name}")
        return commit

    async def download_tarball(self, commit: str, target: Path) -> None:
        """Write the tar.gz of a commit to `target`. Raises `Refused` if it is over the cap."""
        await download(
            self._calls,
            f"{self._base}/tarball/{quote(commit, safe='')}",
            target,
            plain=self._plain,
            largest=self._largest_tarball,
        )

    async def takes_issues(self) -> bool:
        """False where it is archived or disabled, or has its issues switched off."""
        entry = await self._calls.read_json(self._base)
        return place_of(entry, self._repo.installation_id).is_writable

    async def permission(self, login: str) -> Permission:
        """What a person may do here now; somebody GitHub does not know may do nothing."""
        who = quote(login, safe="")
        try:
            body = await self._calls.read_json(f"{self._base}/collaborators/{who}/permission")
        except NotFound:
            return "none"
        for name in (body.get("role_name"), body.get(CUSTOM_ROLE_FALLBACK)):
            if name in get_args(Permission):
                return cast("Permission", name)
        return "none"


def base_of(repo: Repo) -> str:
    """Path of a repository below the API's address."""
    return f"/repos/{quote(repo.owner, safe='')}/{quote(repo.name, safe='')}"
