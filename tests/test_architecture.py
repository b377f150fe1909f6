"""House rules that a reviewer would otherwise have to remember."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("bot", "handlers", "jobs", "config", "demo")

MAY_IMPORT = {
    "config": {"config"},
    "jobs": {"jobs", "config"},
    "handlers": {"handlers", "jobs.requests", "config"},
    "bot": {"bot", "handlers", "jobs", "config"},
}
MAY_START_THE_DEMO = {"bot/cli/commands.py"}

VENDOR_DOORS = {
    "githubkit": "bot/github",
    "anthropic": "jobs/models",
    "openai": "jobs/models",
    "aiodocker": "jobs/sessions/docker",
}

LONGEST_FILE = 300
LONGEST_FUNCTION = 60


def sources(*folders: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path


def imported_modules(path: Path) -> set[str]:
    """Every module that a file imports, at its top or inside a function."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_flow_one_way(layer: str) -> None:
    """Bot → handlers → jobs → config, and never back."""
    for path in sources(layer):
        name = path.relative_to(ROOT).as_posix()
        allowed = MAY_IMPORT[layer] | ({"demo"} if name in MAY_START_THE_DEMO else set())
        ours = {module for module in imported_modules(path) if module.split(".")[0] in OURS}
        strays = {m for m in ours if not any(f"{m}.".startswith(f"{a}.") for a in allowed)}
        assert not strays, f"{name} may not import {sorted(strays)}"


@pytest.mark.parametrize(("vendor", "door"), VENDOR_DOORS.items())
def test_each_vendor_has_one_door(vendor: str, door: str) -> None:
    """What a vendor renames is renamed in one folder."""
    for path in sources("bot", "handlers", "jobs", "config"):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(door):
            vendors = {module.split(".")[0] for module in imported_modules(path)}
            assert vendor not in vendors, f"{name} imports {vendor}; its door is {door}"


def test_no_file_is_two_files() -> None:
    """A file that needs a table of contents is two files."""
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in sources(*OURS, "tests", "tools")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > LONGEST_FILE
    }
    assert not long


def test_functions_fit_one_screen() -> None:
    """Functions stay under 60 lines, in the tests too."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in sources(*OURS, "tests", "tools")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long


def test_nothing_is_left_for_later() -> None:
    """What is not done is not called done."""
    words = ("TO" + "DO", "FIX" + "ME", "XX" + "X", "raise NotImplemented" + "Error")
    left = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in sources(*OURS, "tests", "tools")
        for word in words
        if word in path.read_text(encoding="utf-8")
    ]
    assert not left


def test_every_module_says_why_it_exists() -> None:
    """The first words of a file are its duty."""
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in sources(*OURS)
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_folders_are_at_most_two_deep() -> None:
    """A maze is no map."""
    deep = [
        path.relative_to(ROOT).as_posix()
        for path in sources(*OURS)
        if len(path.relative_to(ROOT).parts) > 3
    ]
    assert not deep
