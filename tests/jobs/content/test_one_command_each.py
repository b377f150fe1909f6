"""What looks like a command of a case and is none, or is a part of one, is told or refused."""

import pytest

from jobs.content.written_checks import parse_checks


@pytest.mark.parametrize(
    "written",
    [
        "> `test -s output/x`",
        "| run |\n|---|\n| `test -s output/x` |",
        "<p><code>test -s output/x</code></p>",
        "- > `test -s output/x`",
    ],
)
def test_no_command_is_passed_over_unseen(written: str):
    found = parse_checks(f"{written}\n\n<!-- one a line -->\n\n- `true`")
    assert [one.command for one in found.checks] == ["true"]
    [remark] = found.remarks
    assert "test -s output/x" in remark


@pytest.mark.parametrize("item", ["`true` and `false`", "`true` `false`", "`test -s x` must pass"])
def test_code_with_words_beside_it_is_refused_since_a_shell_would_run_both(item: str):
    [problem] = parse_checks(f"- {item}").problems
    assert "code with words beside it" in problem


@pytest.mark.parametrize(
    "block",
    [
        "if true\nthen\n  exit 1\nfi",
        "for i in 1 2; do\n  test -s $i\ndone",
        "cat <<X\nwords\nX",
        "cd output\ntest -s r.md",
        "set -e\ntrue",
        "check() {\n  true\n}",
    ],
)
def test_a_program_of_several_lines_is_not_taken_apart(block: str):
    assert "runs alone" in parse_checks(f"```bash\n{block}\n```").problems[0]
    [check] = parse_checks(f"- it works:\n  ```bash\n{indented(block)}\n  ```").checks
    assert check.command == block


def test_a_line_that_closes_what_it_opens_is_one_command():
    lines = ["for i in 1 2; do test -s $i; done", "cd output && test -s r.md", "grep x <<< xy"]
    lines.append("for i in 1 2; do \\\n test -s $i; done")
    found = parse_checks("```sh\n" + "\n".join(lines) + "\n```")
    assert ([one.command for one in found.checks], found.problems) == (lines, [])


def indented(block: str) -> str:
    return "\n".join(f"  {line}" for line in block.split("\n"))
