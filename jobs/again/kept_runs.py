"""A run that has ended, read back whole: from the blob store, else from its archive on GitHub.

The blob store forgets after some weeks and the archives stay, so either may be the only one.
What lies in an archive is checked as everything that comes from outside: names, sizes, digests.
"""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from jobs.broken_zip import BROKEN_ZIP
from jobs.errors import Refused
from jobs.keeping import request_folder
from jobs.leaks.guesser import with_guess
from jobs.ports import BlobStore
from jobs.publishing import archive_pointer
from jobs.reporting.archive import session_folder
from jobs.requests import Request
from jobs.results import RunResult
from jobs.sessions.bundle import EARLIEST, OUTPUT, SESSION, TRANSCRIPT
from jobs.sessions.workspace import remove_tree
from jobs.steps import SessionKey
from jobs.weak_evals.canaries import with_canaries
from jobs.world import World

RESULT = "result.json"
LARGEST_RESULT = 50_000_000
"""Bytes of the `result.json` in an archive."""
LARGEST_BUNDLE = 1_000_000_000
"""Bytes of what a session left, unpacked."""
_CHUNK = 1024 * 1024

ReadResult = Callable[[bytes], RunResult]
"""Makes a result of what is stored, in a thread; raises `ValidationError` where it cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """A run as it ended: its result, and the bundles of its sessions."""

    result: RunResult
    bundles: dict[SessionKey, Path]


@asynccontextmanager
async def open_kept_run(
    run_id: str, request: Request, world: World
) -> AsyncIterator[tuple[KeptRun, Path]]:
    """A run of the request's repository, and a folder to write in that is removed afterwards.

    Raises `Refused` where nothing of the run is kept, and as `find_kept_run` does.
    """
    folder = world.runs.scratch / f"again-{request_folder(request).rpartition('/')[2][:12]}"
    await asyncio.to_thread(remove_tree, folder)
    folder.mkdir(parents=True)
    try:
        kept = await find_kept_run(run_id, folder, world, request.repo.full_name)
        if kept is None:
            raise Refused(
                f"nothing of the run `{run_id}` is kept any more: neither in this bot's store nor "
                "in an archive on a release of this repository."
            )
        yield kept, folder
    finally:
        await asyncio.to_thread(remove_tree, folder)


async def find_kept_run(run_id: str, folder: Path, world: World, repo: str) -> KeptRun | None:
    """A run of the repository `repo` (`owner/name`); None where nothing of it is kept.

    Its bundles are written into `folder`. Raises `Refused` for an archive that cannot be read,
    `Transient` and `Gone` as GitHub does.
    """
    found = await _from_blobs(run_id, folder, world, repo)
    found = found or await _from_stored_archive(run_id, folder, world, repo)
    return found or await _from_archive(run_id, folder, world)


async def find_kept_result(
    run_id: str, blobs: BlobStore, repo: str, read: ReadResult = RunResult.model_validate_json
) -> RunResult | None:
    """What a run of `repo` found out, while the blob store has it; its bundles may be gone."""
    result = await find_ended(run_id, blobs, repo, read)
    return None if result is None else await with_guess(await with_canaries(result, blobs), blobs)


async def find_ended(
    run_id: str, blobs: BlobStore, repo: str, read: ReadResult = RunResult.model_validate_json
) -> RunResult | None:
    """The same as it was when the run ended, without what was found out beside it."""
    stored = await blobs.get(f"runs/{run_id}/ended.json")
    if stored is None:
        return None
    try:
        result = await asyncio.to_thread(read, stored)
    except ValidationError:
        return None  # of another version; the archive may be of one that can be read
    # the blob store is one for all repositories, and an id no secret
    return result if result.spec.repo.full_name.casefold() == repo.casefold() else None


async def find_stored_archive(run_id: str, blobs: BlobStore) -> str | None:
    """Under which key the blob store has a run's archive; None where it has none.

    Whose run it is stands in the archive alone.
    """
    name = await blobs.get(archive_pointer(run_id))
    key = f"archives/{name.decode()}" if name else None
    return key if key and await blobs.exists(key) else None


def bundle_key(run_id: str, key: SessionKey) -> str:
    """Where the blob store keeps a session's bundle of a run that has ended."""
    return f"runs/{run_id}/ended/{key.bundle}"


async def _from_blobs(run_id: str, folder: Path, world: World, repo: str) -> KeptRun | None:
    blobs = world.runs.blobs
    result = await find_kept_result(run_id, blobs, repo)
    if result is None:
        return None
    bundles = {}
    for key in session_keys_of(result):
        content = await blobs.get(bundle_key(run_id, key))
        if content is None:
            return None  # half of it was swept; the archive has it all
        bundles[key] = folder / key.bundle
        await asyncio.to_thread(bundles[key].write_bytes, content)
    return KeptRun(result=result, bundles=bundles)


async def _from_stored_archive(
    run_id: str, folder: Path, world: World, repo: str
) -> KeptRun | None:
    """From the copy of the archive that stays here, where the repository has it kept so."""
    key = await find_stored_archive(run_id, world.runs.blobs)
    content = await world.runs.blobs.get(key) if key else None
    if content is None:
        return None
    archive = folder / "stored.zip"
    await asyncio.to_thread(archive.write_bytes, content)
    found = await _read_whole(run_id, archive, folder)
    is_ours = found.result.spec.repo.full_name.casefold() == repo.casefold()
    return found if is_ours else None


async def _from_archive(run_id: str, folder: Path, world: World) -> KeptRun | None:
    archive = folder / "archive.zip"
    if not await world.github.fetch_archive(run_id, archive):
        return None
    return await _read_whole(run_id, archive, folder)


async def _read_whole(run_id: str, archive: Path, folder: Path) -> KeptRun:
    try:
        return await asyncio.to_thread(read_archive, archive, folder)
    except (OSError, ValueError, KeyError, RecursionError, *BROKEN_ZIP) as problem:
        raise Refused(f"the archive of the run `{run_id}` cannot be read.") from problem


def read_archive(archive: Path, folder: Path) -> KeptRun:
    """A run out of its archive, the sessions' bundles written into `folder`. Blocks.

    Raises `OSError`, `ValueError`, `KeyError`, `RecursionError` or one of `BROKEN_ZIP` for what
    is no such archive, or not a whole one.
    """
    with zipfile.ZipFile(archive) as content:
        result = read_result(content)
        bundles = {key: folder / key.bundle for key in session_keys_of(result)}
        for key, bundle in bundles.items():
            inside = f"{session_folder(key.arm, key.trial, result.spec)}/"
            _pack(content, inside, bundle)
    return KeptRun(result=result, bundles=bundles)


def read_result(archive: zipfile.ZipFile) -> RunResult:
    """What a run found out, out of its open archive. Blocks; raises as `read_archive` does."""
    with archive.open(RESULT) as file:
        text = file.read(LARGEST_RESULT + 1)
    if len(text) > LARGEST_RESULT:
        raise ValueError(f"{RESULT} is too large")
    return RunResult.model_validate(json.loads(text)["run"])


def session_keys_of(result: RunResult) -> Iterable[SessionKey]:
    """The sessions that a run had."""
    return [SessionKey(session.arm, session.trial) for session in result.sessions]


def _pack(content: zipfile.ZipFile, inside: str, bundle: Path) -> None:
    """A session's bundle out of its folder in the archive; `read_bundle` checks what it holds."""
    left = LARGEST_BUNDLE
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as packed:
        for entry in content.infolist():
            name = entry.filename.removeprefix(inside)
            is_ours = name in {SESSION, TRANSCRIPT} or name.startswith(f"{OUTPUT}/")
            if not entry.filename.startswith(inside) or not is_ours:
                continue
            member = zipfile.ZipInfo(name, EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            with content.open(entry) as source, packed.open(member, "w") as target:
                while chunk := source.read(_CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise ValueError("a session's files are too large")
                    target.write(chunk)
