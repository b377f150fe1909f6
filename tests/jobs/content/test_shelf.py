"""A skill is found as people write it; what is not found is named with what is near."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.content.shelf import SkillShelf
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from tests.jobs.content.trees import WORD_COUNT, a_skill, write_tree


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> SkillShelf:
    return find_skills(
        write_tree(
            tmp_path_factory.mktemp("shelf"),
            {
                "word-count/SKILL.md": WORD_COUNT,
                "template/SKILL.md": a_skill("template-skill"),
                "plugins/tools/csv-clean/SKILL.md": a_skill("csv-clean"),
                "bad/SKILL.md": b"\x92",
                "fam/SKILL.md": a_skill("a"),
                "fam/a/SKILL.md": a_skill("a"),
                "fam/vendor/a/SKILL.md": a_skill("a"),
            },
        )
    )


@pytest.mark.parametrize(
    "written",
    [
        "word-count",
        "`Word_Count`",
        "- `Word_Count`",
        "Word Count",
        "WORD-COUNT",
        "word_count/",
        "./word-count",
        "/word-count",
        "word-count/SKILL.md",
        "[word-count](../tree/main/word-count)",
        "[the counter](../tree/main/word-count)",
        "[the counter](https://git.example/o/r/tree/main/word-count#readme)",
        "[the counter](./word-count)",
        "[the counter](../blob/main/word-count/SKILL.md)",
        "https://git.example/o/r/tree/main/word-count",
        "https://git.example/o/r/blob/main/word-count/SKILL.md",
        "1. word-count (main)",
        "2) word-count",
        "(3) word-count",
        "* word-count",
        "- [x] word-count",
        "word-count (from main) ",
        "word-count [main]",
        "**word-count**",
        "_word-count_",
        '"word-count"',
        "word-count.",
        "word-count:",
        "the word-count skill",
        "Skill: word-count",
    ],
)
def test_every_way_to_write_a_name_finds_the_folder(shelf: SkillShelf, written: str):
    assert shelf.find(written).path == "word-count"
    assert shelf.knows(written)


@pytest.mark.parametrize("written", ["template", "template-skill", "Template_Skill", "`template`"])
def test_folder_and_name_both_find_a_skill_in_which_they_differ(shelf: SkillShelf, written: str):
    assert shelf.find(written).path == "template"


@pytest.mark.parametrize(
    "written", ["csv-clean", "tools/csv-clean", "Plugins/Tools/Csv_Clean", "tools/csv clean"]
)
def test_the_end_of_a_path_is_enough(shelf: SkillShelf, written: str):
    assert shelf.find(written).path == "plugins/tools/csv-clean"


@pytest.mark.parametrize("written", ["a", "A", "`a`"])
def test_a_clash_is_reported_with_the_paths(shelf: SkillShelf, written: str):
    with pytest.raises(Refused) as refusal:
        shelf.find(written)
    for path in ("`fam`", "`fam/a`", "`fam/vendor/a`"):
        assert path in str(refusal.value)


@pytest.mark.parametrize("path", ["fam", "fam/a", "fam/vendor/a"])
def test_a_path_settles_a_clash(shelf: SkillShelf, path: str):
    assert shelf.find(path).path == path


def test_a_broken_skill_says_why_rather_than_that_it_does_not_exist(shelf: SkillShelf):
    with pytest.raises(Refused, match="0x92 at offset 0"):
        shelf.find("bad")


@pytest.mark.parametrize("written", ["wrod-count", "word-counter", "wordcount", "`word-cuont`"])
def test_a_miss_names_the_nearest(shelf: SkillShelf, written: str):
    with pytest.raises(Refused, match=r"nearest .*`word-count`"):
        shelf.find(written)
    assert not shelf.knows(written)


@pytest.mark.parametrize(
    "written", ["zzz", "", "`", "@everyone `x`", "\ud800", "../..", "[](", "/"]
)
def test_a_miss_without_near_names_lists_what_there_is(shelf: SkillShelf, written: str):
    with pytest.raises(Refused, match="`word-count`"):
        shelf.find(written)


def test_a_miss_is_shown_in_a_code_span_that_nothing_leaves(shelf: SkillShelf):
    with pytest.raises(Refused) as refusal:
        shelf.find("zzz` @someone <img src=x>\n# Title")
    shown = str(refusal.value)
    assert "\n" not in shown
    assert shown.count("`") % 2 == 0
    assert shown.split("`")[1] == "zzz' @someone <img src=x> # Title"


def test_a_repository_without_skills_says_so(tmp_path: Path):
    with pytest.raises(Refused, match=r"no skill.*SKILL\.md"):
        find_skills(Snapshot(tmp_path, "c0ffee")).find("word-count")


@given(written=st.text(max_size=80) | st.text(alphabet="`[]()/.-_ aA\n#@<>*1", max_size=80))
def test_whatever_is_written_gives_a_skill_or_a_refusal(shelf: SkillShelf, written: str):
    with suppress(Refused):
        assert shelf.find(written) in shelf.skills
