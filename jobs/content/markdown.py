"""Markdown as GitHub reads it, as far as issues and rubrics need: blocks with line numbers.

Blocks and inline text are parsed apart, because a body is looked through for its structure
first and only short pieces of it are read as text. Nothing is rendered here.
"""

import re
from bisect import bisect_left
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

INLINE_CHARACTERS = 2_000
"""Longest piece that is read as inline text; longer ones are prose, and kept as written."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"\\.|`+|<!--", re.DOTALL)
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,200})\](?:\[([^\[\]\n]{0,200})\])?(?![(:\[])")
_CODE_BLOCKS = frozenset({"fence", "code_block"})


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("strikethrough")


def parse_blocks(text: str) -> list[Token]:
    """The blocks of a text with LF line ends; inline tokens carry their source, unparsed."""
    return _block_parser().parse(text)


def parse_tree(text: str) -> SyntaxTreeNode:
    """The same as a tree."""
    return SyntaxTreeNode(parse_blocks(text))


def plain_text(inline: str) -> str:
    """Inline Markdown as a reader sees it: without emphasis, back-ticks, targets and comments."""
    return "".join(text for text, _ in _pieces(inline))


def code_spans(inline: str) -> list[str]:
    """The contents of the code spans in inline Markdown."""
    return [text for text, kind in _pieces(inline) if kind == "code_inline"]


def link_targets(inline: str) -> list[str]:
    """The targets of the links in inline Markdown."""
    if len(inline) > INLINE_CHARACTERS:
        return []
    return [
        str(token.attrs.get("href", ""))
        for parent in _inline_parser().parseInline(inline)
        for token in parent.children or []
        if token.type == "link_open"
    ]


def _pieces(inline: str) -> list[tuple[str, str]]:
    if len(inline) > INLINE_CHARACTERS:
        return [(inline, "text")]
    pieces = []
    for parent in _inline_parser().parseInline(inline):
        for token in parent.children or []:
            if token.type in {"softbreak", "hardbreak"} or _LINE_BREAK.fullmatch(token.content):
                pieces.append(("\n", token.type))
            elif token.type in {"text", "code_inline", "text_special"}:
                pieces.append((token.content, token.type))
    return pieces


def code_lines(text: str) -> set[int]:
    """Numbers, from 0, of the lines that stand in code blocks, fence lines included."""
    return {
        line
        for token in parse_blocks(text)
        if token.type in _CODE_BLOCKS and token.map
        for line in range(*token.map)
    }


def without_comments(text: str) -> str:
    """The text without HTML comments, which readers of an issue do not see; code is kept whole."""
    if "<!--" not in text:
        return text
    lines = text.split("\n")
    done: set[int] = set()
    for token in reversed(parse_blocks(text)):
        if token.map is None or "<!--" not in token.content or token.map[0] in done:
            continue
        start, end = token.map
        done.add(start)
        source = "\n".join(lines[start:end])
        if token.type == "html_block":
            lines[start:end] = _COMMENT.sub("", source).split("\n")
        elif token.type == "inline":
            lines[start:end] = _without_inline_comments(source).split("\n")
    return "\n".join(lines)


def _without_inline_comments(source: str) -> str:
    """A paragraph without comments, but for those in code spans. One walk, in linear time."""
    runs: dict[int, list[int]] = {}
    for run in _TICKS.finditer(source):
        runs.setdefault(len(run[0]), []).append(run.start())
    kept: list[str] = []
    at = taken = 0
    while mark := _SPECIAL.search(source, at):
        at = mark.end()
        if mark[0][0] == "`":
            closing = runs.get(len(mark[0]), [])
            place = bisect_left(closing, at)
            if place < len(closing):
                at = closing[place] + len(mark[0])
        elif mark[0] == "<!--":
            end = source.find("-->", at)
            if end < 0:
                break
            kept.append(source[taken : mark.start()])
            at = taken = end + len("-->")
    return "".join([*kept, source[taken:]])


def with_inline_links(text: str, body: str) -> str:
    """A part of a body with its reference links written as inline ones.

    Their targets may be defined anywhere in the body; other brackets stay as they are.
    """
    if "]:" not in body:
        return text
    env: dict[str, dict[str, dict[str, str]]] = {}
    _block_parser().parse(body, env)
    known = env.get("references", {})

    def inline(match: re.Match[str]) -> str:
        found = known.get(normalizeReference(match[2] or match[1]))
        return f"[{match[1]}]({found['href']})" if found else match[0]

    return _REFERENCE.sub(inline, text)


def fence_content(text: str) -> str | None:
    """The content of the one code block that is the whole text; None if there is more or none.

    Issue forms can wrap an answer in a fence, and people indent what they mean as a list.
    """
    blocks = parse_blocks(text)
    return blocks[0].content if len(blocks) == 1 and blocks[0].type in _CODE_BLOCKS else None
