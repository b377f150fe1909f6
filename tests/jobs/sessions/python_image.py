"""An image with Python and bash, made of this machine's own: for what busybox cannot run."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.sessions.podman import Engine, unpack_busybox

IMAGE = "localhost/skillbench-test-python:latest"
_PYTHON = Path("/usr/bin/python3")
_BASH = Path("/bin/bash")
_UNUSED = shutil.ignore_patterns("test", "dist-packages", "site-packages", "__pycache__", "*.a")


def import_python_image(engine: Engine, folder: Path, *programs: Path) -> None:
    """Give the engine busybox, Python, bash, and the libraries that `programs` load.

    Skips where the machine's Python has another shape than Debian's.
    """
    python = _PYTHON.resolve()
    library = Path("/usr/lib") / python.name
    if not python.is_file() or not library.is_dir():
        pytest.skip(f"there is no Python at {_PYTHON} with its modules in /usr/lib")
    root = unpack_busybox(folder)
    loaded = {library for program in (python, _BASH, *programs) for library in _libraries(program)}
    for path in {python, _BASH, *loaded}:
        target = root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "usr" / "bin" / "python3").symlink_to(python.name)
    shutil.copytree(library, root / library.relative_to("/"), ignore=_UNUSED, symlinks=True)
    engine.import_image(root, IMAGE)


def _libraries(program: Path) -> Iterator[Path]:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    for name in re.findall(r"(/\S+) \(0x", listed.stdout):
        yield Path(name)
