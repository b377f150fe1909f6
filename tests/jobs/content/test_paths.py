"""A path is what names a file of the commit, or looks as if it should."""

from pathlib import Path

import pytest

from jobs.content.paths import find_named_file, find_path_only, looks_like_path, paths_in_link
from tests.jobs.content.trees import WORD_COUNT, write_tree


@pytest.mark.parametrize(
    "text",
    [
        "a/b.md", "`a/b.md`", "- a/b.md", "1. a/b.md", "**a/b.md**", "[x](a/b.md)", "a\\b.md",
        "prompt.md", "```\na/b.md\n```", "https://git.example/o/r/blob/main/a/b.md", "a/b.md.",
        "x.JSON", "rubric.yaml", "<a/b.md>", "  a/b.txt\n",
    ],
)  # fmt: skip
def test_a_lone_path_looks_like_one(text: str):
    assert looks_like_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "See a/b.md", "a/b.md and c", "the output is 0", "plot.png exists", "a/b.md\nc.md", "R",
        "https://site.example/page.md", "[x](a/b.md) and more", "n/a", "1.5", "and/or", "x" * 3_000,
        "*.md", "a|b.md", "e.g. this",
    ],
)  # fmt: skip
def test_any_other_text_does_not(text: str):
    assert not looks_like_path(text)


def test_folders_are_looked_up_in_order(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"s/x.md": "in s", "x.md": "at the root", "y.md": "only there"})
    for name, place in (("x.md", "s/x.md"), ("y.md", "y.md")):
        found = find_named_file(name, snapshot, ("s", "."))
        assert found is not None
        assert snapshot.path_of(found) == place
    assert find_path_only("x.md\ny.md", snapshot, (".",)) is None


def test_a_file_whose_name_no_report_could_hold_is_not_found(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"s/SKILL.md": WORD_COUNT})
    (tmp_path / "caf\udce9.md").write_text("x", encoding="utf-8")
    (tmp_path / "alias.md").symlink_to("caf\udce9.md")
    assert snapshot.find_file("alias.md") is not None
    assert find_named_file("alias.md", snapshot, (".",)) is None


@pytest.mark.parametrize(
    ("target", "paths"),
    [
        ("../blob/main/a/b.md", ["a/b.md", "b.md"]),
        ("https://git.example/o/r/tree/feature/x/a?tab=1#top", ["x/a", "a"]),
        ("https://raw.githubusercontent.com/o/r/main/a/b.md", ["main/a/b.md", "a/b.md", "b.md"]),
        ("a/b.md", []),
        ("https://site.example/a/b.md", []),
    ],
)
def test_links_to_files_hold_paths_behind_a_branch_of_any_depth(target: str, paths: list[str]):
    assert list(paths_in_link(target)) == paths
