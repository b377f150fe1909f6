"""What stands beside a commit that changes the repository's own file."""

from collections.abc import Mapping

import pytest

from jobs.check_runs import CheckRun
from jobs.repo_check import MOST_SHOWN, make_check

COMMIT = "a" * 40
ONE, OTHER = ".github/skillbench.yml", ".github/skillbench.yaml"


def check(files: Mapping[str, bytes | None]) -> CheckRun:
    return make_check(COMMIT, files)


@pytest.mark.parametrize("path", [ONE, OTHER])
def test_a_file_that_can_be_used_is_a_success(path: str):
    shown = check({path: b"trials: 3\n"})
    assert (shown.conclusion, shown.title) == ("success", "The file can be used")
    assert f"`{path}` can be used" in shown.summary
    assert (shown.name, shown.commit, shown.annotations) == ("skillbench config", COMMIT, ())


def test_each_problem_stands_at_its_line_with_its_key_and_what_is_allowed():
    shown = check({ONE: b"trials: 0\nbudgets:\n  per_rum: 5\n"})
    assert (shown.conclusion, shown.title) == ("failure", "The file cannot be used: 2 problems")
    first, second = shown.annotations
    assert (first.path, first.start_line, first.end_line) == (ONE, 1, 1)
    assert (first.title, first.level) == ("trials", "failure")
    assert first.message == "it must be a whole number from 1 to 20."
    assert (second.start_line, second.title) == (3, "budgets.per_rum")
    assert "Did you mean `per_run`? Allowed are `per_run` and `per_day`." in second.message


def test_what_is_about_the_whole_file_stands_at_its_first_line():
    [remark] = check({ONE: b"- a\n"}).annotations
    assert (remark.start_line, remark.title) == (1, ONE)
    [remark] = check({ONE: None}).annotations
    assert (remark.start_line, remark.message) == (
        1,
        "it is too large; at most 64,000 bytes are read.",
    )


def test_two_files_are_one_too_many():
    shown = check({ONE: b"", OTHER: b"trials: 2"})
    [remark] = shown.annotations
    assert remark.path == ONE
    assert "there are both `.github/skillbench.yml` and `.github/skillbench.yaml`" in remark.message


def test_a_file_full_of_faults_shows_the_first_ones():
    shown = check({ONE: "".join(f"k{number}: x\n" for number in range(500)).encode()})
    assert shown.title == "The file cannot be used: 500 problems"
    assert len(shown.annotations) == MOST_SHOWN
    assert f"The first {MOST_SHOWN} are shown." in shown.summary


def test_words_of_the_file_stay_words():
    """A key of any length and content fits into a check run, and mentions nobody."""
    shown = check({ONE: f"? '{'@mona ' * 200}'\n: x\n".encode()})
    [remark] = shown.annotations
    assert len(remark.title) <= 255
