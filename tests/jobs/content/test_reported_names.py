"""Skills and files named in the ways that other bots did not understand."""

import pytest

from jobs.content.shelf import SkillShelf
from jobs.errors import Refused
from tests.jobs.content.reported import filled, read, refusal


@pytest.mark.parametrize(
    ("section", "paths"),
    [
        ("- `Word_Count`", ["word-count"]),
        ("[word-count](../tree/main/word-count)", ["word-count"]),
        ("[that one](../tree/feature/x/word-count)", ["word-count"]),
        ("[word-count][wc]\n\n[wc]: ../tree/main/word-count", ["word-count"]),
        ("[the counter][wc]\n\n[wc]: https://git.example/o/r/tree/main/word-count", ["word-count"]),
        ("[word-count]", ["word-count"]),
        ("1. word-count (main)", ["word-count"]),
        ("1. word-count\n2. csv-clean\n3. 2-step", ["word-count", "csv-clean", "2-step"]),
        ("- 2-step", ["2-step"]),
        ("2. 2-step", ["2-step"]),
        ("word-count, csv-clean", ["word-count", "csv-clean"]),
        ("word-count、csv-clean", ["word-count", "csv-clean"]),
        ("`word-count` and `csv-clean`", ["word-count", "csv-clean"]),
        ("word-count<br>csv-clean", ["word-count", "csv-clean"]),
        ("word-count\ncsv-clean", ["word-count", "csv-clean"]),
        ("- text:\n  - word-count\n  - csv-clean", ["word-count", "csv-clean"]),
        ("Use the `word-count` skill, which counts.", ["word-count"]),
        ("ｗｏｒｄ－ｃｏｕｎｔ", ["word-count"]),
        ("word–count", ["word-count"]),
        (".\\word-count\\", ["word-count"]),
        ("word-count\\SKILL.md", ["word-count"]),
        ("word-count/SKILL.md", ["word-count"]),
        ("```\nword-count\n```", ["word-count"]),
        ("word-count\n---", ["word-count"]),
        ("> word-count", ["word-count"]),
        ("- **word-count**\u00a0", ["word-count"]),
        ("| skill |\n|---|\n| word-count |", ["word-count"]),
        ("| skill | branch |\n|---|---|\n| word-count | main |", ["word-count"]),
        ("| # | skill |\n|---|---|\n| 1 | word-count |\n| 2 |", ["word-count"]),
        ("| skill | branch |\n| word-count | main |", ["word-count"]),
        ("| skill | note |\n|---|---|\n| word-count | `a \\| b` |", ["word-count"]),
        ("| word-count | main |", ["word-count"]),
    ],
)
def test_every_way_to_name_a_skill_leads_to_its_folder(
    shelf: SkillShelf, section: str, paths: list[str]
):
    body = filled().replace("## Skills\nword-count", f"## Skills\n{section}")
    assert [shelf.find(name).path for name in read(body, shelf).target_skills] == paths


@pytest.mark.parametrize(
    "section", ["| skill |\n|---|", "| skill | branch |\n|---|---|\n", "| skill |"]
)
def test_a_table_without_rows_names_no_skill(shelf: SkillShelf, section: str):
    body = filled().replace("## Skills\nword-count", f"## Skills\n{section}")
    assert "lacks a skill (section `Skills`)" in refusal(body, shelf)


def test_a_skill_that_is_not_there_is_named_with_the_nearest(shelf: SkillShelf):
    body = filled().replace("## Skills\nword-count", "## Skills\n- word-count\n- csv-claen")
    known, unknown = read(body, shelf).target_skills
    assert shelf.find(known).path == "word-count"
    with pytest.raises(Refused, match=r"`csv-claen` is not in this repository.*`csv-clean`"):
        shelf.find(unknown)


@pytest.mark.parametrize(
    "files",
    [
        "data/hr data.tsv",
        "- `data/hr data.tsv`",
        "[hr](../blob/main/data/hr%20data.tsv)",
        "[hr][1]\n\n[1]: ../blob/main/data/hr%20data.tsv",
        "data\\hr data.tsv",
        "https://git.example/o/r/blob/main/data/hr%20data.tsv",
        "    data/hr data.tsv",
    ],
)
def test_every_way_to_name_a_file_stages_it(shelf: SkillShelf, files: str):
    case = read(filled(files=files), shelf)
    assert [file.source for file in case.inputs] == ["data/hr data.tsv"]
    assert case.notes == ()


@pytest.mark.parametrize("files", ["word-count/", "word-count/SKILL.md", "- `word-count/SKILL.md`"])
def test_the_skill_under_test_is_no_input_of_both_arms(shelf: SkillShelf, files: str):
    case = read(filled(files=f"{files}\n- data/a.csv"), shelf)
    assert [file.source for file in case.inputs] == ["data/a.csv"]
    assert any("skill under test" in remark for remark in case.remarks)
    assert read(filled(files="csv-clean/SKILL.md"), shelf).inputs[0].source == "csv-clean/SKILL.md"
