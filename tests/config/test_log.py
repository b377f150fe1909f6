"""Log lines are one JSON object each, carry their ids, and never a secret."""

import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from config.log import HIDDEN, Redactor, set_up_logging

SECRET = "hunter2-hunter2"


@pytest.fixture
def lines() -> Iterator[Any]:
    """Set up as in production, writing to memory; afterwards everything is as before."""
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    stream = io.StringIO()
    set_up_logging(as_json=True, secrets=[SECRET, ""], stream=stream)

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in stream.getvalue().splitlines()]

    yield read
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    root.handlers, level = before[0], before[1]
    root.setLevel(level)


def test_an_event_is_one_line_with_its_values(lines: Any) -> None:
    structlog.get_logger("bot.app").info("delivery_ignored", reason="a\nb", number=3)
    [line] = lines()
    assert line["event"] == "delivery_ignored"
    assert (line["reason"], line["number"]) == ("a\nb", 3)
    assert line["level"] == "info"
    assert line["logger"] == "bot.app"
    assert line["timestamp"].endswith("Z")


def test_bound_ids_stand_in_every_line_until_unbound(lines: Any) -> None:
    log = structlog.get_logger("x")
    with structlog.contextvars.bound_contextvars(delivery="d-1"):
        log.info("one")
        logging.getLogger("a.library").warning("two %s", "words")
    log.info("three")
    assert [line.get("delivery") for line in lines()] == ["d-1", "d-1", None]
    assert lines()[1]["event"] == "two words"


def test_no_secret_comes_through_wherever_it_stands(lines: Any) -> None:
    log = structlog.get_logger("x")
    told = f"told {SECRET}"
    log.info(told, note=f"x{SECRET}y", deep={"a": [{"b": SECRET}]}, raw=SECRET.encode())
    log.info("named", api_key="short", webhook_secret="abc", Authorization="Bearer x")
    logging.getLogger("a.library").error("url http://user:%s@host/", SECRET)
    logging.getLogger("a.library").warning("extra", extra={"note": SECRET})
    try:
        int(SECRET)
    except ValueError:
        log.exception("failed")
        logging.getLogger("a.library").exception("failed too")
    text = json.dumps(lines())
    assert SECRET not in text
    for word in ("short", '"abc"', "Bearer x"):
        assert word not in text
    assert text.count(HIDDEN) >= 10
    assert "invalid literal" in text


@pytest.mark.parametrize(
    "secret",
    [
        "ghs_" + "A1b2" * 9,
        "ghp_" + "A1b2" * 9,
        "github_pat_" + "A1_b2" * 10,
        "sk-ant-api03-" + "A1_b-2" * 10,
        "sk-proj-" + "A1b2" * 8,
        "AIza" + "A1_b-2c" * 5,
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0xMjM0.c2lnbmF0dXJlMTIz",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIE, cut off",
    ],
)
def test_what_looks_like_a_secret_is_hidden_unasked(secret: str) -> None:
    hidden = Redactor().hide(f"before {secret}")
    assert hidden == f"before {HIDDEN}"


def test_the_password_in_an_address_is_hidden_and_the_rest_stays() -> None:
    assert Redactor().hide("redis://me:pass@host:1/0") == f"redis://{HIDDEN}@host:1/0"


@pytest.mark.parametrize(
    "text",
    [
        "a run of claude-sonnet-4-6",
        "https://github.com/acme/skills/issues/21",
        "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567",
        "tokens: 12000",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor(["", "abc"]).hide(text) == text


def test_token_counts_are_no_tokens() -> None:
    event = Redactor()(None, "info", {"input_tokens": 5, "total_tokens": 7, "tokens": 3})
    assert event == {"input_tokens": 5, "total_tokens": 7, "tokens": 3}


def test_libraries_that_log_every_call_are_quiet(lines: Any) -> None:
    logging.getLogger("arq.worker").info("a job with all its text")
    logging.getLogger("httpx").info("GET …")
    assert lines() == []


def test_a_console_line_is_for_reading_and_hides_too() -> None:
    root = logging.getLogger()
    before = (root.handlers[:], root.level)
    stream = io.StringIO()
    set_up_logging(as_json=False, secrets=[SECRET], stream=stream)
    structlog.get_logger("x").info("hello", note=SECRET)
    structlog.reset_defaults()
    root.handlers = before[0]
    root.setLevel(before[1])
    assert "hello" in stream.getvalue()
    assert SECRET not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_what_is_logged_passes_for_no_line_of_ours_and_moves_nothing_on_a_terminal(
    lines: Any,
) -> None:
    """An issue's label, a model's words or a library's message may hold any character."""
    written = io.StringIO()
    set_up_logging(as_json=False, stream=written)
    hostile = "x\n2026-01-01 [info] paid\r\x1b[2J\u2028\u202e"
    structlog.get_logger().info("event_ignored", reason=hostile)
    logging.getLogger("library").warning("plain %s", hostile)
    try:
        int(hostile)
    except ValueError:
        logging.getLogger("library").exception(hostile)
    text = written.getvalue()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", text)
    assert not re.search(r"^2026-01-01 \[info\] paid", text, re.MULTILINE)
    assert "Traceback (most recent call last):\n" in text
    assert all(line.startswith(("20", "    ", "Trace")) for line in text.splitlines())
