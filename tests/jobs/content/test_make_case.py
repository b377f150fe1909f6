"""A case holds the texts that its paths stand for, and never gives its answers away."""

from dataclasses import replace
from pathlib import Path

import pytest

from jobs.content.draft import CaseDraft
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.rubric import Statement
from jobs.content.skills import find_skills
from jobs.errors import Refused
from jobs.values import EvalCase
from tests.jobs.content.trees import WORD_COUNT, Content, Link, write_tree

FILES: dict[str, Content] = {
    "word-count/SKILL.md": WORD_COUNT,
    "csv-clean/SKILL.md": "---\nname: csv-clean\ndescription: x\n---\n",
    "word-count/benchmarks/basic/prompt.md": "\n\nCount the words.\r\n",
    "word-count/benchmarks/basic/rubric.md": "# Values\n- prints 42\n- says so\n",
    "word-count/benchmarks/basic/expected/out.csv": "42",
    "word-count/benchmarks/basic/words.txt": "a b c",
    "word-count/benchmarks/basic/plot.png": b"\x89PNG\xff\0",
    "word-count/benchmarks/basic/empty.md": " \n",
    "word-count/benchmarks/basic/prose.md": "Be nice.",
    "word-count/scripts/count.py": "print(42)",
    "counter": Link("word-count"),
}
BASIC = "word-count/benchmarks/basic"
DRAFT = CaseDraft(
    id="x",
    source="file",
    place="`x.json`",
    prompt="Count.",
    expected_output="A number",
    statements=(Statement("prints 42"),),
    skills=("word-count",),
)


def make(tmp_path: Path, draft: CaseDraft, files: dict[str, Content] | None = None) -> EvalCase:
    snapshot = write_tree(tmp_path, {**FILES, **(files or {})})
    return make_case(draft, snapshot, find_skills(snapshot))


@pytest.mark.parametrize(
    "written",
    [
        f"{BASIC}/prompt.md",
        f"`{BASIC}/prompt.md`",
        f"[the prompt]({BASIC}/prompt.md)",
        f"https://git.example/o/r/blob/main/{BASIC}/prompt.md",
        "counter/benchmarks/basic/prompt.md",
        f"  ./{BASIC}/prompt.md\n",
    ],
)
def test_a_prompt_that_is_only_a_path_stands_for_the_file(tmp_path: Path, written: str):
    case = make(tmp_path, replace(DRAFT, prompt=written))
    assert case.prompt == "Count the words."
    assert case.withheld == (f"{BASIC}/prompt.md",)


@pytest.mark.parametrize(
    "written", [f"See {BASIC}/prompt.md", f"[a]({BASIC}/prompt.md) and more", "Count\nwords.md"]
)
def test_a_prompt_that_says_more_is_a_prompt(tmp_path: Path, written: str):
    assert make(tmp_path, replace(DRAFT, prompt=written)).prompt == written


def test_a_rubric_file_s_items_are_the_assertions_in_its_place(tmp_path: Path):
    statements = (Statement("first"), Statement(f"{BASIC}/rubric.md"), Statement("last"))
    case = make(tmp_path, replace(DRAFT, statements=statements))
    assert [(one.id, one.text, one.group) for one in case.assertions] == [
        ("A1", "first", None),
        ("A2", "prints 42", "Values"),
        ("A3", "says so", "Values"),
        ("A4", "last", None),
    ]
    assert case.withheld == (f"{BASIC}/rubric.md",)


def test_paths_that_lead_nowhere_are_all_named(tmp_path: Path):
    draft = replace(DRAFT, prompt="gone/prompt.md", statements=(Statement("gone/rubric.md"),))
    with pytest.raises(Refused) as refusal:
        make(tmp_path, draft)
    assert "`gone/prompt.md`" in str(refusal.value)
    assert "`gone/rubric.md`" in str(refusal.value)


@pytest.mark.parametrize("prompt", ["prompt.md", "`tasks/one.txt`", "a/b/c.yaml"])
def test_a_session_is_never_given_a_bare_path_as_its_task(tmp_path: Path, prompt: str):
    with pytest.raises(Refused, match="only the path"):
        make(tmp_path, replace(DRAFT, prompt=prompt))


@pytest.mark.parametrize(
    ("draft", "named"),
    [
        (replace(DRAFT, prompt=f"{BASIC}/empty.md"), r"empty\.md` is empty"),
        (replace(DRAFT, prompt=f"{BASIC}/plot.png"), "not UTF-8: byte 0x89 at offset 0"),
        (replace(DRAFT, statements=(Statement(f"{BASIC}/prose.md"),)), "no list items"),
        (replace(DRAFT, statements=(Statement(f"{BASIC}/plot.png"),)), "not UTF-8"),
        (replace(DRAFT, statements=tuple(Statement(f"s{n}") for n in range(201))), "201 assert"),
    ],
)
def test_a_file_that_gives_no_text_is_refused_by_name(tmp_path: Path, draft: CaseDraft, named: str):
    with pytest.raises(Refused, match=named):
        make(tmp_path, draft)


@pytest.mark.parametrize("text", ["output/report.md", "./outputs/x.txt", "result.csv exists"])
def test_an_assertion_about_an_output_file_is_one(tmp_path: Path, text: str):
    case = make(tmp_path, replace(DRAFT, statements=(Statement(text),)))
    assert case.assertions[0].text == text


def test_an_expected_output_that_is_a_path_stands_for_the_file(tmp_path: Path):
    case = make(tmp_path, replace(DRAFT, expected_output=f"{BASIC}/expected/out.csv"))
    assert case.expected_output == "42"
    assert case.withheld == (f"{BASIC}/expected/out.csv",)


def test_an_expected_output_that_is_no_text_is_withheld_and_remarked(tmp_path: Path):
    case = make(tmp_path, replace(DRAFT, expected_output=f"{BASIC}/plot.png"))
    assert case.withheld == (f"{BASIC}/plot.png",)
    assert "is no text" in case.remarks[0]


@pytest.mark.parametrize("text", ["report.md", "gone/report.md", "results.json"])
def test_an_expected_output_that_names_a_file_to_be_made_is_kept(tmp_path: Path, text: str):
    assert make(tmp_path, replace(DRAFT, expected_output=text)).expected_output == text


@pytest.mark.parametrize(
    "text",
    [
        f"Equal to {BASIC}/expected/out.csv, row by row.",
        f"See [this]({BASIC}/expected/out.csv).",
        f"As in `{BASIC}/expected/out.csv`",
        "As in counter/benchmarks/basic/expected/out.csv",
    ],
)
def test_a_file_that_expected_output_or_assertions_point_to_is_withheld(tmp_path: Path, text: str):
    by_expected = make(tmp_path / "a", replace(DRAFT, expected_output=text))
    by_assertion = make(tmp_path / "b", replace(DRAFT, statements=(Statement(text),)))
    for case in (by_expected, by_assertion):
        assert case.withheld == (f"{BASIC}/expected/out.csv",)


def test_inputs_and_the_skill_s_own_resources_are_not_withheld(tmp_path: Path):
    text = f"Runs word-count/scripts/count.py as word-count/SKILL.md says on {BASIC}/words.txt"
    draft = replace(DRAFT, expected_output=text, files=(f"{BASIC}/words.txt",))
    case = make(tmp_path, draft)
    assert case.withheld == ()
    assert [file.source for file in case.inputs] == [f"{BASIC}/words.txt"]


def test_a_rubric_among_the_files_is_not_staged(tmp_path: Path):
    draft = replace(
        DRAFT,
        statements=(Statement(f"{BASIC}/rubric.md"),),
        files=(f"{BASIC}/rubric.md", f"{BASIC}/words.txt"),
    )
    case = make(tmp_path, draft)
    assert [file.source for file in case.inputs] == [f"{BASIC}/words.txt"]


def test_the_file_that_holds_the_case_is_withheld(tmp_path: Path):
    draft = replace(DRAFT, own_path="counter/x.json")
    case = make(tmp_path, draft, {"word-count/x.json": "{}"})
    assert case.withheld == ("word-count/x.json",)


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (["`Word_Count`"], ("Word_Count",)),
        (["[word-count](../tree/main/word-count)"], ("word-count",)),
        (["[that one](../tree/main/word-count)"], ("[that one](../tree/main/word-count)",)),
        (["word-count, csv-clean"], ("word-count", "csv-clean")),
        (["word-count and `csv-clean`"], ("word-count", "csv-clean")),
        (["word-count; gone"], ("word-count", "gone")),
        (["The skill `word-count` is meant here"], ("word-count",)),
        (["word-count", "and here is why I think it matters"], ("word-count",)),
        (["word-count", "word-count", "counter"], ("word-count", "counter")),
        (["r2rtf"], ("r2rtf",)),
    ],
)
def test_skills_are_named_in_the_reading_that_the_commit_knows(
    tmp_path: Path, lines: list[str], names: tuple[str, ...]
):
    body = (
        "## Skills\n" + "\n".join(f"- {line}" for line in lines) + "\n## Query\nq\n"
        "## Rubric Criteria\n- a\n"
    )
    assert make(tmp_path, draft_from_issue(1, body)).target_skills == names


BODY = (
    "## Skills\nword-count\n\n## Language\nR\n\n## Query\nCount\n\n    words.\n\n"
    "## Expected Output\nA number\nin a line\n\n"
    f"## Attached Files\n- {BASIC}/words.txt\nof today\n\n"
    "## Rubric Criteria (Assertions)\nStyle\n- prints 42\n"
)


def test_line_ends_change_no_field_and_no_digest(tmp_path: Path):
    unix = make(tmp_path / "a", draft_from_issue(1, BODY))
    windows = make(tmp_path / "b", draft_from_issue(1, BODY.replace("\n", "\r\n")))
    assert windows == unix
    texts = [windows.prompt, windows.expected_output, *windows.notes, windows.assertions[0].text]
    assert not any("\r" in text for text in texts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Count\n", "Tally\n"),
        ("A number", "Two numbers"),
        ("prints 42", "prints 43"),
        ("Style", "Form"),
        ("of today", "of yesterday"),
        ("\nR\n", "\nPython\n"),
        (f"- {BASIC}/words.txt\n", ""),
    ],
)
def test_what_is_asked_or_scored_changes_the_digest(tmp_path: Path, old: str, new: str):
    before = make(tmp_path / "a", draft_from_issue(1, BODY))
    after = make(tmp_path / "b", draft_from_issue(1, BODY.replace(old, new)))
    assert before.digest != after.digest


@pytest.mark.parametrize(
    ("old", "new"),
    [("word-count", "`Word_Count`"), ("\nR\n", "\nr\n"), ("## Language", "### LANGUAGE:")],
)
def test_spelling_changes_no_digest(tmp_path: Path, old: str, new: str):
    before = make(tmp_path / "a", draft_from_issue(1, BODY))
    after = make(tmp_path / "b", draft_from_issue(2, BODY.replace(old, new, 1)))
    assert before.digest == after.digest


def test_the_content_of_inputs_and_named_files_is_in_the_digest(tmp_path: Path):
    pointing = draft_from_issue(1, BODY.replace("A number", f"As in {BASIC}/expected/out.csv"))
    before = make(tmp_path / "a", pointing)
    for number, changed in enumerate(("words.txt", "expected/out.csv")):
        files: dict[str, Content] = {f"{BASIC}/{changed}": "changed"}
        assert make(tmp_path / str(number), pointing, files).digest != before.digest


def test_a_case_that_moves_with_its_files_keeps_its_digest(tmp_path: Path):
    draft = replace(
        DRAFT,
        prompt=f"{BASIC}/prompt.md",
        statements=(Statement(f"{BASIC}/rubric.md"),),
        expected_output=f"{BASIC}/plot.png",
        files=(f"{BASIC}/words.txt",),
        own_path="_automation/evals/x.json",
    )
    moved = replace(
        draft,
        id="y",
        place="`y.json`",
        own_path="word-count/evals/evals.json",
        prompt="z.md",
        statements=(Statement("a.md"),),
        expected_output=f"{BASIC}/plot.png",
        files=("b/other.txt",),
        skills=("csv-clean",),
    )
    files = {
        "z.md": FILES[f"{BASIC}/prompt.md"],
        "a.md": FILES[f"{BASIC}/rubric.md"],
        "b/other.txt": FILES[f"{BASIC}/words.txt"],
    }
    before, after = make(tmp_path / "a", draft), make(tmp_path / "b", moved, files)
    assert before.withheld != after.withheld
    assert before.digest == after.digest


def test_the_source_makes_no_difference_to_the_digest(tmp_path: Path):
    body = (
        "## Skills\nword-count\n## Query\nCount.\n## Expected Output\nA number\n"
        "## Rubric Criteria\n- prints 42"
    )
    issue = make(tmp_path / "a", draft_from_issue(1, body))
    assert issue.digest == make(tmp_path / "b", DRAFT).digest
