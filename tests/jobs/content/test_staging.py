"""A session gets the skill's files as they are, the inputs under neutral names, no answers."""

from pathlib import Path

import pytest

from jobs.content.cases import find_case
from jobs.content.skills import find_skills
from jobs.content.staging import stage_inputs, stage_skill
from jobs.errors import Refused
from tests.jobs.content.trees import Content, Link, a_skill, write_tree

FILES: dict[str, Content] = {
    "calc/SKILL.md": a_skill("calc"),
    "calc/reference.md": "how",
    "calc/scripts/calc.R": "x <- 1",
    "calc/assets/t.bin": b"\xff\0\xfe",
    "calc/shared": Link("../common"),
    "calc/one.md": Link("../common/c.md"),
    "common/c.md": "common",
    "calc/inner/SKILL.md": a_skill("inner"),
    "calc/evals/evals.json": "answer",
    "calc/inner/evals/x.md": "answer",
    "calc/bench/rubric.md": "- answer",
    "calc/.git/config": "x",
    "calc/out": Link("/etc/passwd"),
}


def staged(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_all_files_of_a_skill_are_staged_with_content_and_executable_bit(tmp_path: Path):
    snapshot = write_tree(tmp_path / "tree", FILES)
    (tmp_path / "tree/calc/scripts/calc.R").chmod(0o755)
    skill = find_skills(snapshot).find("calc")
    withheld = stage_skill(snapshot, skill, tmp_path / "skill", ["calc/bench/rubric.md"])
    assert withheld == ("calc/bench/rubric.md",)
    assert staged(tmp_path / "skill") == {
        "SKILL.md",
        "reference.md",
        "scripts/calc.R",
        "assets/t.bin",
        "shared/c.md",
        "one.md",
        "inner/SKILL.md",
    }
    assert (tmp_path / "skill/assets/t.bin").read_bytes() == b"\xff\0\xfe"
    assert (tmp_path / "skill/scripts/calc.R").stat().st_mode & 0o100
    assert not (tmp_path / "skill/SKILL.md").stat().st_mode & 0o111
    assert not any(path.is_symlink() for path in (tmp_path / "skill").rglob("*"))


def test_withholding_leaves_the_sha_alone_and_finds_links_to_the_file(tmp_path: Path):
    files = {**FILES, "calc/other-name.md": Link("bench/rubric.md")}
    snapshot = write_tree(tmp_path / "tree", files)
    skill = find_skills(snapshot).find("calc")
    withheld = stage_skill(snapshot, skill, tmp_path / "skill", ["calc/bench/rubric.md"])
    assert set(withheld) == {"calc/bench/rubric.md"}
    assert not (tmp_path / "skill/other-name.md").exists()
    assert find_skills(snapshot).find("calc").sha == skill.sha


def test_inputs_are_staged_under_their_neutral_names(tmp_path: Path):
    case_file = (
        '{"id": "x", "prompt": "p", "assertions": ["a"], "target_skills": ["calc"],'
        ' "files": ["data/words.CSV", "data/LICENSE"]}'
    )
    snapshot = write_tree(
        tmp_path / "tree",
        {
            **FILES,
            "data/words.CSV": "a,b\n",
            "data/LICENSE": "MIT",
            "_automation/evals/x.json": case_file,
        },
    )
    case = find_case("x", snapshot, find_skills(snapshot))
    stage_inputs(snapshot, case, tmp_path / "work")
    assert staged(tmp_path / "work") == {"input/input_001.csv", "input/input_002"}
    assert (tmp_path / "work/input/input_001.csv").read_text(encoding="utf-8") == "a,b\n"


def test_an_input_that_is_gone_is_named(tmp_path: Path):
    snapshot = write_tree(
        tmp_path / "tree",
        {
            **FILES,
            "data/a.csv": "1",
            "_automation/evals/x.json": '{"prompt": "p", "assertions": ["a"],'
            ' "target_skills": ["calc"], "files": ["data/a.csv"]}',
        },
    )
    case = find_case("x", snapshot, find_skills(snapshot))
    (tmp_path / "tree/data/a.csv").unlink()
    with pytest.raises(Refused, match=r"data/a\.csv"):
        stage_inputs(snapshot, case, tmp_path / "work")
