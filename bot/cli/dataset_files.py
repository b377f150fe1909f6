"""`skillbench dataset list`, `compare` and `convert`: files in, words out, and no model asked."""

import asyncio
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.cli.dataset_sources import open_folder
from config.settings import Settings
from jobs.datasets.compare import compare_reports
from jobs.datasets.compare_words import plain, render_text
from jobs.datasets.converters import convert
from jobs.datasets.loading import METADATA, list_datasets, load_settings
from jobs.datasets.report_files import read_report
from jobs.datasets.sources import WebFolder, find_root, parse_source
from jobs.errors import Refused
from jobs.reporting import numbers
from jobs.targets.registry import TARGETS

DONE, FAULTY = 0, 1
_WIDE = 200
"""Columns of a table that goes to a file or a pipe."""


def run_list(data: str | None, settings: Settings, scratch: Path) -> int:
    """Print every dataset; 1 where one cannot be used. Raises `Refused` without a folder."""
    source = parse_source(data) if data else settings.datasets
    if isinstance(source, WebFolder):
        raise Refused("what a web address holds cannot be listed; name benchmark and dataset")
    root = find_root(asyncio.run(open_folder(source, settings, scratch)))
    table = Table("benchmark", "dataset", "evaluators", "targets", box=None)
    for name in ("cases", "kB"):
        table.add_column(name, justify="right")
    problems = []
    for one in list_datasets(root):
        if one.problem:
            problems.append(f"{one.benchmark}/{one.name}: {one.problem}")
        cells = [
            one.benchmark,
            one.name,
            ", ".join(one.evaluators) or "cannot be used",
            _targets(root / one.benchmark),
            f"{one.cases:,}" if one.cases else "-",
            f"{one.size_bytes / 1000:,.0f}",
        ]
        table.add_row(*(Text(cell) for cell in cells))
    if not table.row_count:
        raise Refused(f"{root} holds no dataset")
    console = Console()
    console = console if console.is_terminal else Console(width=_WIDE)
    console.print(table)
    for problem in problems:
        typer.echo(f"\n{plain(problem)}", err=True)
    return FAULTY if problems else DONE


def _targets(suite: Path) -> str:
    try:
        listed = load_settings(suite).target
    except Refused:
        return f"{METADATA} cannot be used"
    names = [one.type if one.type in TARGETS else f"{one.type} (unknown)" for one in listed]
    return ", ".join(names) or "any"


def run_compare(first: Path, second: Path) -> int:
    """Print the paired difference of two reports. Raises `Refused`."""
    found = compare_reports(read_report(first), read_report(second))
    typer.echo(render_text(found, first.name, second.name), nl=False)
    return DONE


def run_convert(kind: str, source: Path, target: Path, limit: int | None) -> int:
    """Write a dataset from a published original. Raises `Refused`; then nothing is written."""
    try:
        content = source.read_bytes()
    except OSError as problem:
        raise Refused(f"`{source}` cannot be read: {problem.strerror}.") from None
    converted = convert(kind, content, file=source.name, limit=limit)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        part.write_bytes(converted.content)
        part.replace(target)
    except OSError as problem:
        raise Refused(f"`{target}` cannot be written: {problem.strerror}.") from None
    typer.echo(f"{numbers.plural(len(converted.cases), 'case')} written to {target}")
    for reason, count in converted.skipped.items():
        typer.echo(f"{numbers.plural(count, 'item')} skipped: {reason}")
    return DONE
