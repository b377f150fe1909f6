"""Commands are read as they were typed, and what is no command is told rather than run."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.content.cases import all_cases
from jobs.content.file_cases import BrokenCase
from jobs.content.issue_case import draft_from_issue
from jobs.content.make_case import make_case
from jobs.content.skills import find_skills
from jobs.content.written_checks import COMMAND_CHARACTERS, MAX_CHECKS, WrittenCheck, parse_checks
from jobs.errors import Refused
from jobs.sync.case_file import case_fields
from jobs.values import EvalCase
from tests.jobs.content.trees import WORD_COUNT, Content, write_tree

FILES: dict[str, Content] = {
    "word-count/SKILL.md": WORD_COUNT,
    "word-count/scripts/validate.py": "print(1)",
    "word-count/tests/check.py": "assert True",
    "tests/check.py": "assert True",
    "tests/helpers/numbers.py": "N = 4",
    "data/words.txt": "a b c",
    "data/expected.csv": "42",
    "output/report.json": "{}",
}
BODY = """## Skills
word-count

## Query
Count the words.

## Attached Files
- data/words.txt

## Rubric Criteria
- The number is 42
"""


def issue_case(tmp_path: Path, section: str, body: str = BODY) -> EvalCase:
    snapshot = write_tree(tmp_path, FILES)
    draft = draft_from_issue(7, f"{body}\n## Checks\n{section}\n")
    return make_case(draft, snapshot, find_skills(snapshot))


@pytest.mark.parametrize(
    ("written", "command", "name"),
    [
        ("- `test -s output/r.json`", "test -s output/r.json", ""),
        ("* test -s output/r.json", "test -s output/r.json", ""),
        ("1. `true`", "true", ""),
        (
            "- adds up: `python tests/check.py output/r.json`",
            "python tests/check.py output/r.json",
            "adds up",
        ),
        ("- **adds up** — `true`", "true", "adds up"),
        ("- The file parses: jq . output/r.json", "jq . output/r.json", "The file parses"),
        ("- [ ] `true`", "true", ""),
        ("- [ -f output/r.json ]", "[ -f output/r.json ]", ""),
        ("- `` grep -q '`' output/r.md ``", "grep -q '`' output/r.md", ""),
        ("- grep -c '*' output/*.csv", "grep -c '*' output/*.csv", ""),
        ("- grep -q 'total: 4' output/r.md", "grep -q 'total: 4' output/r.md", ""),
        ("- `grep -q 'total: 4' output/r.md`", "grep -q 'total: 4' output/r.md", ""),
        ("- grep Total: *.md", "grep Total: *.md", ""),
        ("- test `wc -l < x` -eq 5", "test `wc -l < x` -eq 5", ""),
        ("`true`", "true", ""),
        ("```sh\ntrue\n```", "true", ""),
        ("```console\n$ true\n```", "true", ""),
        ("```\n# it adds up\ntrue\n```", "true", "it adds up"),
        ("    true", "true", ""),
        ("```bash\npython x.py \\\n  --all\n```", "python x.py \\\n  --all", ""),
        ("- adds up:\n  ```bash\n  set -e\n  true\n  ```", "set -e\ntrue", "adds up"),
    ],
)
def test_a_command_is_read_however_it_is_written(written: str, command: str, name: str):
    found = parse_checks(written)
    assert found.checks == [WrittenCheck(command, name)]
    assert not found.problems
    assert not found.remarks


def test_each_line_of_a_block_and_each_item_is_one_command():
    found = parse_checks("```\ntrue\n\nfalse\n```\n\n- `one`\n- `two`\n  - `three`\n")
    assert [one.command for one in found.checks] == ["true", "false", "one", "two", "three"]


def test_what_is_no_command_is_told():
    prose = parse_checks("These run at the end.\n\n- `true`")
    assert len(prose.checks) == 1
    assert "These run at the end." in prose.remarks[0]
    program = parse_checks("```python\nimport os\n```")
    assert not program.checks
    assert "`python`" in program.problems[0]
    assert "no command" in parse_checks("Just words.").problems[0]


def test_a_case_with_a_program_among_its_commands_is_refused_and_not_run_without_it(
    tmp_path: Path,
):
    with pytest.raises(Refused, match="only a shell's lines"):
        issue_case(tmp_path, "- `true`\n\n```python\nassert 1\n```")


def test_too_many_and_too_long_commands_are_refused(tmp_path: Path):
    with pytest.raises(Refused, match=f"{MAX_CHECKS} are the most"):
        issue_case(tmp_path / "many", "- `true`\n" * (MAX_CHECKS + 1))
    with pytest.raises(Refused, match="check C1 has"):
        issue_case(tmp_path / "long", f"- `{'x' * (COMMAND_CHARACTERS + 1)}`")


def test_no_checks_are_no_checks(tmp_path: Path):
    without = make_case(
        draft_from_issue(7, BODY), snapshot := write_tree(tmp_path, FILES), find_skills(snapshot)
    )
    for number, nothing in enumerate(("None", "_No response_", "N/A", "")):
        case = issue_case(tmp_path / str(number), nothing)
        assert case.checks == ()
        assert case.digest == without.digest


def test_a_section_of_another_level_is_told_and_opens_nothing(tmp_path: Path):
    draft = draft_from_issue(7, f"{BODY}\n### Checks\n- `true`\n")
    assert draft.checks == ()
    assert any("`## Checks`" in remark for remark in draft.remarks)
    snapshot = write_tree(tmp_path, FILES)
    assert any(
        "## Checks" in remark
        for remark in make_case(draft, snapshot, find_skills(snapshot)).remarks
    )


def test_a_checklist_is_not_mistaken_for_checks():
    assert not draft_from_issue(7, f"{BODY}\n## Checklist\n- done\n").remarks


def test_files_that_a_command_names_are_found_and_withheld(tmp_path: Path):
    case = issue_case(tmp_path, "- `python ./tests/check.py output/report.json data/words.txt`")
    (check,) = case.checks
    assert [(file.source, file.path) for file in check.files] == [
        ("data/words.txt", "data/words.txt"),
        ("tests/check.py", "tests/check.py"),
    ]
    assert "tests/check.py" in case.withheld
    assert "data/words.txt" not in case.withheld, "the case attaches it"
    assert "output/report.json" not in case.withheld, "that is the candidate's"


def test_a_folder_that_a_command_names_stands_for_its_files(tmp_path: Path):
    case = issue_case(tmp_path, "- `pytest -q tests/`\n- `ls word-count/ skills/ ../x /etc/passwd`")
    pytest_run, listing = case.checks
    assert [file.path for file in pytest_run.files] == [
        "tests/check.py",
        "tests/helpers/numbers.py",
    ]
    assert listing.files == (), "a skill is what is measured"
    assert {"tests/check.py", "tests/helpers/numbers.py"} <= set(case.withheld)


def test_a_name_of_a_file_and_of_a_folder_is_refused(tmp_path: Path):
    """Beside the skill it is the one, at the root of the repository the other."""
    one = {"id": 1, "prompt": "p", "expected_output": "x", "expectations": ["It is 4."]}
    evals = {"evals": [one | {"checks": ["cat dd/x", "ls dd/x/y.txt"]}]}
    files: dict[str, Content] = {
        "word-count/SKILL.md": WORD_COUNT,
        "word-count/evals/evals.json": json.dumps({"skill_name": "word-count"} | evals),
        "word-count/dd/x": "a file",
        "dd/x/y.txt": "in a folder",
    }
    snapshot = write_tree(tmp_path, files)
    [case] = all_cases(snapshot, find_skills(snapshot))
    assert isinstance(case, BrokenCase)
    assert "`dd/x` as a file" in case.reason


def test_a_skills_own_script_is_not_taken_from_it(tmp_path: Path):
    case = issue_case(
        tmp_path, "- `python word-count/scripts/validate.py && python word-count/tests/check.py`"
    )
    assert len(case.checks[0].files) == 2
    assert "word-count/scripts/validate.py" not in case.withheld
    assert "word-count/tests/check.py" in case.withheld


def test_a_program_that_is_not_there_is_told(tmp_path: Path):
    case = issue_case(tmp_path, "- `python tests/chek.py`\n- `bash output/run.sh`")
    assert [remark for remark in case.remarks if "tests/chek.py" in remark]
    assert not [remark for remark in case.remarks if "run.sh" in remark]


def test_commands_and_what_their_files_say_are_part_of_the_digest(tmp_path: Path):
    one = issue_case(tmp_path / "a", "- `python tests/check.py`")
    named = issue_case(tmp_path / "b", "- adds up: `python tests/check.py`")
    other = issue_case(tmp_path / "c", "- `python tests/check.py -v`")
    assert one.digest == named.digest
    assert one.digest != other.digest
    snapshot = write_tree(tmp_path / "d", {**FILES, "tests/check.py": "assert False"})
    draft = draft_from_issue(7, f"{BODY}\n## Checks\n- `python tests/check.py`\n")
    assert make_case(draft, snapshot, find_skills(snapshot)).digest != one.digest


def file_cases(tmp_path: Path, checks: object) -> list[EvalCase | BrokenCase]:
    fields = {
        "id": "x",
        "prompt": "Count.",
        "assertions": ["The number is 42"],
        "target_skills": ["word-count"],
        "checks": checks,
    }
    files = {**FILES, "_automation/evals/x.json": json.dumps(fields)}
    snapshot = write_tree(tmp_path, files)
    return all_cases(snapshot, find_skills(snapshot))


def test_json_says_commands_as_texts_or_with_names(tmp_path: Path):
    (case,) = file_cases(
        tmp_path, ["true", {"name": "adds up", "command": "set -e\npython tests/check.py"}]
    )
    assert isinstance(case, EvalCase)
    assert [(one.id, one.command, one.name) for one in case.checks] == [
        ("C1", "true", ""),
        ("C2", "set -e\npython tests/check.py", "adds up"),
    ]


@pytest.mark.parametrize(
    "checks",
    [
        [3],
        [{"name": "x"}],
        [{"command": 4}],
        [""],
        [["true"]],
        True,
        [{"command": "a", "timeout": 5}],
    ],
)
def test_what_is_no_command_in_json_breaks_its_case_by_name(tmp_path: Path, checks: object):
    (case,) = file_cases(tmp_path, checks)
    assert isinstance(case, BrokenCase)
    assert "Entry 1 of `checks`" in case.reason


def test_the_same_commands_give_the_same_digest_from_an_issue_and_from_its_file(tmp_path: Path):
    body = f"{BODY}\n## Checks\n- adds up: `python tests/check.py output/r.json`\n- `true`\n"
    draft = draft_from_issue(7, body)
    fields = case_fields(draft, ["word-count"])
    assert fields["checks"] == [
        {"name": "adds up", "command": "python tests/check.py output/r.json"},
        "true",
    ]
    snapshot = write_tree(
        tmp_path, {**FILES, "_automation/evals/github-issue-7.json": json.dumps(fields)}
    )
    shelf = find_skills(snapshot)
    (from_file,) = all_cases(snapshot, shelf)
    assert isinstance(from_file, EvalCase)
    assert from_file.digest == make_case(draft, snapshot, shelf).digest


@given(st.text(alphabet="`-*:# \n$[]x|~>\\'\"a1.é\u202e", max_size=120))
def test_whatever_is_written_is_read_or_told(text: str):
    found = parse_checks(text)
    assert all(one.command.strip() == one.command != "" for one in found.checks)
    assert bool(text.strip()) <= bool(found.checks or found.problems)


@pytest.mark.parametrize(
    "item",
    [
        "- a" + " " * 60_000 + "b",
        "- " + "`" * 60_000,
        "- " + "` " * 30_000,
        "- " + "a: " * 20_000,
        "- x: `" + "a" * 60_000,
        "[ ] " * 15_000,
        "- [x] " * 8_000,
        "> " * 30_000,
    ],
)
def test_long_lines_are_read_at_once(item: str):
    found = parse_checks(item)
    assert found.checks or found.problems
