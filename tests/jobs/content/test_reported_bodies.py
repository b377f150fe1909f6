"""Issue bodies that broke other bots, and their kin, from the body to the finished eval case.

Each test is one kind of report: the body as somebody typed it, or a browser or an issue form
made it, and the case that its author meant.
"""

import pytest

from jobs.content.shelf import SkillShelf
from tests.jobs.content.reported import filled, read, refusal, texts


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_the_line_ends_of_a_browser_give_the_same_case_and_digest(shelf: SkillShelf, line_end: str):
    body = filled("Data below.\n```\na\n\nb\n```", "Style\n- prints 42\n- wraps\n  here")
    case = read(body.replace("\n", line_end), shelf)
    assert case == read(body, shelf)
    assert "\r" not in case.model_dump_json()


def test_a_form_left_blank_is_missing_everything_and_its_words_reach_nobody(shelf: SkillShelf):
    titles = [line for line in filled().splitlines() if line.startswith("## ")]
    reply = refusal("".join(f"#{title}\n\n_No response_\n\n" for title in titles), shelf)
    for name in ("`Query`", "`Skills`", "`Rubric Criteria (Assertions)`"):
        assert name in reply
    assert "response" not in reply.casefold()


@pytest.mark.parametrize(
    "blank", ["_No response_", "*No response*", "No response", "**no response**"]
)
def test_blank_optional_fields_are_unset(shelf: SkillShelf, blank: str):
    body = filled(files=blank).replace("\nR\n", f"\n{blank}\n").replace("A number", blank)
    case = read(body, shelf)
    assert (case.language, case.expected_output, case.inputs, case.notes) == (None, "", (), ())


@pytest.mark.parametrize("blank", ["_No response_", "N/A", "None", "-", "<!-- task -->"])
def test_a_blank_query_is_missing_by_name(shelf: SkillShelf, blank: str):
    reply = refusal(filled().replace("Count words.", blank), shelf)
    assert "lacks a prompt (section `Query`)." in reply


@pytest.mark.parametrize(
    "code",
    [
        "```sh\n# setup\n## Expected Output\nmake all\n```",
        "~~~~\n## Rubric Criteria (Assertions)\n- no\n~~~~",
        "`````md\n````\n## Skills\n````\n`````",
        "    # setup\n    ## Expected Output",
        "\t## Expected Output",
        "- step\n\n  ```\n  ## Expected Output\n  ```",
        "> ## Expected Output",
    ],
)
def test_headings_in_code_stay_in_the_query(shelf: SkillShelf, code: str):
    query = f"Run:\n\n{code}\n\nthen stop."
    case = read(filled().replace("Count words.", query), shelf)
    assert case.prompt == query
    assert case.expected_output == "A number"
    assert texts(case) == ["prints 42"]


def test_an_author_s_headings_stay_in_the_query(shelf: SkillShelf):
    query = "Plan.\n### Data\n120 rows\n## Limits\nno internet\n\nNotes\n-----\n# Title\nend"
    assert read(filled().replace("Count words.", query), shelf).prompt == query


def test_sub_headings_of_a_rubric_are_groups(shelf: SkillShelf):
    rubric = "\n### Structure\n- has a title\n\n#### Values\n- total is 9\n- mean is 3"
    assert [(one.text, one.group) for one in read(filled(rubric=rubric), shelf).assertions] == [
        ("has a title", "Structure"),
        ("total is 9", "Values"),
        ("mean is 3", "Values"),
    ]


@pytest.mark.parametrize("rubric", ["### Structure\n### Values", "It should be good.", "- \n- \n*"])
def test_a_rubric_without_assertions_is_refused_by_name(shelf: SkillShelf, rubric: str):
    assert "lacks assertions (section `Rubric Criteria (Assertions)`" in refusal(
        filled(rubric=rubric), shelf
    )


GROUPED = ["one pipe per step", "# REVIEW: note at the cut-off", "script runs"]


@pytest.mark.parametrize(
    ("layout", "marks"),
    [
        ("{0}\n- {2}\n- {3}\n{1}\n- {4}", ("Style", "QC readiness")),
        ("{0}\n- {2}\n- {3}\n{1}\n- {4}", ("1. Style", "2. QC readiness")),
        ("{0}\n   - {2}\n   - {3}\n{1}\n   - {4}", ("1. Style", "2. QC readiness")),
        ("{0}\n- {2}\n- {3}\n{1}\n- {4}", ("A. Style", "B. QC readiness")),
        ("{0}\n\n* {2}\n* {3}\n\n{1}\n\n* {4}", ("_Style_", "_QC readiness_")),
        ("{0}\n\n1. {2}\n2. {3}\n\n{1}\n\n1. {4}", ("Style", "QC readiness")),
        ("{0}\n\n- [ ] {2}\n- [x] {3}\n\n{1}\n\n- [ ] {4}", ("Style:", "QC readiness:")),
        ("{0}\n- {2}\n- {3}\n{1}\n- {4}", ("- **Style**", "- **QC readiness**")),
        ("{0}\n- {2}\n- {3}\n\n{1}\n- {4}", ("**Style:**", "**QC readiness:**")),
    ],
)
def test_titles_between_items_are_groups_and_no_assertions(
    shelf: SkillShelf, layout: str, marks: tuple[str, str]
):
    case = read(filled(rubric=layout.format(*marks, *GROUPED)), shelf)
    assert texts(case) == GROUPED
    groups = [one.group or "" for one in case.assertions]
    assert groups[0] == groups[1]
    assert groups[0].endswith("Style")
    assert groups[2].endswith("QC readiness")


NUMBERED = ["names three groups", "compares two plans", "checks by simulation", "explains overlap"]


@pytest.mark.parametrize(
    "marks",
    [
        ("1. ", "2. ", "-. ", "7.  "),
        ("1. ", "1. ", ". ", "1. "),
        ("1) ", "2) ", "3) ", "4) "),
        ("(1) ", "(2) ", "(3) ", "(4) "),
        ("a) ", "b) ", "c) ", "d) "),
        ("a. ", "b. ", "c. ", "d. "),
        ("(a) ", "(b) ", "(c) ", "(d) "),
        ("i. ", "ii. ", "iii. ", "iv. "),
        ("- [ ] ", "- [x] ", "* [X] ", "- [ ]  "),
        ("・", "・", "・", "・"),
        ("-\t", "-\t", "*\t", "+\t"),
        ("1: ", "2: ", "3: ", "4: "),
        ("A1. ", "A2. ", "A3. ", "A4. "),
        ("R1: ", "R2: ", "R3: ", "R4: "),
        ("#1 ", "#2 ", "#3 ", "#4 "),
        ("1 - ", "2 - ", "3 - ", "4 - "),
        ("① ", "② ", "③ ", "④ "),
        ("1\\. ", "2\\. ", "3\\. ", "4\\. "),
        ("-\u00a0", "-\u00a0", "*\u3000", "-\u00a0"),
        ("\t- ", "\t- ", "\t- ", "\t- "),
        ("    1. ", "    2. ", "    3. ", "    4. "),
    ],
)
def test_a_rubric_numbered_by_hand_loses_its_marks(shelf: SkillShelf, marks: tuple[str, ...]):
    rubric = "\n".join(mark + text for mark, text in zip(marks, NUMBERED, strict=True))
    assert texts(read(filled(rubric=rubric), shelf)) == NUMBERED


@pytest.mark.parametrize(
    "files",
    [
        "None, everything is in the query.",
        "None (everything is in the query)",
        "N/A", "n.a.", "N / A", "Ｎ／Ａ", "-", "--", "—", "nothing", "Nothing.", "NONE", "(none)",
        "**None**", "`none`", "- None", "1. None", "- [ ] none", "None needed.", "No files needed",
        "There are no attachments.", "No attached input files", "Not applicable", "/",
        "<!-- paths here -->", "None - see the query above.", "There are no files; see the task.",
        "No input files are needed: see the task.",
    ],
)  # fmt: skip
def test_words_for_no_files_stage_nothing_and_leave_no_half_sentence(shelf: SkillShelf, files: str):
    case = read(filled(files=files), shelf)
    assert (case.inputs, case.notes, case.remarks) == ((), (), ())


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_code_under_files_is_prose_whole_and_in_order(shelf: SkillShelf, fence: str):
    prose = (
        f"Data come from a package.\n{fence}r\nlibrary(toydata)\n\ndm <- toydata::dm\n{fence}\nEnd."
    )
    case = read(filled(files=prose), shelf)
    assert case.notes == (prose,)
    assert (case.inputs, case.remarks) == ((), ())


BASIC = "word-count/benchmarks/basic"


@pytest.mark.parametrize(
    ("query", "rubric"),
    [
        (f"{BASIC}/prompt.md", f"- {BASIC}/rubric.md"),
        (f"`{BASIC}/prompt.md`", f"{BASIC}/rubric.md"),
        (f"- {BASIC}/prompt.md", f"1. `{BASIC}/rubric.md`"),
        (f"```\n{BASIC}/prompt.md\n```", f"```\n{BASIC}/rubric.md\n```"),
        (f"[prompt](../blob/main/{BASIC}/prompt.md)", f"- [rubric](/{BASIC}/rubric.md)"),
        (f"**{BASIC}/prompt.md**", f"* **{BASIC}/rubric.md**"),
        (f"{BASIC}/prompt.md.", f"- [ ] {BASIC}/rubric.md"),
        (BASIC.replace("/", "\\") + "\\prompt.md", f"- .\\{BASIC}\\rubric.md".replace("/", "\\")),
        (f"<{BASIC}/prompt.md>", f"- <{BASIC}/rubric.md>"),
        (
            f"https://raw.githubusercontent.com/o/r/main/{BASIC}/prompt.md",
            f"- https://git.example/o/r/blob/main/{BASIC}/rubric.md",
        ),
    ],
)
def test_paths_instead_of_texts_stand_for_the_files(shelf: SkillShelf, query: str, rubric: str):
    body = filled(rubric=rubric).replace("Count words.", query)
    case = read(body, shelf)
    assert case.prompt == "Count the words."
    assert texts(case) == ["prints 42", "says so"]
    assert case.withheld == (f"{BASIC}/prompt.md", f"{BASIC}/rubric.md")
    gone = refusal(body.replace("basic", "gone"), shelf)
    assert "prompt.md" in gone
    assert "rubric.md" in gone


def test_mixed_levels_cases_colons_and_emoji_find_all_sections(shelf: SkillShelf):
    body = (
        "## skills:\nword-count\n### QUERY\nq\n## ✅ Expected output\ne\n\nLanguage\n---\nR\n"
        "### Rubric criteria ##\n- a"
    )
    case = read(body, shelf)
    assert (case.prompt, case.expected_output, case.language) == ("q", "e", "R")
    assert texts(case) == ["a"]


@pytest.mark.parametrize(
    "heading", ["# Query", "#### Query", "##Query", "Query\n=====", "**Query**"]
)
def test_a_heading_that_is_nearly_one_is_told(shelf: SkillShelf, heading: str):
    reply = refusal(filled().replace("## Query", heading), shelf)
    assert "`## Query`" in reply
    assert "a prompt" in reply


@pytest.mark.parametrize("gap", ["", "\n", "\n\n\n"])
def test_every_block_of_an_answer_is_kept(shelf: SkillShelf, gap: str):
    query = "First.\n\nSecond.  \nline\n\n- third\n\n| a | b |\n|---|---|\n| `x` | 1 |"
    assert read(filled().replace("Count words.", gap + query + gap), shelf).prompt == query


def test_check_boxes_are_text_in_a_query_and_marks_in_a_rubric(shelf: SkillShelf):
    query = "Write a list like\n- [ ] one\n- [x] two\n- [x] two"
    rubric = "- [ ] has a table\n- [X] has a title\n- [x](https://a.example) is linked"
    case = read(filled(rubric=rubric).replace("Count words.", query), shelf)
    assert case.prompt == query
    assert texts(case) == ["has a table", "has a title", "[x](https://a.example) is linked"]
