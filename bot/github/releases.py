"""Archives kept for ever: assets of a monthly pre-release.

Names of assets hold a digest of their content, so one name is one content and is never
replaced. A release that takes no more (1,000 assets, or made immutable) is followed by a
second part, `benchmark-results-2026-05-2`, and so on. Where a repository makes every release
immutable, one is born closed and empty; then there is no use in a further one.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import structlog

from bot.github.calls import Calls, json_of
from bot.github.failures import NotFound, Rejected
from bot.github.reads import base_of
from jobs.errors import Refused
from jobs.requests import Repo

log = structlog.get_logger(__name__)

RELEASES_BEGIN_WITH = "benchmark-results-"
MOST_ASSETS = 1000
"""https://docs.github.com/repositories/releasing-projects-on-github/about-releases"""
MOST_PARTS = 50
CHUNK = 1 << 20
MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
ASSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
"""GitHub renames whatever else it is given, and the asset would not be found again."""

RELEASE_TEXT = """\
Outputs, transcripts and verdicts of the benchmark runs of {month}, one archive a run. The
report on each issue links to its archive; the bot reads its index back from them, so please
leave them in place.
"""


class Full(Exception):  # noqa: N818 -- an outcome that leads to the next part
    """The release takes no further asset."""


class Releases:
    """Implements `jobs.ports.Archives`."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._base = base_of(repo)

    async def upload(self, month: str, name: str, content: Path) -> str:
        """Attach the file once and give the address to download it from.

        Raises `Refused` where GitHub takes no archive here, with the reason, and `ValueError` for
        a month or a name that cannot be found again.
        """
        if not MONTH.fullmatch(month):
            raise ValueError(f"not a month: {month!r}")
        if not ASSET_NAME.fullmatch(name):
            raise ValueError(f"GitHub would rename an asset called {name!r}")
        for part in range(1, MOST_PARTS + 1):
            tag = f"{RELEASES_BEGIN_WITH}{month}" + (f"-{part}" if part > 1 else "")
            try:
                release = await self._release(tag, month)
                return await self._attach(release, name, content)
            except Full:
                log.info("release_full", tag=tag)
            except Rejected as rejected:
                log.warning("archive_refused", tag=tag, problem=str(rejected))
                raise Refused(f"GitHub refused it ({rejected.said[:200]})") from None
            if release.get("immutable") and not release.get("assets"):
                raise Refused("releases of this repository are immutable from the start")
        raise Refused(f"{MOST_PARTS} releases of {month} are full")

    async def _release(self, tag: str, month: str) -> dict[str, Any]:
        """The release with this tag, made if it is missing."""
        path = f"{self._base}/releases/tags/{tag}"
        try:
            return dict(await self._calls.read_json(path))
        except NotFound:
            body = {
                "tag_name": tag,
                "name": tag,
                "body": RELEASE_TEXT.format(month=month),
                "prerelease": True,
                "make_latest": "false",
            }

        async def attempt() -> dict[str, Any]:
            try:
                answer = await self._calls.send("POST", f"{self._base}/releases", json=body)
                return dict(json_of(answer))
            except Rejected as rejected:
                # somebody was quicker: another worker, or our own attempt whose answer was lost
                if "already_exists" not in rejected.codes:
                    raise
                return dict(await self._calls.read_json(path))

        return await self._calls.write(attempt)

    async def _attach(self, release: dict[str, Any], name: str, content: Path) -> str:
        listed = release.get("assets") or []
        if (found := _named(listed, name)) and _is_whole(found):
            return str(found["browser_download_url"])
        if release.get("immutable") or len(listed) >= MOST_ASSETS:
            raise Full

        async def attempt() -> str:
            try:
                asset = await self._send(release, name, content)
            except Rejected as rejected:
                there = await self._settle(release, name, rejected)
                asset = there or await self._send(release, name, content)
            return str(asset["browser_download_url"])

        return await self._calls.write(attempt)

    async def _send(self, release: dict[str, Any], name: str, content: Path) -> dict[str, Any]:
        size = await asyncio.to_thread(lambda: content.stat().st_size)
        # the API's own host may not take uploads; only the release knows where they go
        address = str(release["upload_url"]).partition("{")[0]
        answer = await self._calls.send(
            "POST",
            address,
            params={"name": name},
            headers={"Content-Type": "application/zip", "Content-Length": str(size)},
            content=lambda: _chunks(content),
        )
        return dict(json_of(answer))

    async def _settle(
        self, release: dict[str, Any], name: str, rejected: Rejected
    ) -> dict[str, Any] | None:
        """What a refused upload means: the asset is there, or a husk of it was cleared away.

        Raises `Full` where the release takes no more, else what GitHub said.
        """
        path = f"{self._base}/releases/{release['id']}/assets"
        listed = [asset async for asset in self._calls.pages(path)]
        found = _named(listed, name)
        if found and _is_whole(found):
            return found
        if found:
            # an upload that broke off leaves its name behind, with the state `starter`
            await self._calls.send("DELETE", f"{self._base}/releases/assets/{found['id']}")
            return None
        if len(listed) >= MOST_ASSETS or "immutable" in rejected.said.lower():
            raise Full from None
        raise rejected


def _named(assets: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((asset for asset in assets if asset["name"] == name), None)


def _is_whole(asset: dict[str, Any]) -> bool:
    return bool(asset.get("state") == "uploaded")


async def _chunks(content: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(content.open, "rb")
    try:
        while chunk := await asyncio.to_thread(file.read, CHUNK):
            yield chunk
    finally:
        await asyncio.to_thread(file.close)
