"""The archive of a run: everything the report was made from, in one zip, for ever.

The same run gives the same bytes (fixed times, fixed order), so its digest can stand in its
name and an upload that is repeated is the same asset. It takes only what it is handed: the
sessions' bundles, the result, prompts. No setting and no environment comes near it.
"""

import asyncio
import hashlib
import json
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from jobs.planning.dedup import record_of
from jobs.results import RunResult
from jobs.sessions.bundle import EARLIEST
from jobs.values import Arm, RunSpec

RESULT_VERSION = 1
"""Version of `result.json`; raised when a field changes its meaning or goes."""

_CHUNK = 1024 * 1024

_README = """\
skillbench run {run}

result.json             everything the report was made from (version {version})
manifest.json           what the run was expected to consist of, written before it began
prompts/                what the sessions and the judge were given
<arm>/session.json      how a session ended and what it used
<arm>/transcript.jsonl  its events, one a line
<arm>/output/           the files it left, under their own names
judge/pass_<n>.json     verdicts, metrics and remarks of one reading
judge/pass_<n>_answer_<m>.txt  what the judge wrote, word for word
judge_2/ judge_3/       the same of the other judges of a panel
report.md               the report as posted, without the archive's address

In a judge's pass the arms are candidate_1 and candidate_2; in pass 1 candidate_1 is the
arm {candidate_1_is}, in pass 2 they are swapped.
"""
_README_TRIALS = """
This run had {trials} trials: trial_<n>/ holds the sessions and the judge's passes of each.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveContent:
    """What goes into an archive."""

    result: RunResult
    bundles: Mapping[str, Path]
    """Zip of each session by the folder it gets (`session_folder`)."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompts by file name, such as `task.md` or `judge.md`."""
    report: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """A finished archive on disk."""

    path: Path
    name: str
    """`{repo}-{eval}-{skill}-{run id}-{digest}.zip`, unique by content."""
    sha256: str
    size_bytes: int


async def make_archive(content: ArchiveContent, folder: Path) -> Archive:
    """Write the archive into `folder`, in a thread, since it may take seconds.

    Raises `zipfile.BadZipFile` or `OSError` where a bundle cannot be read.
    """
    return await asyncio.to_thread(_write, content, folder)


def archive_name(result: RunResult, sha256: str) -> str:
    """The asset's name: letters, digits, dots and dashes, at most 200 characters."""
    spec = result.spec
    parts = [
        make_slug(spec.repo.name, 40),
        make_slug(spec.eval_case.id, 60),
        make_slug(spec.skill.name, 40),
    ]
    # a later judging of a run has an archive of its own, and leaves the run's where it is
    of = make_slug(result.judging or spec.run_id, 20)
    return "-".join([*parts, of, sha256[:12]]) + ".zip"


def session_folder(arm: Arm, trial: int, spec: RunSpec) -> str:
    """The folder of a session: `with_skill`, or `trial_2/with_skill` in a run of several."""
    return f"{_trial_folder(trial, spec)}{arm}"


def make_slug(text: str, limit: int) -> str:
    """The text in lower-case ASCII letters, digits and dashes; `x` where nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:limit].strip("-") or "x"


def _write(content: ArchiveContent, folder: Path) -> Archive:
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{make_slug(content.result.spec.run_id, 20)}.zip.part"
    with zipfile.ZipFile(draft, "w") as target:
        for name, text in sorted(_texts(content)):
            target.writestr(_entry(name), text.encode("utf-8", "replace"))
        for place, bundle in sorted(content.bundles.items()):
            _copy_bundle(bundle, place, target)
    with draft.open("rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    name = archive_name(content.result, digest)
    path = draft.replace(folder / name)
    return Archive(path=path, name=name, sha256=digest, size_bytes=path.stat().st_size)


def _texts(content: ArchiveContent) -> Iterator[tuple[str, str]]:
    """The files that are made here, each with its name in the archive."""
    result = content.result
    arm = result.candidate_1_is.value.replace("_", " ")
    spec = result.spec
    readme = _README.format(run=spec.run_id, version=RESULT_VERSION, candidate_1_is=arm)
    if spec.trials > 1:
        readme += _README_TRIALS.format(trials=result.trials_wanted)
    yield "README.txt", readme
    yield (
        "result.json",
        _json(
            {
                "version": RESULT_VERSION,
                "record": record_of(result).model_dump(mode="json", exclude={"url"}),
                "run": result.model_dump(mode="json"),
            }
        ),
    )
    if result.manifest is not None:
        yield "manifest.json", _json(result.manifest.model_dump(mode="json"))
    for reading in result.passes:
        verdicts = reading.model_dump(mode="json", exclude={"raw_answers"})
        judge = "judge" if reading.judge == 1 else f"judge_{reading.judge}"
        name = f"{_trial_folder(reading.trial, spec)}{judge}/pass_{reading.number}"
        yield f"{name}.json", _json(verdicts)
        for number, answer in enumerate(reading.raw_answers, start=1):
            yield f"{name}_answer_{number}.txt", answer
    for name, text in content.prompts.items():
        yield f"prompts/{_safe_name(name)}", text
    if content.report:
        yield "report.md", content.report


def _copy_bundle(bundle: Path, folder: str, target: zipfile.ZipFile) -> None:
    """Copy a session's files as they are; a name that would leave the folder stays out."""
    taken: set[str] = set()
    with zipfile.ZipFile(bundle) as source:
        for entry in sorted(source.infolist(), key=lambda one: one.filename):
            path = PurePosixPath(entry.filename)
            safe = not path.is_absolute() and ".." not in path.parts and path.parts
            if entry.is_dir() or not safe or entry.filename in taken:
                continue
            taken.add(entry.filename)
            with (
                source.open(entry) as reading,
                target.open(_entry(f"{_safe_folder(folder)}/{path}"), "w") as writing,
            ):
                _copy(reading, writing)


def _copy(reading: IO[bytes], writing: IO[bytes]) -> None:
    while chunk := reading.read(_CHUNK):
        writing.write(chunk)


def _trial_folder(trial: int, spec: RunSpec) -> str:
    return f"trial_{trial}/" if spec.trials > 1 else ""


def _safe_folder(folder: str) -> str:
    """The folder of a session: letters, digits, dashes, and underscores, which stay."""
    return re.sub(r"[^A-Za-z0-9_/-]", "-", folder).strip("/") or "x"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=EARLIEST)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    return entry


def _safe_name(name: str) -> str:
    parts = [part for part in PurePosixPath(name).parts if part not in {"/", "..", "."}]
    return "/".join(parts) or "prompt.txt"


def _json(content: object) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
