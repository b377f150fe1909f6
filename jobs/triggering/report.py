"""An evaluation as the comment people read: the decision first, then every query.

Pure text from values. Rates stand with their intervals, sessions that broke are told apart
from skills that stayed quiet, and what others wrote is escaped and cut.
"""

from collections.abc import Sequence

from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, Part, details, fit
from jobs.statistics.intervals import find_rate_interval
from jobs.triggering.found import Found
from jobs.triggering.observations import QueryResult
from jobs.triggering.record import render_marker
from jobs.triggering.report_frame import (
    ReportPlace,
    render_command,
    render_footer,
    render_method,
    render_missing,
    render_remarks,
    render_what_ran,
)
from jobs.triggering.scores import Scores

OPEN_ROWS = 20
"""Queries in the open table; with more, only those that went wrong stand open."""
LONGEST_QUERY = 160
LOW_RECALL = 0.8
"""Of the queries that should fire; with a smaller part of them, another description is worth it."""
MARKS = {"pass": "✅", "fail": "❌", "missing": "❔"}
_HEAD = "| | Query | Should | Fired (95%) | Instead |\n|:--|:--|:--|:--|:--|\n"


def render_report(found: Found, place: ReportPlace) -> str:
    """The comment for an evaluation, below GitHub's limit."""
    scores = found.scores
    top = [_headline(found, scores), render_what_ran(found, place), _health(found, scores)]
    top += [_render_next(found, scores, place)]
    parts: list[Part] = [
        *_tables(found.results),
        Blocks([_render_matrix(scores)], "", before="### Scores\n\n"),
        render_missing(found),
        render_remarks(found),
    ]
    bottom = [render_method(found), render_footer(found, place), render_marker(found.make_record())]
    return fit(top, parts, bottom) + "\n"


def render_rows(results: Sequence[QueryResult]) -> list[str]:
    """A row of a table for each query."""
    return [
        f"| {render_mark(result)} | {escape.cell(result.query.text, LONGEST_QUERY)} "
        f"| {render_wish(result)} | {_render_rate(result)} | {_render_others(result)} |"
        for result in results
    ]


def render_mark(result: QueryResult) -> str:
    """How a query came out, and which one it is."""
    return f"{MARKS[result.verdict]}&nbsp;{result.query.id}"


def render_wish(result: QueryResult) -> str:
    return "fire" if result.query.should_trigger else "stay&nbsp;quiet"


def _render_rate(result: QueryResult) -> str:
    """`2/3 (21-94%)`: how often the skill fired, with the interval of its rate; not broken."""
    interval = find_rate_interval(result.fired, result.seen)
    if interval is None:
        return "no session seen"
    low, high = round(interval.low * 100), round(interval.high * 100)
    return f"{result.fired}/{result.seen}&nbsp;({low}&#8209;{high}%)"


def render_percent(value: float | None) -> str:
    return numbers.UNKNOWN if value is None else numbers.percent(value)


def _headline(found: Found, scores: Scores) -> str:
    name = escape.inline(found.run.skill.name, 60)
    should = scores.true_positives + scores.false_negatives
    quiet = scores.true_negatives + scores.false_positives
    if not scores.decided:
        return f"## ⚠️ Nothing could be measured: every session of {name} broke"
    words = []
    if should:
        words.append(f"fires when it should in {scores.true_positives} of {_queries(should)}")
    if quiet:
        words.append(f"stays quiet when it should in {scores.true_negatives} of {_queries(quiet)}")
    share = scores.passed / scores.decided
    sign = "🟢" if share == 1 else "🟡" if share >= 0.8 else "🔴"
    return f"## {sign} {name} {' and '.join(words)}"


def _queries(count: int) -> str:
    return numbers.plural(count, "query", "queries")


def _health(found: Found, scores: Scores) -> str:
    """Whether the measurement itself can be trusted; what is wrong comes first."""
    broken = sum(one.fired is None for each in found.results for one in each.observations)
    warnings = []
    if scores.missing:
        verb = "was" if scores.missing == 1 else "were"
        warnings.append(f"{_queries(scores.missing)} {verb} not measured")
    if broken:
        warnings.append(f"{numbers.plural(broken, 'session')} broke and count for nothing")
    good = ["the harness passed its own check"]
    good += [] if broken else ["no session broke"]
    return f"**Health** {'⚠️' if warnings else '✅'} " + " · ".join(warnings + good)


def _render_next(found: Found, scores: Scores, place: ReportPlace) -> str:
    """What to do about a skill that is overlooked; a push has no issue to ask it on."""
    recall = scores.recall
    if recall is None or recall >= LOW_RECALL or place.request.origin == "push":
        return ""
    options = place.request.triggering.model_copy(update={"confirmed": False})
    changes = {"kind": "optimize", "force": False, "triggering": options}
    request = place.request.model_copy(update=changes)
    line = render_command(request, place.mention, model=found.run.model.sent)
    return f"To look for a description that is found more often: {escape.code(line, 500)}"


def _tables(results: Sequence[QueryResult]) -> list[Part]:
    note = "*Shortened.*"
    if len(results) <= OPEN_ROWS:
        return [Blocks(render_rows(results), note, before=f"### Queries\n\n{_HEAD}")]
    wrong = [result for result in results if result.verdict != "pass"]
    before, after = details(f"All {len(results)} queries")
    return [
        Blocks(render_rows(wrong), note, before=f"### Queries that went wrong\n\n{_HEAD}"),
        Blocks(render_rows(results), note, before=before + _HEAD, after=after),
    ]


def _render_others(result: QueryResult) -> str:
    shown = [
        f"{escape.code(name, 60)} {count}/{len(result.observations)}"
        for name, count in list(result.others.items())[:3]
    ]
    return ", ".join(shown) or "—"


def _render_matrix(scores: Scores) -> str:
    return (
        "| | Fired | Stayed quiet |\n|:--|--:|--:|\n"
        f"| **Should fire** | {scores.true_positives} | {scores.false_negatives} |\n"
        f"| **Should stay quiet** | {scores.false_positives} | {scores.true_negatives} |\n\n"
        f"Precision **{render_percent(scores.precision)}** · "
        f"recall **{render_percent(scores.recall)}** · "
        f"accuracy **{render_percent(scores.accuracy)}** · F1 **{render_percent(scores.f1)}**"
    )
