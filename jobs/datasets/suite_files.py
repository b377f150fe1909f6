"""The files of a suite as the workers of one run share them.

A repository's suite is read once, from one commit, and kept with the run. One of the operator's
stays where it is.
"""

import io
import zipfile
from pathlib import Path

from jobs.datasets.loading import METADATA, find_suite
from jobs.errors import Refused

LARGEST_SUITE = 200_000_000
"""Bytes of a repository's suite, unpacked."""
DATA = "data"
"""The folder of a repository that holds its suites."""


def pack_suite(root: Path, benchmark: str, dataset: str) -> bytes:
    """One dataset with what its suite has beside it, as a zip.

    Raises `Refused` where that is too large.
    """
    folder = find_suite(root, benchmark)
    others = {path for path in folder.glob("*.jsonl") if path.stem != dataset}
    packed = io.BytesIO()
    size = 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path in others or path.is_symlink() or not path.is_file():
                continue
            size += path.stat().st_size
            if size > LARGEST_SUITE:
                raise Refused(
                    f"`{DATA}/{benchmark}` holds more than {LARGEST_SUITE:,} bytes beside other "
                    f"datasets, or `{dataset}.jsonl` and `{METADATA}` do. Ask the operator to put "
                    "it into the bot's own data folder."
                )
            archive.write(path, f"{benchmark}/{path.relative_to(folder).as_posix()}")
    return packed.getvalue()


def unpack_suite(content: bytes, target: Path) -> None:
    """Write a packed suite below a folder of our own."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(target)
