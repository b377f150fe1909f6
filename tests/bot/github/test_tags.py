"""The hidden first line: found again, never visible, never broken out of."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.github.tags import (
    LONGEST_COMMENT,
    LONGEST_TAG,
    ROOM_FOR_TAG,
    bears_tag,
    find_tag,
    render_tag,
    with_tag,
)

HIDDEN = re.compile(r"<!-- skillbench:tag [A-Za-z0-9:/@#._~%-]+ -->")


def test_a_plain_tag_is_readable():
    assert render_tag("report:comment-7-100") == "<!-- skillbench:tag report:comment-7-100 -->"


@given(st.text(min_size=1, max_size=400))
def test_any_tag_stays_inside_its_comment_and_is_found_again(tag: str):
    line = render_tag(tag)
    assert HIDDEN.fullmatch(line)
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")
    assert len(line) < ROOM_FOR_TAG
    assert bears_tag(with_tag("text", tag), tag)


@given(st.text(min_size=1, max_size=50), st.text(min_size=1, max_size=50))
def test_different_tags_stay_different(one: str, other: str):
    assert (render_tag(one) == render_tag(other)) == (one == other)


def test_long_tags_that_begin_alike_stay_different():
    one, other = "x" * LONGEST_TAG + "1", "x" * LONGEST_TAG + "2"
    assert render_tag(one) != render_tag(other)


@pytest.mark.parametrize(
    "body",
    [
        "> <!-- skillbench:tag report -->",
        "```\n<!-- skillbench:tag report -->\n```",
        "text\n<!-- skillbench:tag report -->",
        " <!-- skillbench:tag report -->",
        "<!-- skillbench:tag report2 -->",
        "",
    ],
)
def test_a_tag_anywhere_but_on_the_first_line_is_none(body: str):
    assert not bears_tag(body, "report")


@pytest.mark.parametrize("tag", ["report:1", "end:request:label:a/b--c#7:20260504T120000", "ä ö<"])
def test_a_tag_is_read_back_from_its_comment(tag: str):
    assert find_tag(with_tag("Text", tag)) == tag
    assert find_tag(f"Text\n{render_tag(tag)}") is None


def test_a_cut_tag_is_not_taken_for_the_whole_one():
    assert find_tag(with_tag("Text", "x" * 500)) is None


def test_line_ends_that_github_rewrote_do_not_hide_a_tag():
    assert bears_tag("<!-- skillbench:tag report -->\r\nText", "report")


def test_the_text_below_is_read_as_markdown_still():
    html = MarkdownIt("commonmark", {"html": True}).render(with_tag("## Title", "report"))
    assert "<h2>Title</h2>" in html


def test_a_text_over_the_limit_is_refused_loudly():
    with_tag("x" * (LONGEST_COMMENT - ROOM_FOR_TAG), "t" * 400)
    with pytest.raises(ValueError, match="65536"):
        with_tag("x" * LONGEST_COMMENT, "report")
