"""Blobs between workers: skill snapshots, output folders, archives.

One store by address: `file://` on one machine, `s3://` where workers run on several
(credentials and endpoint come from the usual `AWS_` variables). Keys are ours, but parts of
them come from far away, so only plain ones are taken. Only upkeep lists them.
"""

import asyncio
import re
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import obstore
import structlog
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from jobs.errors import Error, Transient

PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}"
"""No part can be `.` or `..`, and every part fits a file name."""
KEY = re.compile(rf"{PART}(?:/{PART})*")
LONGEST_KEY = 512
"""Half of what S3 takes."""
PIECE = 256 * 1024
"""Bytes in hand for one reader."""
PATIENCE_S = (1.0, 5.0, 15.0, 30.0)
"""Pauses of a worker whose store is full or away; then the request is tried again later."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Stored:
    """A blob's key, and when it was put there last."""

    key: str
    changed_at: datetime


class Blobs:
    """Implements `jobs.ports.BlobStore`.

    Every method raises `ValueError` for a key that is not plain, and `Transient` where the
    store fails; a local disk's own trouble is an `OSError`.
    """

    def __init__(self, url: str, *, pauses_s: Sequence[float] = ()) -> None:
        """Open the store at `url`; a missing folder is made. Raises as `open_store` does.

        Putting is tried again after each of `pauses_s`: what is put has often been paid for.
        """
        self._store = open_store(url)
        self._pauses_s = pauses_s

    async def put(self, key: str, content: bytes | Path) -> None:
        """Store bytes or a file under a key, whole or not at all."""
        checked(key)
        for pause_s in self._pauses_s:
            try:
                await self._put(key, content)
            except (Transient, OSError) as trouble:
                log.warning("blob_put_again", key=key, pause_s=pause_s, problem=str(trouble))
                await asyncio.sleep(pause_s)
            else:
                return
        await self._put(key, content)

    async def _put(self, key: str, content: bytes | Path) -> None:
        try:
            await obstore.put_async(self._store, key, content)
        except BaseError as problem:
            raise _trouble("put", key, problem) from problem

    async def get(self, key: str) -> bytes | None:
        """The bytes under a key; None where nothing is stored."""
        try:
            found = await obstore.get_async(self._store, checked(key))
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            return None
        except BaseError as problem:
            raise _trouble("get", key, problem) from problem

    async def pieces(self, key: str) -> AsyncIterator[bytes] | None:
        """The bytes under a key, a little at a time; None where nothing is stored."""
        try:
            found = await obstore.get_async(self._store, checked(key))
        except FileNotFoundError:
            return None
        except BaseError as problem:
            raise _trouble("get", key, problem) from problem
        return _one_by_one(found.stream(min_chunk_size=PIECE))

    async def exists(self, key: str) -> bool:
        try:
            await obstore.head_async(self._store, checked(key))
        except FileNotFoundError:
            return False
        except BaseError as problem:
            raise _trouble("look up", key, problem) from problem
        return True

    async def walk(self, folder: str) -> AsyncIterator[Stored]:
        """Everything below a folder, in no order that one could count on."""
        try:
            async for chunk in obstore.list(self._store, checked(folder), chunk_size=1000):
                for found in chunk:
                    yield Stored(found["path"], found["last_modified"])
        except BaseError as problem:
            raise _trouble("list", folder, problem) from problem

    async def delete(self, key: str) -> None:
        """Remove what is stored under a key; nothing stored is no error."""
        try:
            await obstore.delete_async(self._store, checked(key))
        except FileNotFoundError:
            return
        except BaseError as problem:
            raise _trouble("delete", key, problem) from problem


async def _one_by_one(stream: AsyncIterable[Any]) -> AsyncIterator[bytes]:
    async for piece in stream:
        yield bytes(piece)


def open_store(url: str) -> ObjectStore:
    """The store at a `file://` or `s3://` address.

    Raises `ValueError` for any other, `Error` where the folder cannot be made.
    """
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in {"", "localhost"} and parts.path:
        folder = unquote(parts.path)
        try:
            return LocalStore(folder, mkdir=True, automatic_cleanup=True)
        except OSError as problem:
            raise Error(
                f"The folder {folder} cannot be made ({problem}). Set SKILLBENCH_DATA_DIR, or "
                "SKILLBENCH_BLOB_URL if you gave one, to a place that can be written to."
            ) from None
    if parts.scheme == "s3" and parts.netloc:
        # an endpoint is the operator's choice, and a store on the own network may speak plain HTTP
        return from_url(url, client_options={"allow_http": True})
    raise ValueError(
        f"SKILLBENCH_BLOB_URL must be file:///folder or s3://bucket/prefix, not {parts.scheme}://"
    )


def checked(key: str) -> str:
    """The key itself, if it is plain: parts of letters, digits, `.`, `_`, `-` joined by `/`."""
    if len(key) > LONGEST_KEY or not KEY.fullmatch(key):
        raise ValueError(f"not a key of a blob: {key[:80]!r}")
    return key


def _trouble(doing: str, key: str, problem: BaseError) -> Transient:
    return Transient(f"the blob store could not {doing} {key} ({type(problem).__name__})")
