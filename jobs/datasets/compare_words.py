"""A comparison of two reports in words: for a terminal, and as Markdown."""

from collections.abc import Sequence

from jobs.datasets.compare import Comparison, PairedDifference
from jobs.reporting.escape import cell, inline
from jobs.reporting.numbers import percent, plural, signed_points

MOST_ROWS = 100
"""Tags that are shown; the interval of one among so many is worth little as it is."""


def render_text(found: Comparison, first: str, second: str) -> str:
    """For a terminal; `first` and `second` are what the reports are called."""
    lines = [f"A  {plain(first)}", f"B  {plain(second)}", "", find_conclusion(found), ""]
    if found.rows:
        table = [HEAD, *(find_cells(row) for row in found.rows[:MOST_ROWS])]
        lines += columns(table)
    lines += ["", *find_notes(found)]
    return plain("\n".join(lines).strip()) + "\n"


def render_markdown(found: Comparison, first: str, second: str) -> str:
    """For a comment or a file."""
    lines = [
        f"### {inline(first, 120)} → {inline(second, 120)}",
        "",
        f"**{find_conclusion(found)}**",
        "",
    ]
    if found.rows:
        lines += [
            f"| {' | '.join(HEAD)} |",
            "| --- | " + " | ".join("---:" for _ in HEAD[1:]) + " |",
        ]
        for row in found.rows[:MOST_ROWS]:
            name, *figures = find_cells(row)
            lines.append(f"| {cell(name, 120)} | {' | '.join(figures)} |")
        lines.append("")
    lines += [f"- {inline(note, 600)}" for note in find_notes(found)]
    return "\n".join(lines).strip() + "\n"


def find_conclusion(found: Comparison) -> str:
    """One sentence: whether the second differs from the first, over all cases of both."""
    if not found.rows:
        return "No case is graded in both reports, so nothing can be said of a difference."
    whole = found.rows[0]
    cases = plural(whole.cases, "case")
    if whole.interval is None:
        return (
            f"B differs from A by {signed_points(whole.difference)} over {cases}; that is too "
            "little to say how sure it is."
        )
    low, high = whole.interval
    reach = f"{signed_points(whole.difference)}, 95% interval {_interval(whole)}, {cases}"
    if low > 0:
        return f"B scores higher than A ({reach})."
    if high < 0:
        return f"B scores lower than A ({reach})."
    return f"No difference is shown ({reach})."


HEAD = ("", "cases", "A", "B", "difference", "95% interval", "better", "worse")


def find_cells(row: PairedDifference) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.cases:,}",
        percent(row.first),
        percent(row.second),
        signed_points(row.difference),
        _interval(row),
        f"{row.better:,}",
        f"{row.worse:,}",
    )


def _interval(row: PairedDifference) -> str:
    if row.interval is None:
        return "unknown"
    return " to ".join(f"{end * 100:+.1f}" for end in row.interval)


def find_notes(found: Comparison) -> list[str]:
    notes = [f"Careful: {warning}." for warning in found.warnings]
    if found.ungraded:
        notes.append(
            f"{plural(found.ungraded, 'case')} of both left out: without a grade in one of them."
        )
    if found.only_first or found.only_second:
        notes.append(
            f"Only in A: {plural(found.only_first, 'case')}; only in B: "
            f"{plural(found.only_second, 'case')}. They are left out."
        )
    if len(found.rows) > 2:
        notes.append(
            f"Of {len(found.rows) - 1} tags, about one in twenty shows a difference by chance."
        )
    if len(found.rows) > MOST_ROWS:
        notes.append(f"{len(found.rows) - MOST_ROWS} more tags are not shown.")
    return notes


def columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A table for a terminal, a line for each row: the first column to the left, the rest right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        shown = [row[0].ljust(widths[0])]
        shown += [one.rjust(width) for one, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(shown).rstrip())
    return lines


def plain(text: str) -> str:
    """Without what would steer a terminal."""
    return "".join(
        one if one.isprintable() or one == "\n" else "\N{REPLACEMENT CHARACTER}" for one in text
    )
