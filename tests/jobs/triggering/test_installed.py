"""What agents find in a measurement: the skill as it is tried, and the others around it."""

from pathlib import Path

import pytest

from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.triggering.installed import Installed, find_neighbours, install_skills
from tests.jobs.content.trees import write_tree


def a_skill_file(name: str, description: str = "Helps.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nBody\n"


def install(
    tmp_path: Path, tree: dict[str, str | bytes], skill: str, *, description: str = ""
) -> Installed:
    snapshot = write_tree(tmp_path / "tree", tree)
    shelf = find_skills(snapshot)
    found = shelf.find(skill)
    neighbours = find_neighbours(shelf, found)
    return install_skills(snapshot, found, neighbours, tmp_path / "skills", description=description)


def files(installed: Installed) -> list[str]:
    folder = installed.folder
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_each_skill_lies_whole_under_its_name_and_without_its_eval_sets(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "a/SKILL.md": a_skill_file("pdf"),
        "a/scripts/fill.R": "1",
        "a/evals/trigger.json": "[]",
        "b/SKILL.md": a_skill_file("csv"),
        "b/evals/evals.json": "{}",
    }
    installed = install(tmp_path, tree, "pdf")
    assert files(installed) == ["csv/SKILL.md", "pdf/SKILL.md", "pdf/scripts/fill.R"]
    assert [one.name for one in installed.neighbours] == ["csv"]
    assert installed.remarks == ()


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_byte_order_mark_hides_neither_the_tried_description_nor_a_neighbour(
    tmp_path: Path, line_end: str
) -> None:
    tree: dict[str, str | bytes] = {
        f"{name}/SKILL.md": f"\ufeff{a_skill_file(name)}".replace("\n", line_end).encode()
        for name in ("pdf", "csv")
    }
    installed = install(tmp_path, tree, "pdf", description="Fills in: forms")
    pdf, csv = ((installed.folder / name / "SKILL.md").read_bytes() for name in ("pdf", "csv"))
    written = a_skill_file("pdf", "'Fills in: forms'")
    assert pdf == written.replace("Body\n", f"Body{line_end}").encode()
    assert csv == a_skill_file("csv").replace("Body\n", f"Body{line_end}").encode()
    assert installed.skill.description == "Fills in: forms"


def test_a_long_description_is_neither_cut_nor_refused(tmp_path: Path) -> None:
    long = "🧮" + "x" * 1_067
    installed = install(tmp_path, {"pdf/SKILL.md": a_skill_file("pdf", long)}, "pdf")
    assert installed.skill.description == long


FAMILY: dict[str, str | bytes] = {
    "fam/SKILL.md": a_skill_file("fam"),
    "fam/a/SKILL.md": a_skill_file("a", "The first."),
    "fam/vendor/a/SKILL.md": a_skill_file("a", "The second."),
    "other/SKILL.md": a_skill_file("other"),
}


def test_skills_inside_the_tried_one_are_part_of_it(tmp_path: Path) -> None:
    installed = install(tmp_path, FAMILY, "fam")
    assert [one.name for one in installed.neighbours] == ["other"]
    assert "fam/vendor/a/SKILL.md" in files(installed)


def test_two_of_one_name_are_never_told_apart_in_silence(tmp_path: Path) -> None:
    """As the one that is tried it is refused; beside it one of them is left out, and named."""
    with pytest.raises(Refused, match=r"`fam/a` and `fam/vendor/a`.*`--alone`"):
        install(tmp_path / "one", FAMILY, "fam/a")
    beside = install(tmp_path / "two", FAMILY, "other")
    assert [one.description for one in beside.neighbours] == ["Helps.", "The first."]
    assert beside.remarks == ("`fam/vendor/a` was left out: another skill has its name.",)


def test_a_neighbour_that_cannot_be_installed_takes_nobody_down(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "pdf/SKILL.md": a_skill_file("pdf"),
        "review/SKILL.md": a_skill_file("review"),
        "fonts/SKILL.md": a_skill_file("fonts"),
        "fonts/all.bin": bytes(32 * 1024 * 1024),
    }
    installed = install(tmp_path, tree, "pdf")
    assert installed.neighbours == ()
    assert files(installed) == ["pdf/SKILL.md"]
    large, taken = sorted(installed.remarks)
    assert "`fonts` was left out" in large
    assert "31,457,280" in large
    assert "`review` was left out" in taken
