"""Finds the lines of a comment that speak to the bot, as a reader of the page would see them.

Each line that begins with the mention is marked, the Markdown is parsed, and only marks
that come out as plain text at the start of a line count. So code, quotes, links, tables,
comments and escapes need no rules of their own here: they are not plain text.
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARK = "\ue000"
"""A private-use character: no text of a person's has a meaning for it, and Markdown none."""
_MARKED = re.compile(rf"\(?{_MARK}(\d+){_MARK}")

_ADDRESSED = re.compile(r"(?:^|[\r\n]) {0,3}\(?@[A-Za-z0-9]")

_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)

_VEILING = frozenset(
    {
        "blockquote",
        "q",
        "code",
        "pre",
        "samp",
        "kbd",
        "tt",
        "var",
        "xmp",
        "plaintext",
        "del",
        "s",
        "strike",
        "details",
        "template",
        "textarea",
        "title",
        "script",
        "style",
        "iframe",
        "noembed",
        "noframes",
    }
)
"""HTML elements whose text is quoted, code, struck out, folded away or not shown."""

_OPEN_TO_COMMANDS = frozenset(("paragraph", "heading", "bullet_list", "ordered_list", "list_item"))
"""Blocks in which a line that begins with the mention speaks to us."""

_markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def may_hold_commands(body: str) -> bool:
    """Whether a line begins as one that speaks to somebody does; looks at nothing else of it."""
    return _ADDRESSED.search(body) is not None


def find_command_lines(body: str, *mentions: str) -> list[str]:
    """What follows the mention, for each line that begins with one of them in plain text."""
    text = body.replace("\r\n", "\n").replace("\r", "\n").replace(_MARK, "\ufffd")
    named = "|".join(re.escape(mention) for mention in mentions)
    begins = re.compile(rf"^( {{0,3}}\(?)(?:{named})(?:[,:](?=\s|$)|(?=[\s)]|$))", re.IGNORECASE)
    lines = text.split("\n")
    found: dict[int, str] = {}
    for number, line in enumerate(lines):
        if match := begins.match(line):
            found[number] = _without_bracket(line[match.end() :], "(" in match[1])
            lines[number] = f"{match[1]}{_MARK}{number}{_MARK}{line[match.end() :]}"
    if not found:
        return []
    plain = _plain_marks("\n".join(lines)) - _hidden_lines(text)
    return [command for number, command in found.items() if number in plain]


def _without_bracket(rest: str, opened: bool) -> str:
    """The rest of a line, without HTML comments and the bracket that closes the first one."""
    rest = _HIDDEN.sub(" ", rest).strip()
    if not opened:
        return rest
    if rest.endswith(")"):
        return rest[:-1].rstrip()
    inside, closed, _ = rest.partition(")")
    return inside.rstrip() if closed else rest


def _hidden_lines(text: str) -> set[int]:
    """Lines that begin between `<!--` and `-->`, whatever Markdown makes of these, or in `$$`.

    A comment that was opened in the middle of a paragraph ends with it for Markdown, but
    hardly for its writer; a run that nobody wanted costs more than one asked for twice.
    What stands between `$$` is set as a formula by GitHub, and by no Markdown of ours.
    """
    return {*_lines_between(text, "<!--", "-->"), *_lines_between(text, "$$", "$$")}


def _lines_between(text: str, opening: str, closing: str) -> Iterator[int]:
    """Numbers of the lines that begin behind an opening and before its closing."""
    line = at = 0
    # step by step: a pattern would look for the end of each of a thousand openings anew
    while (opened := text.find(opening, at)) >= 0:
        closed = text.find(closing, opened + len(opening))
        if closed < 0:
            return
        first = line + text.count("\n", at, opened)
        line = first + text.count("\n", opened, closed)
        yield from range(first + 1, line + 1)
        at = closed + len(closing)


def _plain_marks(text: str) -> set[int]:
    veil = _Veil()
    marks: set[int] = set()
    blocks: list[str] = []
    for token in _markdown.parse(text):
        if token.nesting == 1:
            blocks.append(token.type.removesuffix("_open"))
        elif token.nesting == -1:
            blocks.pop()
        elif token.type == "html_block":
            veil.read(token.content)
        elif token.type == "inline":
            is_open = _OPEN_TO_COMMANDS.issuperset(blocks)
            marks.update(number for number in _line_starts(token, veil) if is_open)
    return marks


def _line_starts(inline: Token, veil: "_Veil") -> Iterator[int]:
    """Marks in plain text at the start of a line of one paragraph."""
    at_start = True
    for child in inline.children or []:
        if child.type == "html_inline":
            veil.read(child.content)
        elif child.type == "text" and at_start and child.level == 0 and not veil.open:
            match = _MARKED.match(child.content)
            if match is not None:
                yield int(match[1])
        if child.type in {"softbreak", "hardbreak"}:
            at_start = True
        elif child.type != "text" or child.content:
            at_start = False


class _Veil(HTMLParser):
    """Keeps count of the open HTML elements that take their text out of plain sight."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def read(self, html: str) -> None:
        """Take the next piece.

        Only tags count, so what is none, and what the parser would raise over, is made plain
        first: character references of thousands of digits, and `<![` of no known name.
        """
        self.feed(html.replace("&", " ").replace("<![", "<!x"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if tag in _VEILING:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # HTML knows no self-closing <code/>: it stays open

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass
