"""Reads assertions out of a rubric: Markdown in an issue or a file, or strings in JSON.

In Markdown an assertion is a list item or a table row; sub-headings and bare lines between
items are titles of groups, never assertions. In JSON nothing tells a title from an assertion
any more, so each string is kept as one, and what looks like a title is remarked upon.
"""

import re
from typing import NamedTuple

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import fence_content, parse_tree, plain_text
from jobs.content.rubric_tables import read_table
from jobs.content.text import is_no_response, quoted

TITLE_WORDS = 5
"""A line of more words than this is taken for a statement."""


class Statement(NamedTuple):
    """An assertion before it has an id."""

    text: str
    group: str | None = None


_LIST_MARKS = re.compile(
    r"""^(?: [-*+•‣◦▪●○–—·]\s+ | -?\.\s+ | \(?\d{1,3}[.):]\s+ | \(\d{1,3}\)\s*
           | \[[\ xX✓✔]?\]\s* | [☐☑✅✔✓]\ufe0f?\s+ )""",
    re.VERBOSE,
)
"""What stands before an item's text; taken away as often as it is there."""
_MARKED_LINE = re.compile(
    r"""^(?: [•‣◦▪●○–—·]\s* | -?\.\s+ | \(?\d{1,3}[.):]\s+ | \(\d{1,3}\)\s*
           | \d{1,3}[.)](?=[A-Za-z`]) | -(?=[A-Za-z`"']) | \[[\ xX✓✔]?\]\s+
           | [☐☑✅✔✓]\ufe0f?\s* )(?=\S)""",
    re.VERBOSE,
)
"""Items that Markdown does not know as such, but readers do."""
_HAND_NUMBER = re.compile(r"^\d{1,3}[.)]\s+")
_UNFINISHED = re.compile(
    r"(?:[,(\[{/&+=<>≤≥-]|\b(?:a|an|and|as|at|but|by|for|from|if|in|is|are|of|on|or|than|that"
    r"|the|to|with|when|where|which))$",
    re.IGNORECASE,
)
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
    return [found for found in reader.found if not is_no_response(found.text)]


def clean_strings(texts: list[str]) -> list[str]:
    """JSON strings without the marks of the list they were cut from, if it was numbered by hand."""
    if sum(1 for text in texts if _HAND_NUMBER.match(text)) < 2:
        return [text.strip() for text in texts]
    return [strip_marks(text) for text in texts]


def strip_marks(text: str) -> str:
    """An item's text without bullets, numbers, lone dots and check boxes before it."""
    text = text.strip()
    while match := _LIST_MARKS.match(text):
        text = text[match.end() :].lstrip()
    return "" if text in {"-", "*", "+", "."} else text


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
            if child.type == "heading":
                self._open_group(_content(child))
            elif child.type == "paragraph":
                self._read_paragraph(child)
            elif child.type in {"bullet_list", "ordered_list"}:
                for item in child.children:
                    self._read_item(item)
            elif child.type == "table":
                self.found += [Statement(text, self.group) for text in read_table(child)]
            elif child.type == "blockquote":
                self.read_children(child)

    def _open_group(self, title: str) -> None:
        self.group = " ".join(plain_text(title).split()).rstrip(":").strip() or None

    def _add(self, text: str) -> None:
        if stripped := strip_marks(text):
            self.found.append(Statement(stripped, self.group))

    def _read_paragraph(self, node: SyntaxTreeNode) -> None:
        """Lines outside lists: items with marks Markdown does not know, or a group's title."""
        titles: list[str] = []
        item: str | None = None
        for line in _content(node).split("\n"):
            if _MARKED_LINE.match(line):
                self._end(item, titles)
                item, titles = _without_mark(line), []
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
            if _MARKED_LINE.match(line):
                self._add(current)
                current = _without_mark(line)
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
    return "\n".join(child.content for child in node.children if child.type == "inline")


def _without_mark(line: str) -> str:
    match = _MARKED_LINE.match(line)
    return line[match.end() :] if match else line


def _starts_title(line: str, item: str) -> bool:
    """Whether a bare line after an item is a title and not the rest of the item's sentence."""
    bare = line.strip()
    if not bare[:1].isupper() or _UNFINISHED.search(item.rstrip()):
        return False
    return item.count("(") <= item.count(")")
