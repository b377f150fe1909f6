"""What a push means for the descriptions of skills."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.triggering.changed import find_changed_descriptions
from tests.jobs.content.trees import Content, Link, a_skill, write_tree

BEFORE: dict[str, Content] = {
    "count/SKILL.md": a_skill("count"),
    "notes/SKILL.md": a_skill("notes", "Writes notes."),
    "broken/SKILL.md": b"no \x92 text",
}


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({}, []),
        ({"count/run.py": "print()"}, []),
        ({"count/SKILL.md": a_skill("count") + "More in its body.\n"}, []),
        ({"count/SKILL.md": a_skill("count", "'Counts words.'  # quoted")}, []),
        ({"count/SKILL.md": a_skill("count", "Counts lines.")}, ["count"]),
        ({"count/SKILL.md": a_skill("counter")}, ["count"]),
        ({"moved/SKILL.md": a_skill("count"), "count/SKILL.md": None}, []),
        ({"count/SKILL.md": None}, []),
        ({"count/SKILL.md": b"broken \x92 now"}, []),
        ({"broken/SKILL.md": a_skill("broken")}, ["broken"]),
        ({"new/SKILL.md": a_skill("new", "Is new.")}, ["new"]),
        ({"again": Link("count")}, []),
        (
            {"count/SKILL.md": a_skill("count", "A."), "notes/SKILL.md": a_skill("notes", "B.")},
            ["count", "notes"],
        ),
    ],
)
def test_a_description_counts_as_changed_when_agents_are_told_other_words(
    tmp_path: Path, change: Mapping[str, Content | None], changed: list[str]
) -> None:
    before = find_skills(write_tree(tmp_path / "before", BEFORE))
    files = {path: content for path, content in {**BEFORE, **change}.items() if content is not None}
    after = find_skills(write_tree(tmp_path / "after", files))
    assert [skill.path for skill in find_changed_descriptions(before, after)] == changed


def test_a_push_back_to_an_older_commit_counts_like_any_other(tmp_path: Path) -> None:
    def shelf(name: str, description: str) -> SkillShelf:
        return find_skills(write_tree(tmp_path / name, {"a/SKILL.md": a_skill("a", description)}))

    old, new = shelf("old", "Old."), shelf("new", "New.")
    (back,) = find_changed_descriptions(new, old)
    assert back.description == "Old."
