"""Lines about skills are settled by what the commit holds; nothing that was meant is dropped."""

import pytest

from jobs.content.shelf import SkillShelf
from jobs.content.skill_names import read_skill_lines, settle_names


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["word-count", "csv-clean"], ["word-count", "csv-clean"]),
        (["word-count", "word-count"], ["word-count"]),
        (["r2rtf"], ["r2rtf"]),
        (["`r2rtf`"], ["r2rtf"]),
        (["word-count", "r2rtf"], ["word-count", "r2rtf"]),
        (["word-count, r2rtf and csv-clean"], ["word-count", "r2rtf", "csv-clean"]),
        (["Use the `word-count` skill, please, since it counts all words"], ["word-count"]),
        (["`word-count` or `csv-clean`, whichever"], ["word-count", "csv-clean"]),
        (["Try this and that"], ["Try this and that"]),
    ],
)
def test_names_are_told_from_the_words_around_them(
    shelf: SkillShelf, lines: list[str], names: list[str]
):
    assert settle_names(lines, shelf)[0] == names


@pytest.mark.parametrize("prose", ["The skill that is meant here is this one:", "Text skills:"])
def test_prose_beside_names_is_left_out_and_told(shelf: SkillShelf, prose: str):
    names, remarks = settle_names([prose, "word-count"], shelf)
    assert names == ["word-count"]
    assert prose in remarks[0]


def test_no_more_lines_are_read_than_anybody_means():
    lines = read_skill_lines("\n".join(f"- skill-{n}" for n in range(500)))
    assert len(lines) == 50
    assert lines[0] == "skill-0"
