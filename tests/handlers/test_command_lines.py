"""Which lines of a comment speak to the bot; and that nothing quoted, shown or hidden does."""

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handlers.command_lines import find_command_lines

MENTION = "@skillbench"
COMMAND = "@skillbench run claude-sonnet"
FENCE = "`" * 3


def lines_of(body: str) -> list[str]:
    return find_command_lines(body, MENTION)


@pytest.mark.parametrize(
    "body",
    [
        COMMAND,
        f"{COMMAND}\n",
        f"{COMMAND}\r\n\r\nBecause the skill changed.\r\n",
        f"{COMMAND}\rBecause",
        "@SkillBench run claude-sonnet",
        "@skillbench, run claude-sonnet",
        "@skillbench: run claude-sonnet",
        "(@skillbench run claude-sonnet)",
        "(@skillbench run claude-sonnet) thanks",
        f"   {COMMAND}  ",
        f"Hello,\n{COMMAND}\nthanks",
        f"> a quote\n\n{COMMAND}",
        f"{FENCE}\ncode\n{FENCE}\n{COMMAND}",
        f"<!-- from a template -->\n{COMMAND}",
        f"- a list\n\n{COMMAND}",
        f"- a list, whose last item goes on\n{COMMAND}",
        f"{COMMAND}\n---\nmy signature",
        f"{COMMAND} <!-- a remark -->",
        f"text with `code` in it\n{COMMAND}",
        f"a **bold** word\n{COMMAND}",
        f"hard break\\\n{COMMAND}",
        f"<b>loud</b>\n\n{COMMAND}",
        f"2 < 3 and a <br>\n\n{COMMAND}",
        f"it costs 5 <!- not a comment ->\n{COMMAND}",
        f"it costs $$\n{COMMAND}",
        f"$$x$$ <!-- y -->\n{COMMAND}",
    ],
)
def test_a_line_that_begins_with_the_mention_speaks_to_us(body: str) -> None:
    assert lines_of(body) == ["run claude-sonnet"]


@pytest.mark.parametrize(
    "body",
    [
        f"> {COMMAND}\n\nThanks, looks good.",
        f">{COMMAND}",
        f"> > {COMMAND}",
        f"> quote\n{COMMAND}",
        f"> - {COMMAND}\n>   {COMMAND}",
        f"- > {COMMAND}",
        f"> [!NOTE]\n> {COMMAND}",
        f"Write `{COMMAND}` here",
        f"`{COMMAND}`",
        f"`` ` {COMMAND}``",
        f"a code span `over\n{COMMAND}\nlines` here",
        f"{FENCE}\n{COMMAND}\n{FENCE}",
        f"{FENCE}sh\n`{COMMAND}`\n{FENCE}",
        f"~~~\n{COMMAND}\n~~~",
        f"{FENCE}\nnever closed\n\n{COMMAND}",
        f"- item\n  {FENCE}\n  {COMMAND}\n  {FENCE}",
        f"    {COMMAND}",
        f"\t{COMMAND}",
        f"text\n\n    {COMMAND}\n",
        f"<!-- {COMMAND} -->\nNothing to see",
        f"<!--\n{COMMAND}\n-->",
        f"<!--\n\n{COMMAND}\n\n-->",
        f"<!-- never closed\n{COMMAND}",
        f"text <!--\n{COMMAND}\n--> text",
        f"text <!-- over\n\na paragraph\n\n{COMMAND}\n-->",
        f"<pre>\n{COMMAND}\n</pre>",
        f"<pre>\n\n{COMMAND}\n\n</pre>",
        f"<code>\n\n{COMMAND}\n\n</code>",
        f"see <code>\n{COMMAND}\n</code>",
        f"<blockquote>\n\n{COMMAND}\n\n</blockquote>",
        f"<BlockQuote cite='x'>\n\n<p>\n\n{COMMAND}",
        f"<details><summary>log</summary>\n\n{COMMAND}\n\n</details>",
        f"<code/>\n\n{COMMAND}",
        f"<div>\n{COMMAND}\n</div>",
        f"| a | b |\n|---|---|\n| {COMMAND} | x |",
        f"{COMMAND} | b\n---|---\nx | y",
        f"# {COMMAND}",
        f"- {COMMAND}",
        f"1. {COMMAND}",
        f"- [ ] {COMMAND}",
        f"**{COMMAND}**",
        f"*a\n{COMMAND}*",
        f"~~a\n{COMMAND}~~",
        f"[a\n{COMMAND}](http://example.org)",
        f"![a\n{COMMAND}](http://example.org)",
        f"[ref]:\n{MENTION}\n",
        f"\\{COMMAND}",
        f"&#64;skillbench run claude-sonnet",  # noqa: F541 -- kept alike to its neighbours
        f"Please {COMMAND}",
        f"cc {MENTION}",
        "@skillbench-fan run x",
        "@skillbench2 help",
        "@skillbench_x help",
        "@skillbench.example help",
        "@skillbench/team help",
        "@skillbench's help",
        "@skillbench@example.org help",
        "@skillbench:help",
        "@skillbench\u200b help",
        "mail lab@skillbench.example",
        "see example.org/@skillbench",
        "https://example.org/@skillbench run x",
        "@@skillbench run x",
        "skillbench run x",
        "",
    ],
)
def test_what_is_quoted_shown_hidden_or_somebody_else_does_not(body: str) -> None:
    assert lines_of(body) == []


def test_several_commands_keep_their_order() -> None:
    body = "@skillbench run a-1\n@skillbench help\n\ntext\n(@skillbench run b-2)"
    assert lines_of(body) == ["run a-1", "help", "run b-2"]


def test_a_mention_is_literal_text_and_no_pattern() -> None:
    assert find_command_lines("@a.b help", "@a.b") == ["help"]
    assert find_command_lines("@axb help", "@a.b") == []


def test_private_use_characters_cannot_imitate_a_mark() -> None:
    assert lines_of("> @skillbench run x-1\n\n\ue0000\ue000 run y-2") == []
    assert lines_of("\ue0000\ue000@skillbench run x-1\n@skillbench help") == ["help"]
    assert lines_of("@skill\ue000bench run x-1") == []


PIECES = [
    *"ab1 \n\r\t`~>*_-#|[]()!\\:.&;@é🧮",
    "\n\n",
    "`" * 3,
    "~~~",
    "> ",
    COMMAND,
    f"\n{COMMAND}\n",
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
PROSE = st.text(alphabet="abc ", max_size=12)


def quoted(inside: str) -> str:
    return "\n".join(f"> {line}" for line in re.split(r"\r\n|\r|\n", inside))


def fenced(inside: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", inside)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{inside}\n{fence}"


def indented(inside: str) -> str:
    return "\n".join(f"    {line}" for line in re.split(r"\r\n|\r|\n", inside))


def in_span(inside: str) -> str:
    """A code span ends with its paragraph, so it holds no empty line and opens no block."""
    inside = re.sub(r"\s+", " ", inside).strip(" ")
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", inside)), default=0) + 1)
    return f"so: {ticks} {inside} {ticks}"


def commented_out(inside: str) -> str:
    while "-->" in inside:
        inside = inside.replace("-->", "")
    return f"<!-- {inside} -->"


def in_pre(inside: str) -> str:
    return f"<pre>\n{inside}\n</pre>"


WRAPPERS = st.sampled_from([quoted, fenced, indented, in_span, commented_out, in_pre])


@settings(max_examples=400, deadline=None)
@given(before=PROSE, wrappers=st.lists(WRAPPERS, min_size=1, max_size=1), inside=TEXT, after=PROSE)
@example(before="", wrappers=[quoted], inside=f"\n{COMMAND}", after="")
@example(before="", wrappers=[commented_out], inside=f"\n\n{COMMAND}\n\n", after="")
@example(before="", wrappers=[in_span], inside=f"``\n{COMMAND}\n", after="")
def test_whatever_stands_in_a_quote_code_or_comment_never_runs(
    before: str, wrappers: list[object], inside: str, after: str
) -> None:
    for wrap in wrappers:
        inside = wrap(f"{inside}\n{COMMAND}\n{inside}")  # type: ignore[operator]
    assert lines_of(f"{before}\n\n{inside}\n\n{after}") == []


@settings(max_examples=200, deadline=None)
@given(wrappers=st.lists(WRAPPERS, min_size=1, max_size=3))
def test_wrapped_again_it_runs_even_less(wrappers: list[object]) -> None:
    inside = COMMAND
    for wrap in wrappers:
        inside = wrap(inside)  # type: ignore[operator]
    assert lines_of(inside) == []


@settings(max_examples=300, deadline=None)
@given(body=TEXT)
def test_any_text_is_read_without_an_error_and_gives_lines_of_it(body: str) -> None:
    for line in lines_of(body):
        assert "\n" not in line
        assert "\r" not in line
        assert line == line.strip()


@pytest.mark.parametrize(
    "hostile",
    ["<!--" * 16_000, "<!--\n" * 13_000, "a <!-- " * 9_000, "x\n<!-- -->" * 6_000],
)
def test_openings_of_comments_cost_time_in_proportion_to_their_number(hostile: str) -> None:
    """Anybody can write them, and no other job of the worker goes on meanwhile."""
    started = time.process_time()
    lines_of(f"{COMMAND}\n\n{hostile}")
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 30_000,
        "![" * 15_000,
        "> " * 15_000,
        "- " * 15_000,
        "*a " * 10_000,
        "`" * 30_000 + " " + "` " * 10_000,
        "<" * 30_000,
        "<!--" * 8_000,
        "<a " * 10_000,
        "a\n" * 16_000,
        f"{COMMAND}\n" * 1_000,
        f"> {COMMAND}\n" * 1_000,
        "~~a " * 8_000,
        "|a" * 10_000 + "\n" + "|-" * 10_000,
        "&#64;" * 6_000,
        "\\[" * 15_000,
    ],
)
def test_hostile_text_is_read_in_seconds(hostile: str) -> None:
    """GitHub lets a comment be 65,536 characters long."""
    started = time.process_time()
    lines_of(f"{hostile}\n\n{COMMAND}")
    assert time.process_time() - started < 10
