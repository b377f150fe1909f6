"""Which skills a push changed: by their content, wherever they lie."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from jobs.content.skills import find_skills
from jobs.pushes.changed import find_changed_skills
from tests.jobs.content.trees import Content, Link, a_skill, write_tree

BEFORE: dict[str, Content] = {
    "count/SKILL.md": a_skill("count"),
    "count/run.py": "print(1)\n",
    "count/evals/evals.json": "{}",
    "fam/SKILL.md": a_skill("fam"),
    "fam/a/SKILL.md": a_skill("a"),
    "broken/SKILL.md": b"no \x92 text",
}


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({}, []),
        ({"README.md": "More words."}, []),
        ({"count/run.py": "print(2)\n"}, ["count"]),
        ({"count/more.bin": b"\0\xff"}, ["count"]),
        ({"count/run.py": None}, ["count"]),
        ({"count/evals/evals.json": "[]"}, []),
        ({"count/__pycache__/run.pyc": b"\0"}, []),
        ({"count/SKILL.md": None, "count/run.py": None}, []),
        ({"count/SKILL.md": b"broken \x92 now"}, []),
        ({"broken/SKILL.md": a_skill("broken")}, ["broken"]),
        ({"new/SKILL.md": a_skill("new")}, ["new"]),
        ({"again": Link("count")}, []),
        ({"fam/a/notes.md": "More."}, ["fam", "fam/a"]),
        ({"fam/notes.md": "More."}, ["fam"]),
        ({"fam/vendor/a/SKILL.md": a_skill("a", "Other.")}, ["fam", "fam/vendor/a"]),
        ({"shared.md": "text", "count/shared.md": Link("../shared.md")}, ["count"]),
    ],
)
def test_a_skill_has_changed_when_its_content_was_nowhere_before(
    tmp_path: Path, change: Mapping[str, Content | None], changed: list[str]
) -> None:
    """Nested skills each for itself, once: the outer one's SHA covers the inner one."""
    before = find_skills(write_tree(tmp_path / "before", BEFORE))
    files = {path: content for path, content in {**BEFORE, **change}.items() if content is not None}
    after = find_skills(write_tree(tmp_path / "after", files))
    assert [skill.path for skill in find_changed_skills(before, after)] == changed


def test_a_file_behind_a_link_changes_the_skill_that_links_to_it(tmp_path: Path) -> None:
    linked = {**BEFORE, "shared.md": "old", "count/shared.md": Link("../shared.md")}
    before = find_skills(write_tree(tmp_path / "before", linked))
    after = find_skills(write_tree(tmp_path / "after", {**linked, "shared.md": "new"}))
    assert [skill.path for skill in find_changed_skills(before, after)] == ["count"]


def test_moving_a_skill_changes_nothing_and_pushing_back_names_the_older_version(
    tmp_path: Path,
) -> None:
    old = find_skills(write_tree(tmp_path / "old", {"a/SKILL.md": a_skill("a", "Old.")}))
    moved = find_skills(write_tree(tmp_path / "moved", {"b/a/SKILL.md": a_skill("a", "Old.")}))
    new = find_skills(write_tree(tmp_path / "new", {"a/SKILL.md": a_skill("a", "New.")}))
    assert find_changed_skills(old, moved) == ()
    (back,) = find_changed_skills(new, old)
    assert back.sha == old.skills[0].sha
