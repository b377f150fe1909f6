"""The threat table names tests that exist, for every promise that it makes."""

import ast
import re
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


@lru_cache
def names_in(path: Path) -> frozenset[str]:
    """The names of a file's tests."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, functions))


def rows() -> list[list[str]]:
    """The cells of every threat."""
    lines = [line for line in PAGE.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row[0] not in {"asset", "---"}]


def test_every_threat_has_its_asset_attack_defence_and_a_test_that_exists() -> None:
    assert len(rows()) > 30
    for row in rows():
        assert len(row) == 4, row
        assert all(row), row
        named = NAMED.findall(row[3])
        assert named, row
        missing = [
            f"{file}::{name}" for file, name in named if name not in names_in(ROOT / "tests" / file)
        ]
        assert not missing


def test_every_file_that_the_page_names_is_there() -> None:
    for name in re.findall(r"`((?:\w+/)*test_\w+\.py)(?:::\w+)?`", PAGE):
        assert (ROOT / "tests" / name).exists(), name
