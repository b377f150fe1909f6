"""Markdown is read as GitHub reads it, in pieces short enough to cost nothing."""

import pytest

from jobs.content.markdown import (
    code_lines,
    code_spans,
    fence_content,
    link_targets,
    plain_text,
    with_inline_links,
    without_comments,
)


@pytest.mark.parametrize(
    ("inline", "text"),
    [
        ("**a** _b_ `c` [d](e) ~~f~~", "a b c d f"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("a <!-- b --> c", "a  c"),
        ("&lt;x&gt; \\*y\\*", "<x> *y*"),
        ("![pic](a.png) z", " z"),
        ("a" * 3_000 + "**b**", "a" * 3_000 + "**b**"),
    ],
)
def test_plain_text_is_what_a_reader_sees(inline: str, text: str):
    assert plain_text(inline) == text


def test_spans_and_targets_are_listed():
    assert code_spans("`a` b ``c ` d``") == ["a", "c ` d"]
    assert link_targets("[a](b) <https://c.example> [d](<e f>)") == [
        "b",
        "https://c.example",
        "e%20f",
    ]
    assert link_targets("[a](b)" + "x" * 3_000) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <!-- b --> c", "a  c"),
        ("a\n<!-- b\n\nc -->\nd", "a\n\nd"),
        ("`<!-- a -->` <!-- b -->", "`<!-- a -->` "),
        ("``x ` <!-- a -->`` <!-- b -->", "``x ` <!-- a -->`` "),
        ("` <!-- a --> b", "`  b"),
        ("\\` <!-- a --> \\`", "\\`  \\`"),
        ("\\<!-- a -->", "\\<!-- a -->"),
        ("a <!-- b", "a <!-- b"),
        ("```\n<!-- a -->\n```", "```\n<!-- a -->\n```"),
        ("    <!-- a -->", "    <!-- a -->"),
        ("| a |\n|--|\n| b <!-- c --> | \n", "| a |\n|--|\n| b  | \n"),
        ("- a <!-- b\n  c --> d", "- a  d"),
        ("> a <!-- b -->", "> a "),
        ("no comment", "no comment"),
    ],
)
def test_comments_go_and_code_stays(text: str, left: str):
    assert without_comments(text) == left


@pytest.mark.parametrize(
    ("text", "inline"),
    [
        ("[a][one]", "[a](target)"),
        ("[One]", "[One](target)"),
        ("[one][]", "[one](target)"),
        ("[a][two] [b](c) [x]", "[a][two] [b](c) [x]"),
        ("[one](other)", "[one](other)"),
        ("m[i][j]", "m[i][j]"),
    ],
)
def test_links_by_reference_become_inline_ones(text: str, inline: str):
    assert with_inline_links(text, f"{text}\n\n# End\n\n[one]: target\n") == inline


def test_code_lines_are_numbered_with_their_fences():
    assert code_lines("a\n```\nb\n```\nc\n\n    d\n") == {1, 2, 3, 6}


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("```md\na\n```", "a\n"),
        ("~~~\na\n~~~\n", "a\n"),
        ("```\na\n```\nb", None),
        ("a", None),
        ("", None),
    ],
)
def test_the_content_of_a_lone_fence_is_given(text: str, content: str | None):
    assert fence_content(text) == content
