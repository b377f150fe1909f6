"""Archives that the App itself attached to the monthly releases, read back.

Whoever may write to a repository may attach files to its releases; only what the App's own
account uploaded is given out here.
"""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from bot.github.calls import Calls
from bot.github.download import download
from bot.github.issues import IsOwn
from bot.github.reads import base_of
from bot.github.releases import RELEASES_BEGIN_WITH
from jobs.requests import Repo

AS_A_FILE = {"Accept": "application/octet-stream"}


@dataclass(frozen=True, slots=True)
class KeptArchive:
    """An archive on a release."""

    id: int
    name: str
    url: str
    """Where people download it."""
    size: int


class KeptArchives:
    """The archives of one repository."""

    def __init__(
        self, calls: Calls, repo: Repo, is_own: IsOwn, *, plain: httpx.AsyncClient
    ) -> None:
        self._calls = calls
        self._base = base_of(repo)
        self._is_own = is_own
        self._plain = plain

    async def archives(self) -> AsyncIterator[KeptArchive]:
        """Every whole archive of ours."""
        async for release in self._calls.pages(f"{self._base}/releases"):
            if not str(release["tag_name"]).startswith(RELEASES_BEGIN_WITH):
                continue
            path = f"{self._base}/releases/{release['id']}/assets"
            async for asset in self._calls.pages(path):
                is_whole = asset["state"] == "uploaded"
                if is_whole and await self._is_own({"user": asset.get("uploader")}):
                    yield KeptArchive(
                        id=int(asset["id"]),
                        name=str(asset["name"]),
                        url=str(asset["browser_download_url"]),
                        size=int(asset["size"]),
                    )

    async def find(self, run_id: str) -> KeptArchive | None:
        """The newest archive of a run: its name ends in the run's id and a digest."""
        of_run = re.compile(rf"-{re.escape(run_id)}-[0-9a-f]{{12}}\.zip$")
        async for archive in self.archives():
            if of_run.search(archive.name):
                return archive
        return None

    async def fetch(self, archive: KeptArchive, target: Path) -> None:
        """Write an archive to `target`. Raises `Gone`, `Transient`, `Refused` if it has grown."""
        path = f"{self._base}/releases/assets/{archive.id}"
        await download(
            self._calls,
            path,
            target,
            plain=self._plain,
            largest=archive.size,
            headers=AS_A_FILE,
        )
