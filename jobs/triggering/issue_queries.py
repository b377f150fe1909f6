"""Reads the eval set that somebody wrote into an issue, as JSON or as two lists.

Whoever wrote the issue may be anybody. A line that stands under neither title is named and
refused, never guessed at: half a set would be measured as if it were the whole.
"""

import re

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import parse_tree, plain_text
from jobs.content.titles import bare_title
from jobs.triggering.eval_set import EvalSet, make_eval_set, parse_eval_set

SHOULD, SHOULD_NOT = "Should trigger", "Should not trigger"
_TITLES = {
    "should trigger": True,
    "must trigger": True,
    "triggers": True,
    "should not trigger": False,
    "shouldn't trigger": False,
    "shouldn\u2019t trigger": False,
    "must not trigger": False,
    "does not trigger": False,
}
_LISTS = frozenset({"bullet_list", "ordered_list"})
_BOX = re.compile(r"^\[[ xX]\]\s+")
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u201e": "\u201c", "`": "`"}


def read_issue_queries(section: str, source: str) -> EvalSet:
    """The eval set of a section. Raises `Refused` with what cannot be used."""
    tree = parse_tree(section)
    for block in tree.children:
        if block.type in {"fence", "code_block"}:
            return parse_eval_set(block.content, source)
    entries: list[tuple[str, bool] | str] = []
    expected: bool | None = None
    for block in tree.children:
        if block.type in _LISTS:
            entries += [_read(item, expected) for item in block.children]
        elif (title := bare_title(plain_text(_text(block)))) in _TITLES:
            expected = _TITLES[title]
        elif block.type == "heading":
            expected = None
    return make_eval_set(entries, source)


def _read(item: SyntaxTreeNode, expected: bool | None) -> tuple[str, bool] | str:
    query = _unquoted(_BOX.sub("", _text(item).strip()))
    if not query:
        return "an item without a query"
    if expected is None:
        return f"it stands under neither `{SHOULD}` nor `{SHOULD_NOT}`"
    return query, expected


def _text(node: SyntaxTreeNode) -> str:
    """The source of a block's text, its paragraphs and code one below the other."""
    if node.type in {"inline", "fence", "code_block", "html_block"}:
        return node.content.strip()
    return "\n".join(filter(None, (_text(child) for child in node.children)))


def _unquoted(text: str) -> str:
    """The text without quotation marks around all of it, as people put around a query."""
    closing = _QUOTES.get(text[:1], "")
    inside = text[1:-1]
    if closing and len(text) > 2 and text.endswith(closing) and closing not in inside:
        return inside.strip()
    return text
