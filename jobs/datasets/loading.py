"""Reads a suite's folder: its settings, its datasets, every line checked before anything runs.

A dataset is taken whole or not at all, since a number over the lines that could be read would
look like the number asked for. Every fault is told with file and line.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from jobs.datasets.cases import DatasetCase
from jobs.datasets.suites import SUBCOMMANDS, SuiteSettings
from jobs.datasets.whole_text import mended
from jobs.errors import Refused
from jobs.evaluators.registry import check_evaluator
from jobs.faults import first_fault

METADATA = "metadata.json"
MOST_FAULTS = 20
"""Faults of one file that are told."""
LARGEST_DATASET = 500_000_000
"""Bytes."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Dataset:
    """The cases of one file, in its order."""

    benchmark: str
    name: str
    settings: SuiteSettings
    cases: tuple[DatasetCase, ...]
    digest: str
    """SHA-256 of the file's bytes."""
    source: str
    """Where it was read from: `folder`, or a repository's or a web address."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A dataset as a list shows it, without its cases."""

    benchmark: str
    name: str
    cases: int
    size_bytes: int
    evaluators: tuple[str, ...]
    problem: str = ""
    """Why it cannot be used."""


def load_dataset(root: Path, benchmark: str, name: str, *, source: str = "folder") -> Dataset:
    """Read `<root>/<benchmark>/<name>.jsonl` and the settings beside it.

    Raises `Refused` with the names that there are, or with every fault and its line.
    """
    folder = find_suite(root, benchmark)
    path = folder / f"{name}.jsonl"
    if not _NAME.fullmatch(name) or not path.is_file():
        there = ", ".join(f"`{one}`" for one in dataset_names(folder)) or "none"
        raise Refused(
            f"the benchmark `{benchmark}` has no dataset `{name[:100]}`. There are {there}."
        )
    if path.stat().st_size > LARGEST_DATASET:
        raise Refused(f"{path.name} is larger than {LARGEST_DATASET:,} bytes")
    settings = load_settings(folder)
    content = path.read_bytes()
    cases = read_cases(content, settings, file=f"{benchmark}/{path.name}")
    digest = hashlib.sha256(content).hexdigest()
    return Dataset(benchmark, name, settings, cases, digest, source)


def find_suite(root: Path, benchmark: str) -> Path:
    """The folder of a benchmark. Raises `Refused` with those that there are."""
    names = suite_names(root)
    if benchmark not in names:
        there = ", ".join(f"`{one}`" for one in names) or f"none; the folder is {root}"
        raise Refused(f"there is no benchmark `{benchmark[:100]}`. There are {there}.")
    return root / benchmark


def is_name(text: str) -> bool:
    """Whether a benchmark or a dataset can be called so."""
    return bool(_NAME.fullmatch(text))


def suite_names(root: Path) -> list[str]:
    """Folders that are benchmarks; those that begin with `.` or `_` are not."""
    if not root.is_dir():
        return []
    folders = (one.name for one in root.iterdir() if one.is_dir())
    return sorted(name for name in folders if _NAME.fullmatch(name) and name not in SUBCOMMANDS)


def dataset_names(folder: Path) -> list[str]:
    return sorted(one.stem for one in folder.glob("*.jsonl") if _NAME.fullmatch(one.stem))


def list_datasets(root: Path) -> Iterator[Listed]:
    """Every dataset below a folder, also those with faults, which say so."""
    for benchmark in suite_names(root):
        for name in dataset_names(root / benchmark):
            size = (root / benchmark / f"{name}.jsonl").stat().st_size
            try:
                dataset = load_dataset(root, benchmark, name)
            except Refused as fault:
                yield Listed(benchmark, name, 0, size, (), problem=str(fault))
            else:
                used = tuple(sorted({case.evaluator for case in dataset.cases}))
                yield Listed(benchmark, name, len(dataset.cases), size, used)


def load_settings(folder: Path) -> SuiteSettings:
    """A suite's settings. Raises `Refused` naming file and fault."""
    path = folder / METADATA
    if not path.is_file():
        return SuiteSettings()
    try:
        return SuiteSettings.model_validate(json.loads(path.read_text(encoding="utf-8-sig")))
    except ValidationError as error:
        raise Refused(f"{folder.name}/{METADATA}: {first_fault(error)}") from None
    except (ValueError, RecursionError) as error:
        raise Refused(f"{folder.name}/{METADATA} is no JSON: {error}") from None


def read_cases(content: bytes, settings: SuiteSettings, *, file: str) -> tuple[DatasetCase, ...]:
    """The cases of a file's bytes. Raises `Refused` with each faulty line."""
    cases: list[DatasetCase] = []
    faults: list[str] = []
    lines_of: dict[str, int] = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            case = _read_case(line, settings)
            if (earlier := lines_of.get(case.id)) is not None:
                raise ValueError(f"the id `{case.id}` stands in line {earlier} already")  # noqa: TRY301
        except ValueError as fault:
            faults.append(f"{file}:{number}: {fault}")
        else:
            lines_of[case.id] = number
            cases.append(case)
    if faults:
        more = len(faults) - MOST_FAULTS
        told = [*faults[:MOST_FAULTS], *([f"and {more} more"] if more > 0 else [])]
        raise Refused("this dataset cannot be used:\n" + "\n".join(told))
    if not cases:
        raise Refused(f"{file} holds no case")
    return tuple(cases)


def _read_case(line: bytes, settings: SuiteSettings) -> DatasetCase:
    """One line. Raises `ValueError` with what is wrong with it."""
    try:
        written = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):
        raise ValueError("no JSON that can be read: NaN, too deep, or a number too long") from None
    if not isinstance(written, dict):
        raise ValueError("it must be an object")  # noqa: TRY004
    if b"\\u" in line and mended(written) != written:
        raise ValueError("half of a character, such as \\ud800, stands in a text")
    try:
        case = DatasetCase.model_validate(_resolved(written, settings.params))
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None
    check_evaluator(case.eval)
    return case


def _no_number(word: str) -> float:
    """Refuse `NaN` and `Infinity`: no JSON, and no weight or limit that anybody means."""
    raise ValueError(word)


def _resolved(written: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """The case with each whole value `{"$ref": name}` replaced by what the suite calls so."""
    resolved = dict(written)
    for name, value in written.items():
        if not isinstance(value, dict) or set(value) != {"$ref"}:
            continue
        wanted = value["$ref"]
        if not isinstance(wanted, str) or wanted not in params:
            raise ValueError(f"{name}: no parameter of the suite is called {wanted!r:.100}")
        resolved[name] = params[wanted]
    return resolved
