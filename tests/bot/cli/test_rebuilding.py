"""How `rebuild` is typed, and what it says."""

from collections import Counter

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.cli.rebuilding import render_rebuilt
from bot.upkeep.rebuild import Rebuilt


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--all"),
        (["acme/skills", "--all"], "--all"),
        (["skills"], "OWNER/REPO"),
        (["https://github.com/acme/skills"], "OWNER/REPO"),
    ],
)
def test_what_names_no_repository_is_wrong_usage(arguments: list[str], word: str) -> None:
    told = CliRunner().invoke(app, ["rebuild", *arguments])
    assert told.exit_code == 2
    assert word in told.output


@pytest.mark.parametrize(
    ("rebuilt", "line"),
    [
        (Rebuilt(), "acme/skills: 0 runs"),
        (Rebuilt(from_comments=1), "acme/skills: 1 run"),
        (
            Rebuilt(2, 1, Counter({"not graded": 2, "unreadable archive": 1})),
            "acme/skills: 3 runs (1 from archives); skipped: 2 not graded, 1 unreadable archive",
        ),
        (
            Rebuilt(from_comments=1, verdicts=2),
            "acme/skills: 1 run, 2 verdicts of people",
        ),
        (Rebuilt(measurements=1), "acme/skills: 0 runs, 1 measurement of descriptions"),
    ],
)
def test_a_line_tells_what_was_found_and_what_was_passed_over(rebuilt: Rebuilt, line: str) -> None:
    assert render_rebuilt("acme/skills", rebuilt) == line
