"""The page of an optimization: one file, no other host, readable while it runs and for ever.

A row for each description with what changed in it, a column for each query with how often the
skill fired; the queries to learn from and the held-out ones apart. Everything in it that
others wrote is escaped by the template.
"""

import difflib
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

from jinja2 import Environment, StrictUndefined, Template

from jobs.reporting import numbers
from jobs.triggering.eval_set import Query
from jobs.triggering.observations import QueryResult
from jobs.triggering.optimization import Iteration, Optimization
from jobs.triggering.scores import Scores, score_queries

REFRESH_S = 2

_EXIT = re.compile(r"(\w+) \((?:iteration )?(.*)\)", re.DOTALL)
_EXITS = {
    "all_passed": "every query to learn from came out right in iteration {}",
    "max_iterations": "the most iterations, {}, were tried",
    "no_proposal": "the model had no usable proposal",
    "nothing_seen": "no query to learn from could be measured in iteration {}",
}


class Piece(NamedTuple):
    """A part of a description, as compared with the one before it."""

    kind: Literal["same", "added", "removed"]
    text: str


class Progress(NamedTuple):
    """How far the sessions have come."""

    done: int
    most: int
    """If no iteration is spared."""


def render_page(  # noqa: PLR0913 -- each by its name
    skill_name: str,
    model: str,
    found: Optimization,
    queries: tuple[Sequence[Query], Sequence[Query]],
    *,
    progress: Progress | None = None,
    stopped: str = "",
) -> str:
    """The page as HTML; with `progress` it loads itself anew every few seconds.

    `stopped` says why it came to no end, as text; then nothing is said of which is better.
    `queries` are those to learn from and the held-out ones, in the order of the results.
    """
    return _template().render(
        skill_name=skill_name,
        model=model,
        found=found,
        rows=_make_rows(found.iterations),
        train=queries[0],
        test=queries[1],
        queries=sorted((*queries[0], *queries[1]), key=lambda query: int(query.id[1:])),
        held_out={query.id for query in queries[1]},
        best=found.best.number if found.iterations else None,
        progress=progress,
        stopped=stopped,
        refresh_s=REFRESH_S,
        exit_words=find_exit_words(found.exit_reason),
        usd=numbers.usd,
        more_often=numbers.more_often,
        signed=numbers.signed_whole,
        cell=_make_cell,
        scores=_make_scores,
        score_queries=score_queries,
    )


def find_exit_words(exit_reason: str) -> str:
    """Why a search ended, for people; empty while it goes on."""
    found = _EXIT.fullmatch(exit_reason)
    words = _EXITS.get(found[1]) if found else None
    return words.format(found[2]) if found and words else exit_reason


def find_changes(before: str, after: str) -> list[Piece]:
    """What was taken out of a text and put into it, word by word."""
    old, new = before.split(), after.split()
    pieces: list[Piece] = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("same", " ".join(new[new_from:new_to])))
            continue
        if old_to > old_from:
            pieces.append(Piece("removed", " ".join(old[old_from:old_to])))
        if new_to > new_from:
            pieces.append(Piece("added", " ".join(new[new_from:new_to])))
    return pieces


def _make_rows(iterations: Sequence[Iteration]) -> list[dict[str, Any]]:
    rows = []
    before = None
    for iteration in iterations:
        changes = (
            [Piece("same", iteration.description)]
            if before is None
            else find_changes(before, iteration.description)
        )
        rows.append({"iteration": iteration, "changes": changes})
        before = iteration.description
    return rows


def _make_cell(result: QueryResult) -> dict[str, str]:
    """How one query came out: its mark, its words for who cannot see colours, its colour."""
    words = {
        "pass": ("✓", "right"),
        "fail": ("✗", "wrong"),
        "missing": ("?", "not measured"),
    }
    mark, said = words[result.verdict]
    seen = f"fired in {result.fired} of {result.seen} sessions" if result.seen else "no session"
    missing = len(result.observations) - result.seen
    lost = f", {missing} broke" if missing else ""
    others = f"; instead: {', '.join(result.others)}" if result.others else ""
    return {
        "kind": result.verdict,
        "mark": mark,
        "rate": f"{result.fired}/{result.seen}",
        "title": f"{result.query.id}: {said}, {seen}{lost}{others}",
    }


def _make_scores(scores: Scores) -> list[tuple[str, str, str]]:
    """Value, name and, where the value says nothing, why."""
    return [
        (f"{scores.passed} of {scores.decided + scores.missing}", "right", ""),
        _make_ratio(scores.precision, "precision", "the skill fired for none of these queries"),
        _make_ratio(scores.recall, "recall", "no query that should fire was seen"),
    ]


def _make_ratio(value: float | None, name: str, why_not: str) -> tuple[str, str, str]:
    if value is None:
        return "\N{EN DASH}", name, why_not
    return numbers.percent(value), name, ""


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    source = resources.files("jobs.triggering").joinpath("templates/report.html")
    return environment.from_string(source.read_text("utf-8"))
