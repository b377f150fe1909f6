"""Whatever cannot be used is named, with what to do, before anything starts."""

import io
import json
import logging
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.commands import app
from bot.cli.settings import errors_told, load_settings, unknown_variables
from bot.needs import require
from config.settings import Settings
from jobs.errors import Error

pytestmark = pytest.mark.usefixtures("elsewhere", "own_logging")

NO_KEY = {"SKILLBENCH_REDIS_URL": "redis://127.0.0.1:1", "SKILLBENCH_GITHUB_APP_ID": "7"}


def refused(command: str, **variables: str) -> str:
    """What the command says to these variables; it must end as wrong usage does."""
    result = CliRunner().invoke(app, [command], env=variables)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    return result.output


@pytest.mark.parametrize("command", ["serve", "worker", "up", "doctor"])
def test_every_faulty_variable_is_named_with_what_would_be_taken(command: str) -> None:
    said = refused(
        command,
        SKILLBENCH_PORT="99999",
        SKILLBENCH_SANDBOX="chroot",
        SKILLBENCH_SESSION_TIMEOUT="soon",
        SKILLBENCH_MAX_USD_PER_DAY="NaN",
        SKILLBENCH_REDIS_URL="localhost:6379",
        SKILLBENCH_MENTION="bot",
        ANTHROPIC_BASE_URL="api.anthropic.com",
    )
    lines = dict(line.split(": ", 1) for line in said.splitlines())
    assert lines == {
        "SKILLBENCH_PORT": "must be less than or equal to 65535",
        "SKILLBENCH_SANDBOX": "must be 'bubblewrap', 'docker' or 'none'",
        "SKILLBENCH_SESSION_TIMEOUT": (
            "must be seconds (1800), ISO 8601 (PT30M) or a clock's (00:30:00)"
        ),
        "SKILLBENCH_MAX_USD_PER_DAY": "must be a finite number",
        "SKILLBENCH_REDIS_URL": (
            "must be redis://host:port/0, rediss://host:port/0 or unix:///socket"
        ),
        "SKILLBENCH_MENTION": "must look like @name, of letters, digits, `.`, `_` and `-`",
        "ANTHROPIC_BASE_URL": "must be an address such as https://host or https://host/path",
    }


def test_a_refused_value_is_not_repeated() -> None:
    """It may hold a password."""
    assert "hunter2" not in refused("serve", SKILLBENCH_REDIS_URL="http://me:hunter2@host")


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ("serve", ["SKILLBENCH_REDIS_URL"]),
        (
            "worker",
            ["SKILLBENCH_REDIS_URL", "SKILLBENCH_GITHUB_APP_ID", "SKILLBENCH_GITHUB_PRIVATE_KEY"],
        ),
    ],
)
def test_a_command_names_all_that_it_lacks_at_once(command: str, variables: list[str]) -> None:
    said = refused(command)
    for variable in variables:
        assert f"{variable} is empty; set it to" in said


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("./no-such-file.pem", "cannot be read (FileNotFoundError)"),
        (".", "cannot be read (IsADirectoryError)"),
        ("latin.pem", "cannot be read (UnicodeDecodeError)"),
        ("words.pem", "holds no PEM text"),
    ],
)
def test_a_private_key_that_is_none_is_noticed_before_the_first_job(
    elsewhere: Path, key: str, words: str
) -> None:
    (elsewhere / "latin.pem").write_bytes(b"\xe9")
    (elsewhere / "words.pem").write_text("a key")
    said = refused("worker", **NO_KEY, SKILLBENCH_GITHUB_PRIVATE_KEY=key)
    assert "SKILLBENCH_GITHUB_PRIVATE_KEY" in said
    assert words in said


def test_an_env_file_that_cannot_be_read_is_named(elsewhere: Path) -> None:
    (elsewhere / ".env").write_bytes(b"\xff\xfe")
    assert ".env" in refused("serve")


def test_blanks_alone_are_no_secret() -> None:
    """Anybody could guess it."""
    settings = Settings(_env_file=None, github_webhook_secret="  ")  # type: ignore[arg-type]
    with pytest.raises(Error, match="SKILLBENCH_GITHUB_WEBHOOK_SECRET"):
        require(settings, "github_webhook_secret")


def test_a_slip_in_the_name_of_a_variable_is_noticed(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit under a wrong name is no limit."""
    (elsewhere / ".env").write_text("SKILLBENCH_MAX_USD_PER_DYA=1\nOTHERS=1\n")
    monkeypatch.setenv("SKILLBENCH_FLAVOUR", "sweet")
    monkeypatch.setenv("SKILLBENCH_PORT", "80")
    assert unknown_variables() == [
        ("SKILLBENCH_FLAVOUR", None),
        ("SKILLBENCH_MAX_USD_PER_DYA", "SKILLBENCH_MAX_USD_PER_DAY"),
    ]


def test_a_defect_is_a_log_line_without_secrets_and_code_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2-hunter2")
    load_settings()
    [handler] = logging.getLogger().handlers
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(stream := io.StringIO())
    with pytest.raises(BaseException, match="1") as ended, errors_told():
        raise ValueError("the key hunter2-hunter2")
    assert getattr(ended.value, "exit_code", None) == 1
    line = json.loads(stream.getvalue())
    assert line["event"] == "ended_by_a_defect"
    assert "ValueError: the key [hidden]" in line["exception"]


def test_an_option_wins_over_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBENCH_PORT", "81")
    assert load_settings(port=82, host=None).port == 82
    assert load_settings(port=None).port == 81
