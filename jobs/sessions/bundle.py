"""A finished session as one zip: its result, its transcript, its outputs.

The bundle goes through the blob store, so that a run which is carried out again pays for
no session twice. Equal sessions give equal bytes. Reading trusts nothing: names, sizes
and digests are checked against `session.json` before anything counts.
"""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import IO

from jobs.broken_zip import BROKEN_ZIP
from jobs.sessions.collect import MAX_BYTES as MAX_OUTPUT_BYTES
from jobs.sessions.collect import MAX_FILES
from jobs.sessions.transcript import MAX_BYTES as MAX_TRANSCRIPT_BYTES
from jobs.values import OutputFile, SessionResult

SESSION = "session.json"
TRANSCRIPT = "transcript.jsonl"
OUTPUT = "output"
_MAX_SESSION_BYTES = 10_000_000
_RESPONSE_BYTES = 10_000_000
"""Room for `response.md`, which is added to what was collected."""
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can hold: what holds the same is the same, whenever it was packed."""


def write_bundle(target: Path, session: SessionResult, transcript: Path, output: Path) -> None:
    """Pack a session into `target`, which appears whole or not at all.

    Packs the files that `session.outputs` names, from the folder `output`; a missing
    transcript is an empty one. Blocks: call it in a thread. Raises `ValueError` where a
    file differs from its digest, `FileNotFoundError` where it is missing.
    """
    partial = target.with_name(target.name + ".part")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as bundle:
        _add(bundle, SESSION, io.BytesIO(session.model_dump_json(indent=1).encode()))
        if transcript.exists():
            with transcript.open("rb") as source:
                _add(bundle, TRANSCRIPT, source)
        else:
            _add(bundle, TRANSCRIPT, io.BytesIO())
        for file in sorted(session.outputs, key=lambda file: file.path.encode()):
            path = _inside(output, file.path)
            with path.open("rb") as source:
                digest = _add(bundle, f"{OUTPUT}/{file.path}", source)
            if digest != file.sha256:
                raise ValueError(f"{file.path} changed after it was collected")
    partial.replace(target)


def read_bundle(source: bytes | Path, target: Path) -> SessionResult:
    """Unpack a bundle into the new folder `target`: `transcript.jsonl` and `output/`.

    Blocks: call it in a thread. Raises `ValueError` naming what is wrong with a bundle
    that was not written by `write_bundle`, `FileExistsError` if `target` exists.
    """
    target.mkdir(parents=True)
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as bundle:
            session = _read_session(bundle)
            _check_names(bundle, session)
            _extract(bundle, TRANSCRIPT, target / TRANSCRIPT, MAX_TRANSCRIPT_BYTES)
            (target / OUTPUT).mkdir()
            for file in session.outputs:
                _extract_output(bundle, file, target / OUTPUT)
    except BROKEN_ZIP as error:
        raise ValueError(f"not a session's bundle: {error}") from error
    return session


def _add(bundle: zipfile.ZipFile, name: str, source: IO[bytes]) -> str:
    """Write one member, and give its SHA-256."""
    member = zipfile.ZipInfo(name, EARLIEST)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = 0o100644 << 16
    digest = hashlib.sha256()
    with bundle.open(member, "w") as packed:
        while chunk := source.read(1024 * 1024):
            digest.update(chunk)
            packed.write(chunk)
    return digest.hexdigest()


def _inside(folder: Path, path: str) -> Path:
    parts = path.split("/")
    if "\0" in path or any(part in {"", ".", ".."} for part in parts):
        raise ValueError(f"not a path below output/: {path!r}")
    return folder.joinpath(*parts)


def _read_session(bundle: zipfile.ZipFile) -> SessionResult:
    try:
        with bundle.open(SESSION) as member:
            text = member.read(_MAX_SESSION_BYTES + 1)
    except KeyError as error:
        raise ValueError(f"not a session's bundle: no {SESSION}") from error
    if len(text) > _MAX_SESSION_BYTES:
        raise ValueError(f"{SESSION} is larger than {_MAX_SESSION_BYTES} bytes")
    return SessionResult.model_validate(json.loads(text), strict=False)


def _check_names(bundle: zipfile.ZipFile, session: SessionResult) -> None:
    expected = [SESSION, TRANSCRIPT, *(f"{OUTPUT}/{file.path}" for file in session.outputs)]
    if sorted(bundle.namelist()) != sorted(expected):
        strange = sorted(set(bundle.namelist()) ^ set(expected)) or ["a name twice"]
        raise ValueError(f"the bundle's files are not those of its session: {strange[:5]}")
    if len(session.outputs) > MAX_FILES + 1:
        raise ValueError(f"the bundle holds more than {MAX_FILES} outputs")
    if sum(file.size_bytes for file in session.outputs) > MAX_OUTPUT_BYTES + _RESPONSE_BYTES:
        raise ValueError(f"the bundle's outputs are larger than {MAX_OUTPUT_BYTES} bytes")


def _extract_output(bundle: zipfile.ZipFile, file: OutputFile, folder: Path) -> None:
    path = _inside(folder, file.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = _extract(bundle, f"{OUTPUT}/{file.path}", path, file.size_bytes)
    if digest != file.sha256 or path.stat().st_size != file.size_bytes:
        raise ValueError(f"output/{file.path} is not what its session recorded")


def _extract(bundle: zipfile.ZipFile, name: str, path: Path, limit: int) -> str:
    """Write one member to the new file `path`, at most `limit` bytes; give its SHA-256."""
    digest, size = hashlib.sha256(), 0
    with bundle.open(name) as member, path.open("xb") as copy:
        while chunk := member.read(1024 * 1024):
            size += len(chunk)
            if size > limit:
                raise ValueError(f"{name} is larger than it may be ({limit} bytes)")
            digest.update(chunk)
            copy.write(chunk)
    return digest.hexdigest()
