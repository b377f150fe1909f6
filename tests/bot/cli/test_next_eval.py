"""How `next` is typed, and what it prints; that it takes what it says is a story."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.cli.next_eval import print_choice
from jobs.choosing.choosing import Choice
from jobs.choosing.next_eval import Standing

MAY = datetime(2026, 5, 4, 3, 1, tzinfo=UTC)
FIRST = Standing(
    eval_id="github-issue-21", issue=21, is_pending=True, completed_in_all=2, last_run=MAY
)
SECOND = Standing(eval_id="[red]|x", issue=0, is_pending=True, is_readable=False, completed=1)


def a_choice(**changes: Any) -> Choice:
    given: dict[str, Any] = {
        "repository": "acme/skills",
        "model": "claude-sonnet-4-6",
        "status": "CHOSEN",
        "chosen": FIRST,
        "pending": (FIRST, SECOND),
        "evals": 5,
    }
    return Choice(**(given | changes))


def printed(
    capsys: pytest.CaptureFixture[str], choice: Choice, *, dry_run: bool = True
) -> list[str]:
    print_choice(choice, dry_run=dry_run)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("name", ["skills", "acme/", "/skills", "https://github.com/acme/skills"])
@pytest.mark.usefixtures("own_logging")
def test_what_names_no_repository_is_wrong_usage(elsewhere: Path, name: str) -> None:
    told = CliRunner().invoke(app, ["next", name, "--dry-run"])
    assert told.exit_code == 2
    assert "write OWNER/REPO" in told.output


@pytest.mark.usefixtures("own_logging")
def test_without_the_apps_credentials_it_says_what_to_set(elsewhere: Path) -> None:
    told = CliRunner().invoke(app, ["next", "acme/skills"])
    assert told.exit_code == 2
    assert "SKILLBENCH_GITHUB_APP_ID" in told.output


def test_the_table_has_the_next_one_first_and_names_things_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    head, first, second, said = printed(capsys, a_choice(taken=("[red]|x",)))
    assert "runs of claude-sonnet-4-6" in head
    assert first.split() == ["→", "github-issue-21", "#21", "0", "2", "2026-05-04", "03:01"]
    assert second.split()[:4] == ["[red]|x", "1", "0", "never"]
    assert second.endswith("taken this week, its history cannot be read")
    assert said == "acme/skills on claude-sonnet-4-6: github-issue-21 is next."


def test_what_was_taken_is_told_from_what_would_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, a_choice(), dry_run=False)[-1].endswith("was put on the queue.")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "UP_TO_DATE", "pending": ()}, "all 5 eval cases are measured as they are now."),
        ({"status": "ALL_TAKEN"}, "what is pending was taken within the last seven days."),
    ],
)
def test_where_there_is_none_the_last_line_says_why(
    capsys: pytest.CaptureFixture[str], changes: dict[str, Any], words: str
) -> None:
    said = printed(capsys, a_choice(chosen=None, **changes))[-1]
    assert said.startswith(f"{changes['status']}: acme/skills on claude-sonnet-4-6: ")
    assert said.endswith(words)
