"""`skillbench export`: archives of runs as a workspace of skill-creator."""

from collections.abc import Sequence
from pathlib import Path

import typer

from jobs.again.kept_runs import KeptRun, read_archive
from jobs.broken_zip import BROKEN_ZIP
from jobs.errors import Refused
from jobs.interchange.workspace import write_workspace
from jobs.reporting import numbers


def run_export(archives: Sequence[Path], folder: Path, scratch: Path) -> None:
    """Write the runs in these archives into `folder` and tell how to look at them.

    Raises `Refused` where an archive cannot be read, and as `write_workspace` does.
    """
    runs = [_read(path, scratch / f"run-{number}") for number, path in enumerate(archives)]
    try:
        benchmark = write_workspace(runs, folder)
    except ValueError as problem:
        raise Refused(f"a session in these archives cannot be read: {problem}.") from None
    count = numbers.plural(len(benchmark["runs"]), "session")
    typer.echo(f"{folder}: {count} of {numbers.plural(len(runs), 'run')}. To look at them:")
    typer.echo(
        f"  python eval-viewer/generate_review.py {folder} --benchmark {folder}/benchmark.json"
    )


def _read(path: Path, scratch: Path) -> KeptRun:
    scratch.mkdir()
    try:
        return read_archive(path, scratch)
    except FileNotFoundError:
        raise Refused(f"there is no file `{path}`.") from None
    except (OSError, ValueError, KeyError, RecursionError, *BROKEN_ZIP):
        raise Refused(f"`{path}` is no archive of a run that can be read.") from None
