"""Every folder with a SKILL.md is a skill, once, whatever stands around it."""

from pathlib import Path

import pytest

from config.repo_file import RepoFile
from jobs.content.skills import find_skills, read_skill_text
from jobs.errors import Refused
from tests.jobs.content.trees import WORD_COUNT, Content, Link, a_skill, write_tree


def test_skills_are_found_wherever_they_stand(tmp_path: Path):
    shelf = find_skills(
        write_tree(
            tmp_path,
            {
                "word-count/SKILL.md": WORD_COUNT,
                "family/SKILL.md": a_skill("family"),
                "family/inner/SKILL.md": a_skill("inner"),
                ".claude/skills/hidden/SKILL.md": a_skill("hidden"),
                "deep/er/and/deeper/SKILL.md": a_skill("deeper"),
                "node_modules/x/SKILL.md": a_skill("x"),
                "family/evals/files/SKILL.md": a_skill("a-test-file"),
                "evals/skills/kept/SKILL.md": a_skill("kept"),
                "folder/SKILL.md/README.md": "a folder of that name",
            },
        )
    )
    assert [skill.path for skill in shelf.skills] == [
        ".claude/skills/hidden",
        "deep/er/and/deeper",
        "evals/skills/kept",
        "family",
        "family/inner",
        "word-count",
    ]
    assert shelf.broken == {}


def test_a_linked_folder_is_another_way_to_the_same_skill(tmp_path: Path):
    shelf = find_skills(
        write_tree(
            tmp_path,
            {
                "admiral/admiral-toy/SKILL.md": a_skill("admiral-toy"),
                "admiral-toy": Link("admiral/admiral-toy"),
                "other": Link("admiral"),
                "twice": Link("admiral-toy"),
                "away": Link("/etc"),
            },
        )
    )
    [skill] = shelf.skills
    assert skill.path == "admiral/admiral-toy"
    assert shelf.aliases == {
        "admiral-toy": "admiral/admiral-toy",
        "other/admiral-toy": "admiral/admiral-toy",
        "twice": "admiral/admiral-toy",
    }
    spellings = ["admiral-toy", "admiral/admiral-toy", "other/admiral-toy", "twice", "Twice"]
    assert {shelf.find(spelling).sha for spelling in spellings} == {skill.sha}


def test_a_change_in_an_inner_skill_changes_the_outer_one_too(tmp_path: Path):
    files = {"fam/SKILL.md": a_skill("fam"), "fam/a/SKILL.md": a_skill("a")}
    before = {s.path: s.sha for s in find_skills(write_tree(tmp_path / "1", files)).skills}
    files["fam/a/SKILL.md"] = a_skill("a", "Changed.")
    after = {s.path: s.sha for s in find_skills(write_tree(tmp_path / "2", files)).skills}
    assert before.keys() == after.keys()
    assert all(before[path] != after[path] for path in before)


def test_a_skill_that_is_not_utf8_takes_no_other_down(tmp_path: Path):
    shelf = find_skills(
        write_tree(tmp_path, {"bad/SKILL.md": b"It\x92s bad", "word-count/SKILL.md": WORD_COUNT})
    )
    assert [skill.path for skill in shelf.skills] == ["word-count"]
    assert "0x92 at offset 2" in shelf.broken["bad"]
    assert "`bad/SKILL.md`" in shelf.broken["bad"]


def test_other_reasons_to_refuse_a_skill_are_told_too(tmp_path: Path):
    snapshot = write_tree(
        tmp_path,
        {
            "large/SKILL.md": a_skill("large") + "x" * 1_100_000,
            "small/skill.md": a_skill("small"),
            "gone/SKILL.md": Link("/etc/hostname"),
            "word-count/SKILL.md": WORD_COUNT,
        },
    )
    (tmp_path / "caf\udce9").mkdir()
    (tmp_path / "caf\udce9" / "SKILL.md").write_text(WORD_COUNT, encoding="utf-8")
    shelf = find_skills(snapshot)
    assert [skill.path for skill in shelf.skills] == ["word-count"]
    assert "1 MB" in shelf.broken["large"]
    assert "rename it to `SKILL.md`" in shelf.broken["small"]
    assert "not UTF-8" in shelf.broken["caf\udce9"]
    assert "gone" not in shelf.broken


def test_names_that_clash_are_reported_on_each_skill(tmp_path: Path):
    shelf = find_skills(
        write_tree(
            tmp_path,
            {
                "fam/SKILL.md": a_skill("a"),
                "fam/a/SKILL.md": a_skill("a"),
                "fam/vendor/a/SKILL.md": a_skill("a"),
            },
        )
    )
    for skill in shelf.skills:
        assert "`fam`, `fam/a` and `fam/vendor/a`" in skill.warnings[-1]


def test_a_skill_at_the_root_is_named_after_the_repository(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"SKILL.md": "# No front matter", "x/SKILL.md": a_skill("x")})
    root, inner = find_skills(snapshot).skills
    assert (root.path, root.name) == (".", "toolbox")
    assert inner.path == "x"
    assert read_skill_text(snapshot, ".").text == "# No front matter"


def test_size_and_both_shas_are_known(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"s/SKILL.md": a_skill("s"), "s/x.R": "12345"})
    [skill] = find_skills(snapshot).skills
    assert skill.size_bytes == len(a_skill("s")) + 5
    assert len(skill.sha) == len(skill.legacy_sha) == 64
    assert skill.sha != skill.legacy_sha


def test_the_repositorys_file_says_which_folders_are_skills(tmp_path: Path):
    files: dict[str, Content] = {
        "skills/a/SKILL.md": a_skill("a"),
        "skills/old/SKILL.md": a_skill("old"),
        "skills/old/inner/SKILL.md": a_skill("inner"),
        "skills/x/drafts/b/SKILL.md": a_skill("b"),
        "vendor/c/SKILL.md": a_skill("c"),
        "vendor/d/skill.MD": "misnamed",
        "SKILL.md": a_skill("root"),
        "link": Link("skills/old"),
        ".github/skillbench.yml": (
            "skills: {globs: ['skills/**'], excludes: ['skills/old', '**/drafts']}\n"
        ),
    }
    snapshot = write_tree(tmp_path, files)
    shelf = find_skills(snapshot)
    assert [skill.path for skill in shelf.skills] == ["skills/a"]
    assert (shelf.broken, shelf.aliases) == ({}, {})
    usual = find_skills(snapshot, RepoFile())
    assert [skill.path for skill in usual.skills] == [
        ".", "skills/a", "skills/old", "skills/old/inner", "skills/x/drafts/b", "vendor/c",
    ]  # fmt: skip


def test_a_file_that_cannot_be_used_finds_no_skill_by_other_rules(tmp_path: Path):
    files = {"a/SKILL.md": a_skill("a"), ".github/skillbench.yml": "skills: {glob: ['a']}\n"}
    with pytest.raises(Refused, match=r"line 1, `skills\.glob`"):
        find_skills(write_tree(tmp_path, files))
