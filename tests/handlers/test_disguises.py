"""Mentions inside addresses, links, fences of any length and quotes of any depth never count."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.command_lines import find_command_lines
from handlers.command_values import Run
from handlers.commands import parse_commands

MENTION = "@skillbench"
COMMAND = "@skillbench run claude-sonnet"

NAME = st.text(alphabet="abcXYZ019-_.", min_size=1, max_size=8)
TEXT = st.text(alphabet="ab1 \t.,:;!?-_/()'éß🧮", max_size=30)
INDENT = st.integers(min_value=0, max_value=3).map(lambda count: " " * count)


def lines_of(body: str) -> list[str]:
    return find_command_lines(body, MENTION)


@settings(max_examples=200, deadline=None)
@given(before=NAME, after=NAME, rest=TEXT)
def test_an_address_that_holds_the_mention_is_no_mention(
    before: str, after: str, rest: str
) -> None:
    addresses = (
        f"{before}{MENTION}.{after}",
        f"{before}{MENTION}",
        f"{MENTION}.{after}",
        f"{MENTION}-{after}",
        f"{MENTION}/{after}",
        f"mailto:{before}{MENTION}.{after}",
        f"<{before}{MENTION}.{after}>",
        f"https://{before}/{MENTION}",
        f"https://{before}{MENTION}.{after}/x",
        f"<https://{before}/{MENTION}/run>",
        f"www.{before}.org/{MENTION}",
    )
    for address in addresses:
        assert lines_of(f"{address} run claude-sonnet {rest}") == []


@settings(max_examples=200, deadline=None)
@given(words=NAME, title=TEXT, quote=st.sampled_from("\"'"))
def test_a_link_hides_a_command_in_its_text_address_and_title(
    words: str, title: str, quote: str
) -> None:
    title = title.replace(quote, "")
    inside = f"{title.strip()}\n{COMMAND}"
    for link in (
        f"[{words}](http://example.org {quote}{inside}{quote})",
        f"![{words}](http://example.org {quote}{inside}{quote})",
        f"[{words}]: http://example.org {quote}{inside}{quote}\n\n[{words}]",
        f"[{words}\n{COMMAND}](http://example.org)",
        f"<a href={quote}http://example.org\n{COMMAND}\n{quote}>{words}</a>",
    ):
        assert lines_of(link) == [], link


@settings(max_examples=200, deadline=None)
@given(
    mark=st.sampled_from("`~"),
    length=st.integers(min_value=3, max_value=40),
    longer=st.integers(min_value=0, max_value=5),
    info=st.sampled_from(["", "sh", " text ", "{.r}", "diff"]),
    inner=st.integers(min_value=1, max_value=39),
)
def test_a_fence_of_any_length_ends_only_at_one_as_long(
    mark: str, length: int, longer: int, info: str, inner: int
) -> None:
    fence, shorter = mark * length, mark * min(inner, length - 1)
    other = ("~" if mark == "`" else "`") * (length + 3)
    inside = f"{COMMAND}\n{shorter}\n{COMMAND}\n{other}\n{COMMAND}"
    body = f"{' ' * (length % 4)}{fence}{info}\n{inside}\n{fence}{mark * longer}\n"
    assert lines_of(body) == []
    assert lines_of(f"{body}{COMMAND}") == ["run claude-sonnet"]
    assert lines_of(body.rsplit("\n", 2)[0]) == [], "never closed, it lasts to the end"


@settings(max_examples=200, deadline=None)
@given(
    depth=st.integers(min_value=1, max_value=12),
    blanks=st.lists(st.sampled_from(["", " "]), min_size=12, max_size=12),
    indent=INDENT,
    marks=st.sampled_from(["", "- ", "1. ", "* ", "# ", "**"]),
)
def test_a_quote_of_any_depth_is_no_command(
    depth: int, blanks: list[str], indent: str, marks: str
) -> None:
    quote = indent + "".join(f">{blank}" for blank in blanks[:depth])
    assert lines_of(f"{quote}{marks}{COMMAND}") == []
    assert lines_of(f"{quote}said\n{COMMAND}") == [], "a lazy line still belongs to the quote"
    assert lines_of(f"{quote}said\n\n{COMMAND}") == ["run claude-sonnet"]


@settings(max_examples=100, deadline=None)
@given(
    tag=st.sampled_from(["code", "pre", "blockquote", "details", "del", "q", "samp", "kbd"]),
    shout=st.booleans(),
    attributes=st.sampled_from(["", " open", " class='x'", ' cite="a>b"']),
    blank=st.sampled_from(["\n", "\n\n", "\n\n\n"]),
)
def test_html_that_quotes_or_shows_code_hides_a_command(
    tag: str, shout: bool, attributes: str, blank: str
) -> None:
    tag = tag.upper() if shout else tag
    opened = f"<{tag}{attributes}>{blank}{COMMAND}{blank}"
    assert lines_of(opened) == []
    assert lines_of(f"{opened}</{tag}>") == []
    assert lines_of(f"{opened}</{tag}>\n\n{COMMAND}") == ["run claude-sonnet"]


@pytest.mark.parametrize(
    "body",
    [f"$$\n{COMMAND}\n$$", f"so $$a\n{COMMAND}\n$$ then", f"```math\n{COMMAND}\n```"],
)
def test_a_formula_is_no_command(body: str) -> None:
    assert lines_of(body) == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "body",
    [
        "@skillbench run claude-sonnet{end}{end}Because the skill changed.{end}",
        "Hello,{end}{end}@skillbench run claude-sonnet",
        "> quoted{end}{end}@skillbench run claude-sonnet{end}",
        "```{end}@skillbench help{end}```{end}@skillbench run claude-sonnet{end}",
        "<!--{end}@skillbench help{end}-->{end}@skillbench run claude-sonnet{end}",
    ],
)
def test_line_ends_of_every_system_read_alike(body: str, end: str) -> None:
    assert parse_commands(body.format(end=end), MENTION) == [Run(models=("claude-sonnet",))]


@pytest.mark.parametrize(
    "html",
    [
        f'<a title="&#{"9" * 5_000};">x</a>',
        f"<div>&#{'9' * 5_000};</div>",
        "<div>\n<![foo[ x ]]>\n</div>",
        "<div>\n<![ x\n</div>",
        "<div>\n<!x <script><![1[\n",
        "<div>\n<![CDATA[ x ]]>\n</div>",
    ],
)
def test_html_that_a_parser_stumbles_over_costs_nobody_their_command(html: str) -> None:
    """Python's own raises over a number of thousands of digits and an unknown declaration."""
    assert lines_of(f"{COMMAND}\n\n{html}") == ["run claude-sonnet"]


def test_a_declaration_does_not_hide_the_element_behind_it() -> None:
    assert lines_of(f"<div>\n<![foo[ x ]]><code>\n</div>\n\n{COMMAND}") == []
