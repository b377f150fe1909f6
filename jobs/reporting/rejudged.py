"""A run that was scored again, beside its first scores; and a report that was rendered again."""

from collections import Counter
from fractions import Fraction

from jobs.calibration.said import record_with
from jobs.planning.markers import render_marker
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import conclude, sign
from jobs.reporting.context import ReportContext
from jobs.reporting.details import evidence_part, judging_part
from jobs.reporting.fit import Blocks, Part, fit
from jobs.reporting.judges import name_judges
from jobs.reporting.report import headline, remarks_part, render_footer
from jobs.reporting.reused import render_reused
from jobs.reporting.scorecard import cost
from jobs.reporting.soundness import render_counts_nowhere
from jobs.reporting.trials import count_verdicts
from jobs.reporting.until_sure import render_until_sure
from jobs.reporting.verdict_icons import verdict_words
from jobs.results import RunResult
from jobs.scores import AssertionScore

MOST_ROWS = 10


def render_rejudged(
    before: RunResult, now: RunResult, context: ReportContext, *, report_url: str
) -> str:
    """The comment; with a marker where there is a score, so that it becomes the run's."""
    conclusion = conclude(now)
    judge = name_judges(now.spec)
    report = escape.address(report_url)
    run = escape.code(now.spec.run_id, 20)
    named = f"[run {run}]({report})" if report else f"run {run}"
    what = (
        f"The outputs of {named} were read again, blind and in both orders; no session was run. "
        f"Cost of the judging: {cost(now.reading_usages)}."
    )
    top = [
        f"## ⚖️ Judged again by {judge}",
        f"**{headline(now, conclusion)}**",
        what,
    ]
    if conclusion is None:
        reason = escape.message(escape.clip(now.ungraded_reason or "a score is missing", 600))
        top.append(f"**Why:** {reason}\n\nThe scores of the report stay as they are.")
    else:
        top += [render_counts_nowhere(now), _scores(before, now), render_until_sure(now)]
        top += [render_reused(now, context.baseline_urls)]
    parts: list[Part] = [
        _changed(before, now),
        evidence_part(now, context),
        judging_part(now, context),
        remarks_part(now, context),
    ]
    bottom = [render_footer(now, context)]
    if conclusion is not None:
        bottom = [context.archive_line, *bottom, render_marker(record_with(now, context.people))]
    return fit(top, parts, bottom) + "\n"


def render_brought_up(run: str, url: str) -> str:
    """The answer to whoever had a report rendered again."""
    address = escape.address(url)
    report = f"[report]({address})" if address else "report"
    return f"🔁 The {report} of run {escape.code(run, 20)} is up to date.\n"


def _scores(before: RunResult, now: RunResult) -> str:
    tested, other = words_of(now.spec)
    lines = [
        f"| | Judge | {tested.title} | {other.title} | Difference |",
        "|:--|:--|--:|--:|:--|",
        _row("Before", before),
        _row("**Now**", now),
    ]
    return "\n".join(lines)


def _row(title: str, result: RunResult) -> str:
    cells = [title, name_judges(result.spec)]
    if result.with_skill is None or result.without_skill is None or result.difference is None:
        return f"| {' | '.join([*cells, '—', '—', '⚠️ not graded'])} |"
    cells += [numbers.percent(one.score) for one in (result.with_skill, result.without_skill)]
    signs = {1: "🟢", -1: "🔴", 0: "⚪"}
    shown = f"{signs[sign(result.difference)]} {numbers.signed_points(result.difference)}"
    return f"| {' | '.join([*cells, shown])} |"


def _changed(before: RunResult, now: RunResult) -> Part:
    """The assertions of which the two judgings think otherwise, with what is said now."""
    earlier = {row.assertion.id: row for row in before.assertions}
    rows = [
        row
        for row in now.assertions
        if (old := earlier.get(row.assertion.id)) is None or _is_other(old, row)
    ]
    if not now.assertions or not before.assertions:
        return Blocks((), "")
    if not rows:
        return Blocks(["Every assertion was judged as before."], "")
    tested, other = words_of(now.spec)
    blocks = []
    for row in rows[:MOST_ROWS]:
        old = earlier.get(row.assertion.id)
        then = _said(old, before) if old else ("—", "—")
        each = [f"{was} → {is_now}" for was, is_now in zip(then, _said(row, now), strict=True)]
        text = escape.sentence(row.assertion.text, 160)
        blocks.append(f"| {escape.cell(row.assertion.id, 12)} | {text} | {' | '.join(each)} |")
    left = len(rows) - MOST_ROWS
    return Blocks(
        blocks=blocks,
        note="*Shortened; all assertions stand below.*",
        before=(f"| | Judged otherwise | {tested.title} | {other.title} |\n|:--|:--|:--|:--|\n"),
        after=f"\n\n*{left} more; all stand below.*" if left > 0 else "",
    )


def _is_other(old: AssertionScore, new: AssertionScore) -> bool:
    """Whether other words were said, or not as often; a panel says each of them oftener."""
    shares = [
        [
            {word: Fraction(count, len(arm)) for word, count in Counter(said).items()}
            for arm in (row.with_skill, row.without_skill)
            if (said := [one.verdict for one in arm])
        ]
        for row in (old, new)
    ]
    return shares[0] != shares[1]


def _said(row: AssertionScore, result: RunResult) -> tuple[str, str]:
    if result.trials:
        return count_verdicts(result, row.assertion.id)
    return verdict_words(row.with_skill), verdict_words(row.without_skill)
