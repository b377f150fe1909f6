"""Reads assertions out of a rubric: Markdown in an issue or a file, or strings in JSON.

In Markdown an assertion is a list item or a table row; sub-headings and bare lines between
items are titles of groups, never assertions. In JSON nothing tells a title from an assertion
any more, so each string is kept as one, and what looks like a title is remarked upon.
"""

import re
from typing import NamedTuple

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import fence_content, parse_tree, plain_text
from jobs.content.marks import (
    is_hand_numbered,
    is_marked,
    strip_marks,
    with_bullets,
    without_mark,
)
from jobs.content.rubric_tables import read_table
from jobs.content.text import is_none, quoted

TITLE_WORDS = 5
"""A line of more words than this is taken for a statement."""
ITEM_END_CHARACTERS = 400
"""How much of an item is looked at to tell whether its sentence goes on."""


class Statement(NamedTuple):
    """An assertion before it has an id."""

    text: str
    group: str | None = None


_UNFINISHED = re.compile(
    r"(?:[,(\[{/&+=<>≤≥-]|\b(?:a|an|and|as|at|but|by|for|from|if|in|is|are|of|on|or|than|that"
    r"|the|to|with|when|where|which))$",
    re.IGNORECASE,
)
_ALL_BOLD = re.compile(r"(\*\*|__)[^*_\n]+\1:?")
_CODE_LIKE = re.compile(r"[`()=<>≥≤_\"+%\d]|\w/\w|\w\.\w")
_VERB = re.compile(
    r"\b(?:is|are|was|has|have|exists?|runs?|uses?|using|used|contains?|equals?|must|should"
    r"|prints?|shows?|reports?|names?|states?|works?|present|absent|included?)\b",
    re.IGNORECASE,
)


def parse_rubric(markdown: str) -> list[Statement]:
    """The assertions of a rubric in the order they stand in; empty if it holds no items."""
    inner = fence_content(markdown)
    reader = _Reader(inner if inner is not None else markdown)
    reader.read_children(reader.tree)
    return [found for found in reader.found if not is_none(found.text)]


def clean_strings(texts: list[str]) -> list[str]:
    """JSON strings without the marks of the list they were cut from, if it was numbered by hand."""
    if sum(is_hand_numbered(text) for text in texts) < 2:
        return [text.strip() for text in texts]
    return [strip_marks(text) for text in texts]


def reads_like_title(text: str) -> bool:
    """Whether a line names a group rather than states something that can be checked."""
    bare = plain_text(text).strip()
    if not bare or bare[-1] in ".!?,;":
        return False
    if bare.endswith(":"):
        return True
    return (
        bare[0].isupper()
        and len(bare.split()) <= TITLE_WORDS
        and not _CODE_LIKE.search(bare)
        and not _VERB.search(bare)
    )


def remarks_on_strings(texts: list[str]) -> list[str]:
    """What `lint` should say about assertions that were strings already."""
    titles = [f"A{n} ({quoted(text)})" for n, text in enumerate(texts, 1) if reads_like_title(text)]
    cut = [f"A{n}" for n, text in enumerate(texts, 1) if _UNFINISHED.search(text.strip())]
    remarks = []
    if titles:
        remarks.append(
            f"{', '.join(titles)} read like titles of groups; they are scored as assertions, "
            "because JSON does not tell them apart."
        )
    if cut:
        remarks.append(f"{', '.join(cut)}: cut off in the middle of a sentence?")
    return remarks


class _Reader:
    """Walks the blocks of a rubric and remembers which group it is in."""

    def __init__(self, markdown: str) -> None:
        self.lines = markdown.split("\n")
        self.tree = parse_tree(markdown)
        self.group: str | None = None
        self.found: list[Statement] = []

    def read_children(self, node: SyntaxTreeNode) -> None:
        for child in node.children:
            if child.type == "heading" or _is_numbered_title(child):
                self._open_group(_content(child))
            elif child.type == "paragraph":
                self._read_paragraph(child)
            elif child.type in {"bullet_list", "ordered_list"}:
                self._read_list(child)
            elif child.type == "table":
                self.found += [Statement(text, self.group) for text in read_table(child)]
            elif child.type == "blockquote":
                self.read_children(child)

    def _read_list(self, node: SyntaxTreeNode) -> None:
        """The items of a list; where only some are all bold, those are titles of groups."""
        bold = [_is_bold_title(item) for item in node.children]
        for item, is_title in zip(node.children, bold, strict=True):
            if is_title and not all(bold):
                self._open_group(strip_marks(_content(item)))
            else:
                self._read_item(item)

    def _open_group(self, title: str) -> None:
        self.group = " ".join(plain_text(title).split()).rstrip(":").strip() or None

    def _add(self, text: str) -> None:
        if stripped := strip_marks(text):
            self.found.append(Statement(stripped, self.group))

    def _read_paragraph(self, node: SyntaxTreeNode) -> None:
        """Lines outside lists: items with marks Markdown does not know, or a group's title."""
        titles: list[str] = []
        item: str | None = None
        for line in with_bullets(_content(node).split("\n")):
            if is_marked(line):
                self._end(item, titles)
                item, titles = without_mark(line), []
            elif item is not None and not _starts_title(line, item):
                item = f"{item} {line.strip()}"
            else:
                self._end(item, [])
                item = None
                titles.append(line)
        self._end(item, titles)

    def _end(self, item: str | None, titles: list[str]) -> None:
        if item is not None:
            self._add(item)
        if titles:
            self._open_group(" ".join(titles))

    def _read_item(self, node: SyntaxTreeNode) -> None:
        """One list item: its own text, what belongs to it, and lists below it."""
        blocks = list(node.children)
        if not blocks:
            return
        head = blocks[0]
        if head.type == "paragraph":
            own = self._read_item_lines(head)
            rest = blocks[1:]
        elif head.type == "heading":
            own = f"{head.markup} {_content(head)}".strip()
            rest = blocks[1:]
        else:
            own, rest = "", blocks
        nested = [block for block in rest if block.type in {"bullet_list", "ordered_list"}]
        if nested and len(nested) == len(rest) and (not own or reads_like_title(strip_marks(own))):
            self._read_nested(own, nested)
            return
        self._add("\n".join([own, *(self._source(block) for block in rest)]).strip("\n"))

    def _read_nested(self, own: str, nested: list[SyntaxTreeNode]) -> None:
        """An item that only names what its sub-items state is the title of their group."""
        outer = self.group
        if own:
            self._open_group(strip_marks(own))
        for block in nested:
            for item in block.children:
                self._read_item(item)
        self.group = outer

    def _read_item_lines(self, node: SyntaxTreeNode) -> str:
        """The last item of a paragraph; earlier ones and titles between them are taken in.

        A line that is not indented belongs to the item only by Markdown's leniency: readers
        see an item of its own, a title, or the rest of a wrapped sentence.
        """
        lines = _content(node).split("\n")
        start = node.map[0] if node.map else 0
        current = lines[0]
        for number, line in enumerate(lines[1:], start=start + 1):
            is_lazy = number < len(self.lines) and self.lines[number][:1].strip() != ""
            if is_lazy and number == start + len(lines) - 1 and _numbers_title(node, line):
                self._add(current)
                self._open_group(without_mark(line))
                current = ""
            elif is_marked(line):
                self._add(current)
                current = without_mark(line)
            elif is_lazy and (not current or _starts_title(line, current)):
                self._add(current)
                self._open_group(line)
                current = ""
            else:
                current = f"{current} {line.strip()}".strip()
        return current

    def _source(self, node: SyntaxTreeNode) -> str:
        """A block as written, moved to the margin."""
        if not node.map:
            return ""
        lines = self.lines[slice(*node.map)]
        margin = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
        return "\n".join(line[margin:] for line in lines).rstrip()


def _content(node: SyntaxTreeNode) -> str:
    """The inline text of a block; for a list with one item, that of the item."""
    while node.type in {"ordered_list", "list_item"}:
        node = node.children[0]
    return "\n".join(child.content for child in node.children if child.type == "inline")


def _is_numbered_title(node: SyntaxTreeNode) -> bool:
    """Whether a numbered list is the lone title of the bullets that follow: `1. Structure`."""
    if node.type != "ordered_list" or len(node.children) != 1:
        return False
    after = node.next_sibling
    blocks = node.children[0].children
    return (
        after is not None
        and after.type == "bullet_list"
        and len(blocks) == 1
        and reads_like_title(_content(blocks[0]))
    )


def _is_bold_title(item: SyntaxTreeNode) -> bool:
    """Whether an item is nothing but a title in bold: `- **Structure**`."""
    blocks = item.children
    if len(blocks) != 1 or blocks[0].type != "paragraph":
        return False
    text = _content(blocks[0])
    return bool(_ALL_BOLD.fullmatch(text)) and reads_like_title(text)


def _numbers_title(paragraph: SyntaxTreeNode, line: str) -> bool:
    """Whether a numbered line below a bullet is the title of the bullets that follow it."""
    item = paragraph.parent
    return (
        item is not None
        and item.next_sibling is not None
        and item.parent is not None
        and item.parent.type == "bullet_list"
        and line[:1].isdigit()
        and is_marked(line)
        and reads_like_title(without_mark(line))
    )


def _starts_title(line: str, item: str) -> bool:
    """Whether a bare line after an item is a title and not the rest of the item's sentence."""
    bare, end = line.strip(), item[-ITEM_END_CHARACTERS:]
    if not bare[:1].isupper() or _UNFINISHED.search(end.rstrip()):
        return False
    return end.count("(") <= end.count(")")
