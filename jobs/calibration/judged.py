"""What the judge said, looked up in the runs that are kept: in archives, or in the blob store."""

import asyncio
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from jobs.broken_zip import BROKEN_ZIP
from jobs.calibration.agreement import Pair
from jobs.calibration.labels import FaultyLines, Label
from jobs.calibration.people import RunVerdicts
from jobs.calibration.said import get_judge_words, get_verdicts, read_trials
from jobs.calibration.series import series_key
from jobs.errors import Refused
from jobs.planning.dedup import record_of
from jobs.ports import BlobStore
from jobs.results import RunResult
from jobs.values import Arm

RESULT = "result.json"
LARGEST_RESULT = 50_000_000
MOST_NAMED = 10


class JudgedRuns:
    """Runs by their id, with what the judge said in them."""

    def __init__(self, results: Iterable[RunResult] = ()) -> None:
        self._by_run = {one.judging or one.spec.run_id: one for one in results}

    def knows(self, run: str) -> bool:
        return run in self._by_run

    def add(self, result: RunResult) -> None:
        """Know a run as well, unless it is known already."""
        self._by_run.setdefault(result.judging or result.spec.run_id, result)

    def pair(self, label: Label) -> Pair:
        """What a person and the judge said of the same. Raises `Refused` where it is not there."""
        if label.judge:
            series = ("", label.judge_model, "")
            return Pair(person=label.human, judge=label.judge, group=label.group, series=series)
        result = self._find(label)
        rows = read_trials(result).get(label.trial)
        if not rows:
            raise Refused(f"the run has no trial {label.trial} with a score")
        wanted = label.assertion.casefold()
        row = next((one for one in rows if one.assertion.id.casefold() == wanted), None)
        if row is None:
            raise Refused(
                f"the run has no assertion `{label.assertion}`; there are "
                f"{_listed([one.assertion.id for one in rows])}"
            )
        words = get_judge_words(get_verdicts(row, _arm_of(label, result), result.spec))
        if not words:
            raise Refused(f"only code decided `{label.assertion}`, and no judge was asked")
        return Pair(
            person=label.human,
            judge=words,
            group=label.group or row.assertion.group or "",
            series=series_key(record_of(result)),
        )

    def _find(self, label: Label) -> RunResult:
        if label.run:
            if label.run not in self._by_run:
                raise Refused(
                    f"nothing is kept of the run `{label.run}`; name a folder with its archive by "
                    "`--archive`"
                )
            return self._by_run[label.run]
        found = {
            run: one for run, one in self._by_run.items() if one.spec.eval_case.id == label.eval_id
        }
        if len(found) == 1:
            return next(iter(found.values()))
        if not found:
            raise Refused(f"no run of the eval case `{label.eval_id}` is in the named archives")
        raise Refused(
            f"`{label.eval_id}` has {len(found)} runs, {_listed(list(found))}: say which in `run`"
        )


def _arm_of(label: Label, result: RunResult) -> Arm:
    arms = result.spec.arms
    if label.arm is not None:
        if label.arm not in arms:
            raise Refused(f"the run has no arm `{label.arm}`; there are {_listed(list(arms))}")
        return label.arm
    first = result.candidate_1_is
    return first if label.candidate == "candidate_1" else next(a for a in arms if a is not first)


def read_archives(folder: Path) -> JudgedRuns:
    """Every run in the archives below a folder, packed or unpacked; what is none is passed over.

    Raises `Refused` where the folder cannot be read or holds none.
    """
    if not folder.exists():
        raise Refused(f"{folder} is not there; name a folder with archives, or one archive.")
    results = list(_read_all([folder] if folder.is_file() else sorted(folder.rglob("*"))))
    if not results:
        raise Refused(f"{folder} holds no archive of a run: no zip with a `{RESULT}` in it.")
    return JudgedRuns(results)


async def add_kept(labels: Sequence[Label], runs: JudgedRuns, blobs: BlobStore) -> None:
    """Know the runs that the labels name, as far as the blob store has them."""
    for run in dict.fromkeys(label.run for label in labels if label.run and not label.judge):
        if runs.knows(run) or not run.isalnum():
            continue
        stored = await blobs.get(f"runs/{run}/ended.json")
        if stored is not None and (result := await asyncio.to_thread(_parse, stored)):
            runs.add(result)


def pair_all(labels: Sequence[Label], runs: JudgedRuns, path: Path) -> list[Pair]:
    """Every label with what the judge said. Raises `FaultyLines` with all that cannot be found."""
    pairs, faults = list[Pair](), list[tuple[int, str]]()
    for label in labels:
        try:
            pairs.append(runs.pair(label))
        except Refused as problem:
            faults.append((label.line, str(problem)))
    if faults:
        raise FaultyLines(path, faults)
    return pairs


def pair_people(verdicts: Iterable[RunVerdicts]) -> list[Pair]:
    """What people said in comments, each with what the judge had said of the same."""
    return [
        Pair(person=one.verdict, judge=one.judge, group=one.group, series=said.series)
        for said in verdicts
        for one in said.current.values()
        if one.judge
    ]


def _read_all(paths: Iterable[Path]) -> Iterator[RunResult]:
    for path in paths:
        content = None
        if path.suffix == ".zip" and path.is_file():
            content = _read_packed(path)
        elif path.name == RESULT and path.is_file() and path.stat().st_size <= LARGEST_RESULT:
            content = path.read_bytes()
        if content is not None and (result := _parse(content, inside="run")):
            yield result


def _read_packed(path: Path) -> bytes | None:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(RESULT) as file:
            content = file.read(LARGEST_RESULT + 1)
    except (OSError, KeyError, *BROKEN_ZIP):
        return None
    return content if len(content) <= LARGEST_RESULT else None


def _parse(content: bytes, inside: str = "") -> RunResult | None:
    """A run's result; None for one of another version, or of something else."""
    try:
        fields = json.loads(content)
        return RunResult.model_validate(fields[inside] if inside else fields)
    except (ValidationError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(f"`{name}`" for name in names[:MOST_NAMED]) + more
