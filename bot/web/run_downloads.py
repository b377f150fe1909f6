"""What can be taken along of a run: its files, its transcripts, its archive, its result as JSON.

Files of sessions are hostile. Pictures are shown where their first bytes say so; all else is a
download, whatever its name is, and no browser takes it for a page of this server.
"""

import asyncio
import json
import tempfile
import time
import weakref
import zipfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore
from typing import BinaryIO
from urllib.parse import quote

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from bot.web.access import Visitor
from bot.web.downloads import SEALED
from bot.web.figures import Figures
from bot.web.fresh import OWN, not_there
from bot.web.guard import Guard
from bot.web.run_bundles import CHUNK, Damaged, SessionFiles
from bot.web.run_page import HERE, Asked, find_asked
from bot.web.run_reader import FoundRun, RunReader
from bot.web.run_views import LARGEST_PICTURE, sniff_picture
from bot.web.shell import problem
from jobs.again.kept_runs import session_keys_of
from jobs.errors import Transient
from jobs.reporting.archive import RESULT_VERSION, ArchiveContent, make_archive, session_folder
from jobs.sessions.workspace import remove_tree
from jobs.steps import SessionKey
from jobs.values import SessionResult

FILE_HEADERS = SEALED | {"cache-control": OWN}
ARCHIVES_AT_ONCE = 2
MOST_ARCHIVES = 16
"""That wait, are made or are sent: each takes room on the disk until its reader has it."""
LONGEST_PACKING_S = 3_600.0
SWEPT = "Its files are not kept here any more."

log = structlog.get_logger(__name__)


class RunDownloads:
    """The files of runs."""

    def __init__(self, reader: RunReader, figures: Figures) -> None:
        self._reader = reader
        self._figures = figures
        self._packing = asyncio.Semaphore(ARCHIVES_AT_ONCE)
        self._room = BoundedSemaphore(MOST_ARCHIVES)

    def routes(self, guard: Guard) -> list[BaseRoute]:
        parts = {
            "file": self.file,
            "transcript.jsonl": self.transcript,
            "archive.zip": self.archive,
            "run.json": self.result,
        }
        return [
            Route(f"{HERE}/{name}", guard.open_page(show), methods=["GET"])
            for name, show in parts.items()
        ]

    async def file(self, request: Request, visitor: Visitor) -> Response:
        """A file of a session, by the name that the session's result has."""
        path = request.query_params.get("path", "")
        asked = await find_asked(request, visitor, self._figures, self._reader)
        session = find_session(request, asked)
        outputs = session.outputs if session else ()
        listed = next((one for one in outputs if one.path == path), None)
        if listed is None:
            return not_there(visitor)
        opening = await self._open(visitor, asked, session)
        if isinstance(opening, Response):
            return opening
        stack = ExitStack()
        try:
            files = await run_in_threadpool(stack.enter_context, opening)
            kind = sniff_picture(await run_in_threadpool(files.read, listed, 16))
        except Damaged as damage:
            await run_in_threadpool(stack.close)
            return _damaged(visitor, damage)
        is_shown = kind is not None and listed.size_bytes <= LARGEST_PICTURE
        headers = {
            "content-length": str(listed.size_bytes),
            "content-disposition": _disposition(path, is_shown=is_shown),
        }
        media = kind if kind is not None and is_shown else "application/octet-stream"
        return _stream(files.chunks(listed), stack, headers, media)

    async def transcript(self, request: Request, visitor: Visitor) -> Response:
        """A session's transcript, one event a line."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        session = find_session(request, asked)
        opening = await self._open(visitor, asked, session)
        if isinstance(opening, Response):
            return opening
        stack = ExitStack()
        try:
            files = await run_in_threadpool(stack.enter_context, opening)
            member = await run_in_threadpool(stack.enter_context, files.transcript())
        except Damaged as damage:
            await run_in_threadpool(stack.close)
            return _damaged(visitor, damage)
        name = f"{session.arm}-{session.trial}.jsonl" if session else "transcript.jsonl"
        headers = {"content-disposition": _disposition(name, is_shown=False)}
        return _stream(iter(lambda: member.read(CHUNK), b""), stack, headers, "application/jsonl")

    async def archive(self, request: Request, visitor: Visitor) -> Response:
        """The archive as it is stored, else one that is made of what is kept."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        found = asked.found if asked else None
        if asked is None or found is None or found.result is None:
            return not_there(visitor)
        headers = {"content-disposition": _disposition(f"{asked.run_id}.zip", is_shown=False)}
        pieces = await self._reader.blobs.pieces(found.archive) if found.archive else None
        if pieces is not None:
            return StreamingResponse(
                pieces, headers=FILE_HEADERS | headers, media_type="application/zip"
            )
        try:
            file = await self._pack_in_turn(found)
        except (Damaged, OSError, zipfile.BadZipFile) as damage:
            log.warning("archive_not_made", run=asked.run_id, problem=str(damage))
            return _damaged(visitor, Damaged("what is kept cannot be packed"))
        stack = ExitStack()
        stack.enter_context(file)
        return _stream(iter(lambda: file.read(CHUNK), b""), stack, headers, "application/zip")

    async def result(self, request: Request, visitor: Visitor) -> Response:
        """Everything that the report was made from, as `result.json` in an archive has it."""
        asked = await find_asked(request, visitor, self._figures, self._reader)
        if asked is None or asked.found is None:
            return not_there(visitor)
        content = await asyncio.to_thread(_render_result, asked.found)
        headers = {"content-disposition": _disposition(f"{asked.run_id}.json", is_shown=False)}
        return Response(content, headers=FILE_HEADERS | headers, media_type="application/json")

    async def _open(
        self, visitor: Visitor, asked: Asked | None, session: SessionResult | None
    ) -> Response | AbstractContextManager[SessionFiles]:
        """The files of a session, which the caller opens and closes; or why there are none."""
        if asked is None or asked.found is None or session is None:
            return not_there(visitor)
        try:
            opening = await self._reader.open_files(asked.found, session)
        except Damaged as damage:
            return _damaged(visitor, damage)
        return opening or problem(visitor, 404, "Not kept", SWEPT)

    async def _pack_in_turn(self, found: FoundRun) -> BinaryIO:
        """The same as `_pack`, for as many as there is room for. Raises `Transient`."""
        if not self._room.acquire(blocking=False):
            raise Transient("many archives are being made and sent")
        try:
            async with self._packing:
                file = await self._pack(found)
        except BaseException:
            self._room.release()
            raise
        weakref.finalize(file, self._room.release)  # however its reader goes
        return file

    async def _pack(self, found: FoundRun) -> BinaryIO:
        """An archive of the result and of those bundles that are kept, open and without a name:
        whoever stops reading leaves nothing behind.
        """
        result = found.result
        if result is None:
            raise Damaged(SWEPT)
        folder = await asyncio.to_thread(_make_folder, self._reader.scratch)
        try:
            bundles: dict[str, Path] = {}
            for key in session_keys_of(result):
                if await self._fetch(found, key, folder / key.bundle):
                    place = session_folder(key.arm, key.trial, result.spec)
                    bundles[place] = folder / key.bundle
            archive = await make_archive(ArchiveContent(result=result, bundles=bundles), folder)
            return await asyncio.to_thread(archive.path.open, "rb")
        finally:
            await asyncio.to_thread(remove_tree, folder)

    async def _fetch(self, found: FoundRun, key: SessionKey, target: Path) -> bool:
        source = found.sources.get(key)
        pieces = await self._reader.blobs.pieces(source.key) if source else None
        if pieces is None:
            return False
        with await asyncio.to_thread(target.open, "xb") as file:
            async for piece in pieces:
                await asyncio.to_thread(file.write, piece)
        return True


def _make_folder(scratch: Path) -> Path:
    """A new folder; those that a process left which was killed are removed."""
    scratch.mkdir(parents=True, exist_ok=True)
    for left in scratch.iterdir():
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > LONGEST_PACKING_S:
                remove_tree(left)
    return Path(tempfile.mkdtemp(dir=scratch))


def find_session(request: Request, asked: Asked | None) -> SessionResult | None:
    """The session that the query names by its arm and trial; None where there is none."""
    result = asked.found.result if asked and asked.found else None
    if result is None:
        return None
    named = request.query_params.get("arm", ""), request.query_params.get("trial", "1")
    return next((one for one in result.sessions if (one.arm, str(one.trial)) == named), None)


def _stream(
    chunks: Iterator[bytes], stack: ExitStack, headers: Mapping[str, str], media: str
) -> Response:
    """An answer a little at a time; what is open is closed however it ends."""

    async def body() -> AsyncIterator[bytes]:
        try:
            while (chunk := await run_in_threadpool(next, chunks, None)) is not None:
                yield chunk
        finally:
            await asyncio.shield(run_in_threadpool(stack.close))

    return StreamingResponse(body(), headers=FILE_HEADERS | dict(headers), media_type=media)


def _disposition(path: str, *, is_shown: bool) -> str:
    """How a browser is to take a file, under the last part of its name.

    RFC 6266: the plain name for old programs, the whole one beside it.
    """
    name = PurePosixPath(path.replace("\\", "/")).name or "file"
    plain = "".join(
        one if one.isascii() and (one.isalnum() or one in "._-") else "_" for one in name
    )
    # marks that turn the writing round would let `gpj.exe` look like a picture
    seen = "".join(one if one.isprintable() else "_" for one in name)
    whole = quote(seen.encode("utf-8", "replace"), safe="")
    return (
        f"{'inline' if is_shown else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{whole}"
    )


def _render_result(found: FoundRun) -> bytes:
    content = {
        "version": RESULT_VERSION,
        "record": found.record.model_dump(mode="json"),
        "run": found.result.model_dump(mode="json") if found.result else None,
    }
    # escapes in ASCII let half a character through
    return json.dumps(content, indent=1).encode("ascii") + b"\n"


def _damaged(visitor: Visitor, damage: Damaged) -> Response:
    return problem(visitor, 410, "Damaged", f"This cannot be shown: {damage}.")
