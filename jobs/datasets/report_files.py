"""Reports as files: written case by case, so that no run is too large, and whole or not at all.

Beside the report itself stands its summary: the same without dialogues, with one line for each
case. That is what pages and comments are made of.
"""

import json
import os
from collections.abc import AsyncIterable
from pathlib import Path
from secrets import token_hex
from typing import Any

from jobs.datasets.keeping import FOLDER
from jobs.datasets.report import (
    RunHead,
    dump,
    file_name,
    render_figures,
    render_head,
    render_line,
    safe_name,
    slim,
)
from jobs.datasets.report_cases import render_case
from jobs.datasets.results import CaseResult
from jobs.datasets.whole_text import mended
from jobs.errors import Refused
from jobs.ports import BlobStore

REPORTS = "report"
"""Folder of reports, below the data folder."""
LARGEST_REPORT = 2_000_000_000
"""Bytes of a report that is read whole."""


def report_path(data_dir: Path, head: RunHead) -> Path:
    """Where a report belongs: `report/<benchmark>/<dataset>_<target>_<time>.json`."""
    return data_dir / REPORTS / safe_name(head.benchmark) / file_name(head)


async def write_report(
    path: Path, head: RunHead, cases: AsyncIterable[CaseResult]
) -> dict[str, Any]:
    """Write a report to `path`, by one rename at the end, and give its summary.

    `cases` come in the order of the dataset. Raises `OSError` where the disk does not take it;
    then nothing stands at `path` that was not there before.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name[:100]}.{token_hex(4)}.part")
    seen: list[CaseResult] = []
    try:
        # a lone half of a character, which only JSON's own escape can hold, is written as one
        with part.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(_opened(render_head(head)) + ',\n  "cases": [')
            async for one in cases:
                file.write((",\n    " if seen else "\n    ") + _indented(render_case(one), 4))
                seen.append(slim(one))
            figures = render_figures(head, seen)
            file.write(("\n  ]" if seen else "]") + "," + _closed(figures))
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return make_summary(head, figures, seen)


def make_summary(head: RunHead, figures: dict[str, Any], cases: list[CaseResult]) -> dict[str, Any]:
    """The report without dialogues, with a line for each case under `case_list`."""
    return {**render_head(head), **figures, "case_list": [render_line(one) for one in cases]}


async def store_report(blobs: BlobStore, run_id: str, path: Path, summary: dict[str, Any]) -> None:
    """Keep a report for pages: `report.json` whole, `summary.json` without dialogues,
    `figures.json` without cases at all. Raises `Transient` where the store fails.
    """
    await blobs.put(f"{FOLDER}/{run_id}/report.json", path)
    figures = {name: value for name, value in summary.items() if name != "case_list"}
    for name, part in (("summary", summary), ("figures", figures)):
        content = dump(part, indent=None).encode("utf-8", "backslashreplace")
        await blobs.put(f"{FOLDER}/{run_id}/{name}.json", content)


def read_report(path: Path) -> dict[str, Any]:
    """A report of ours or of an older tool. Raises `Refused` saying why it is none."""
    try:
        if path.stat().st_size > LARGEST_REPORT:
            raise Refused(f"{path} is larger than {LARGEST_REPORT:,} bytes")
        found = mended(json.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as trouble:
        raise Refused(f"{path} cannot be read: {trouble.strerror}") from None
    except (ValueError, RecursionError) as fault:
        raise Refused(f"{path} is no report: {fault}") from None
    return check_report(found, str(path))


def check_report(found: object, name: str) -> dict[str, Any]:
    """What was read, if it has the shape of a report. Raises `Refused`."""
    if not isinstance(found, dict):
        raise Refused(f"{name} is no report: it is no object")
    cases = found.get("cases")
    if not isinstance(cases, list):
        raise Refused(f"{name} is no report: it holds no list of cases")
    for number, one in enumerate(cases, 1):
        if not isinstance(one, dict) or not isinstance(one.get("id"), str):
            raise Refused(f"{name}: case {number} has no id")
        if not isinstance(one.get("eval"), dict):
            raise Refused(f"{name}: the case `{one['id'][:100]}` has no `eval`")
    return found


def _indented(value: object, spaces: int) -> str:
    return dump(value).replace("\n", "\n" + " " * spaces)


def _opened(head: dict[str, Any]) -> str:
    """An object whose end is still to come."""
    return dump(head).removesuffix("\n}")


def _closed(rest: dict[str, Any]) -> str:
    """The rest of an object that was opened."""
    return dump(rest).removeprefix("{") + "\n"
