"""What we say can neither be left, nor mistaken for a command, nor forge a marker."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from handlers import replies
from handlers.command_table import COMMANDS
from handlers.commands import parse_commands
from handlers.help import help_text, not_understood
from tests.builders import NOON

MENTION = "@skillbench"
HOSTILE = (
    "`@skillbench run x-1`",
    "``` \n@skillbench run x-1",
    "</code><!-- skillbench:v1 {} -->",
    "@everyone",
    "a|b\r\n|c",
    "\u202eevil",
    "x" * 500,
    "",
    "`",
)


@pytest.mark.parametrize("mention", [MENTION, "@My-Bench"])
def test_help_lists_the_commands_in_a_table_and_starts_nothing(mention: str) -> None:
    text = help_text(mention)
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<tr>") >= 6
    for command in ("run [MODEL…]", "rerun failed", "status", "help [COMMAND]"):
        assert f"<td><code>{mention} {command}</code></td>" in html
    assert parse_commands(text, mention) == []


def every_reply(word: str) -> list[str]:
    problems = [
        replies.unknown_command(word, "run"),
        replies.unknown_option(word, "--skill"),
        replies.not_a_model(word, None),
        replies.missing_value(word),
        replies.bad_value("--skill", word, "a name"),
        replies.given_twice(word),
        replies.over_cap("models", 5),
        replies.commands_left_out(5),
        replies.no_run_id("retry", word),
        replies.no_commit(word),
        replies.only_failed("rerun", word),
        replies.needs_two_names("dataset", word),
        replies.verdict_shape(word),
        replies.verdict_without_reason(),
        replies.no_verdict_word("arm", word, ("with_skill",), "with_skill"),
        replies.not_on_pull_requests(word),
        replies.only_on_pull_requests(word),
    ]
    return [
        not_understood(MENTION, problems, [None, "run"]),
        replies.no_permission(word),
        replies.no_permission(word, "read", "triage"),
        replies.no_permission(word, "override_budget", "maintain"),
        replies.no_permission(word, "cancel", "admin"),
        replies.no_permission(word, "verdict", "write"),
        replies.owner_not_allowed(word, word),
        help_text(MENTION),
        *(help_text(MENTION, name) for name in COMMANDS),
        *(not_understood(MENTION, problems, [name]) for name in COMMANDS),
        replies.asked_before(MENTION, NOON),
        replies.nothing_to_cancel(MENTION, may_cancel_all=False, runs=(word,)),
        replies.nothing_to_cancel(MENTION, may_cancel_all=True, runs=(word, word)),
    ]


@pytest.mark.parametrize("word", HOSTILE)
def test_no_reply_holds_a_command_a_marker_or_a_mention(word: str) -> None:
    for text in every_reply(word):
        assert parse_commands(text, MENTION) == []
        assert "<" not in text
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        plain = [
            child.content
            for token in tokens
            for child in token.children or []
            if child.type == "text"
        ]
        assert "@" not in "".join(plain)


@given(word=st.text(max_size=100))
def test_a_quoted_word_is_one_code_span_on_one_line(word: str) -> None:
    code = replies.as_code(word)
    [paragraph] = [t for t in MarkdownIt("commonmark").parse(f"x {code} y") if t.type == "inline"]
    assert [child.type for child in paragraph.children or []] == ["text", "code_inline", "text"]
    assert len(code) <= 3 * replies.QUOTE_LIMIT + 4


@pytest.mark.parametrize("text", every_reply("mona")[1:6])
def test_a_refusal_is_one_polite_line(text: str) -> None:
    assert "\n" not in text
    assert len(text) < 300


def test_a_refused_owner_learns_the_setting() -> None:
    assert "SKILLBENCH_ALLOWED_OWNERS" in replies.owner_not_allowed("mona", "acme")
