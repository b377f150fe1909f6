"""The summary of a report as one HTML file: no script, no other host, light, dark and on paper.

Everything in it that others wrote is escaped by the template.
"""

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from jobs.datasets.summary import (
    TAG_HEAD,
    TROUBLES,
    Summary,
    case_lines,
    criterion_rows,
    find_headline,
    find_notes,
    find_title,
    graded_count,
    tag_rows,
    total_count,
)
from jobs.reporting import escape
from jobs.reporting.numbers import percent

MOST_CASES = 5_000
"""Cases that are listed; a page of more is slow to open."""


def render_page(summary: Summary) -> str:
    """The page as HTML."""
    lines = case_lines(summary)
    return _template().render(
        title=find_title(summary),
        headline=find_headline(summary),
        notes=find_notes(summary),
        tiles=find_tiles(summary),
        interval=find_bar(summary),
        tag_head=TAG_HEAD,
        tags=tag_rows(summary),
        criteria=criterion_rows(summary),
        ungraded=[one for one in lines if one["result"] == "error"][:MOST_CASES],
        cases=[one for one in lines if one["result"] != "error"][:MOST_CASES],
        hidden=max(0, len(lines) - MOST_CASES),
        troubles=TROUBLES,
        score=show_score,
        summary=summary,
    )


def find_tiles(summary: Summary) -> list[tuple[str, str]]:
    """The counts: what each is called, and what it is."""
    names = (
        ("passed", "pass_count"),
        ("failed", "fail_count"),
        ("scored", "scored_count"),
        ("ungraded", "error_count"),
        ("missing", "missing_count"),
    )
    counts = [(name, summary.get(key) or 0) for name, key in names]
    shown = [(name, f"{count:,}") for name, count in counts if count or name == "ungraded"]
    return [("graded", f"{graded_count(summary):,} of {total_count(summary):,}"), *shown]


def find_bar(summary: Summary) -> dict[str, float] | None:
    """Where the average and its interval lie on a line from 0 to 100; None without an average."""
    average = summary.get("avg_score")
    if average is None or not graded_count(summary):
        return None
    low, high = summary.get("avg_score_interval") or (average, average)
    return {"at": 100 * average, "low": 100 * low, "width": 100 * (high - low)}


def show_score(score: Any) -> str:
    """A score as it is shown; a dash where there is none."""
    return percent(score) if isinstance(score, int | float) else "-"


@cache
def _template() -> Template:
    text = resources.files("jobs.datasets").joinpath("templates/report.html").read_text("utf-8")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=show_hidden,
    )
    return environment.from_string(text)


def show_hidden(value: Any) -> Any:
    """What a page shows of a text: characters that hide or reorder others are named.

    A title that turns the direction of writing would turn the score beside it as well.
    """
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return escape.clean(value) if is_text else value
