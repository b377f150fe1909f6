"""Reads assertions out of a table: one per row, worded from the cells that say something.

Columns that only number or weigh the rows are left out. A column of criteria leads; without
one, each cell is named by its header, so that a table of expected numbers stays readable.
"""

import re

from markdown_it.tree import SyntaxTreeNode

from jobs.content.markdown import plain_text

_NUMBERING = re.compile(r"(?:#|no\.?|nr\.?|id|number|item)?", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:[A-Za-z]{0,3}[-. ]?\d{1,3}[.)]?)?")
_BOOKKEEPING = re.compile(
    r"(?:max(?:imum)?\.? )?(?:points?|pts|weights?|scores?|pass(?:ed)?|fail(?:ed)?|pass\s*/\s*fail"
    r"|results?|status|met|done|verdict|graded?|✓|✔|✅)[.?]?(?: \(.*\))?",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(r"#?\d{1,3}[.)]?")
_WORD = re.compile(r"[^\W_]")
_CRITERION = re.compile(
    r"assertion|criteri|check|requirement|expectation|statement|rubric", re.IGNORECASE
)


def read_table(node: SyntaxTreeNode) -> list[str]:
    """The assertions of a table; none for a table without rows."""
    rows = [_cells(row) for row in node.walk() if row.type == "tr"]
    if len(rows) < 2:
        return []
    header, body = rows[0], rows[1:]
    columns = [
        index
        for index, title in enumerate(header)
        if not _is_bookkeeping(title, [row[index] for row in body if index < len(row)])
    ]
    leading = next((index for index in columns if _CRITERION.search(header[index])), None)
    return [text for row in body if (text := _statement(header, row, columns, leading))]


def table_column(node: SyntaxTreeNode, title: str) -> list[str]:
    """The cells of the column whose header begins with `title`, else of the first with words."""
    rows = [_cells(row) for row in node.walk() if row.type == "tr"]
    if not rows:
        return []
    header = rows[0]
    named = [i for i, cell in enumerate(header) if plain_text(cell).casefold().startswith(title)]
    column = (named or [i for i, cell in enumerate(header) if not _NUMBERING.fullmatch(cell)])[:1]
    return [row[i] for row in rows[1:] for i in column if i < len(row) and row[i].strip()]


def bare_cells(text: str, title: str) -> list[str]:
    """The first cells of rows that are no table to Markdown, for want of a line of dashes."""
    cells = []
    for line in text.split("\n"):
        words = [cell.strip() for cell in line.strip().strip("|").split("|")]
        words = [cell for cell in words if _WORD.search(cell)]
        first = next((cell for cell in words if not _PLAIN_NUMBER.fullmatch(cell)), "")
        if first and plain_text(first).casefold().strip() not in {title, f"{title}s", "name"}:
            cells.append(first)
    return cells


def _cells(row: SyntaxTreeNode) -> list[str]:
    return ["".join(child.content for child in cell.children).strip() for cell in row.children]


def _is_bookkeeping(title: str, cells: list[str]) -> bool:
    bare = plain_text(title).strip()
    if _BOOKKEEPING.fullmatch(bare):
        return True
    return bool(_NUMBERING.fullmatch(bare)) and all(_ORDINAL.fullmatch(cell) for cell in cells)


def _statement(header: list[str], row: list[str], columns: list[int], leading: int | None) -> str:
    filled = [index for index in columns if index < len(row) and row[index]]
    if not filled:
        return ""
    if leading in filled:
        rest = [_named(header, row, index) for index in filled if index != leading]
        return row[leading] + (f" ({'; '.join(rest)})" if rest else "")
    if len(filled) == 1:
        return row[filled[0]]
    return "; ".join(_named(header, row, index) for index in filled)


def _named(header: list[str], row: list[str], index: int) -> str:
    return f"{header[index]}: {row[index]}" if header[index] else row[index]
