"""A run's result as the comment people read: the decision first, the evidence folded.

Pure text from values. It says what was seen in one eval case and never more: no word of
significance, no number for a run that was not graded. The markers stand at the end, whole,
whatever had to be cut above them.
"""

from jobs.calibration.said import record_with
from jobs.planning.dedup import kept
from jobs.planning.markers import render_legacy_marker, render_marker
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import (
    Conclusion,
    bare_words,
    conclude,
    differs,
    unblind,
)
from jobs.reporting.conditions import hosts_part, render_refused_hosts
from jobs.reporting.context import ReportContext
from jobs.reporting.details import (
    evidence_part,
    files_parts,
    judging_part,
    sessions_part,
)
from jobs.reporting.fit import Blocks, Part, details, fit
from jobs.reporting.health import render_health
from jobs.reporting.judges import name_judges
from jobs.reporting.loaded import render_dormant_headline, render_loaded
from jobs.reporting.machine import machine_part
from jobs.reporting.people import render_people, render_people_marker
from jobs.reporting.reused import render_reused
from jobs.reporting.scorecard import metadata_part, render_scorecard
from jobs.reporting.soundness import render_counts_nowhere, soundness_part
from jobs.reporting.trials import count_verdicts, count_whole, render_trials
from jobs.reporting.until_sure import render_until_sure
from jobs.reporting.verbosity import arrange
from jobs.reporting.verdict import render_verdict
from jobs.reporting.verdict_icons import verdict_words
from jobs.reporting.what_to_do import render_what_to_do
from jobs.results import RunResult
from jobs.scores import AssertionScore

MOST_ROWS = 10
"""Open rows of a table; the folded one holds all."""
MOST_OBSERVATIONS = 4

_SIGNS = {"higher": "🟢", "lower": "🔴", "same": "⚪", "mixed": "🟡", "nothing": "⚠️"}


def render_report(result: RunResult, context: ReportContext) -> str:
    """The comment for a run, graded or not, always below GitHub's limit."""
    conclusion = conclude(result)
    top = [f"## {headline(result, conclusion)}", _what_ran(result, context)]
    evidence: list[str] = []
    if conclusion is None:
        top += [_why_ungraded(result, context), render_health(result)]
        top += [render_reused(result, context.baseline_urls)]
        top += [render_refused_hosts(result)]
        top += ["### Sessions", render_scorecard(result)]
    else:
        top += [render_counts_nowhere(result), render_what_to_do(result, conclusion)]
        top += [render_health(result), render_until_sure(result)]
        top += [render_reused(result, context.baseline_urls)]
        top += [context.set_line, context.change, render_refused_hosts(result)]
        evidence += ["### Scorecard", render_scorecard(result)]
        evidence += [context.chart] if context.chart else []
        evidence += ["### Verdict", render_verdict(result, conclusion)]
    if loaded := render_loaded(result):
        evidence.append(loaded)
    if result.trials:
        evidence.append(render_trials(result))
    folded: list[Part] = [
        _differences(result, conclusion),
        soundness_part(result, context),
        evidence_part(result, context),
        machine_part(result, context),
        sessions_part(result, context),
        hosts_part(result, context),
        *files_parts(result, context),
        judging_part(result, context),
        metadata_part(result, context),
        remarks_part(result, context),
    ]
    if people := render_people(result, context):
        evidence.append(people)
    bottom = [context.archive_line, render_footer(result, context), render_markers(result, context)]
    loose = (_observations(result),)
    opened, parts = arrange(evidence, loose, folded, context.verbosity)
    return fit([*top, *opened], parts, bottom) + "\n"


def render_markers(result: RunResult, context: ReportContext) -> str:
    """The hidden lines at the end; the older tools' marker only where there is a score.

    Those tools know one comparison, that with no skill: of two versions they would believe that
    the skill was measured against none.
    """
    spec = result.spec
    ours = render_marker(record_with(result, context.people))
    if people := render_people_marker(context):
        ours = f"{people}\n{ours}"
    if conclude(result) is None or spec.vs != "none":
        return ours
    legacy = render_legacy_marker(
        eval_id=kept(spec.eval_case.id),
        model=kept(spec.model.sent),
        legacy_sha=kept(spec.skill.legacy_sha),
    )
    return f"{ours}\n{legacy}"


def headline(result: RunResult, conclusion: Conclusion | None) -> str:
    """The result in one line."""
    if conclusion is None or result.with_skill is None or result.without_skill is None:
        return "⚠️ Not graded: this run has no score"
    sign = _SIGNS[conclusion.word]
    if conclusion.word == "nothing":
        return f"{sign} Neither session produced anything, so there was nothing to compare"
    having = numbers.percent(result.with_skill.score)
    lacking = numbers.percent(result.without_skill.score)
    points = numbers.points(conclusion.difference)
    tested, other = words_of(result.spec)
    over = f", mean of {count_whole(result)}" if result.trials else ""
    if dormant := render_dormant_headline(result, conclusion):
        return f"{dormant}: {having} {tested.phrase} and {lacking} {other.phrase}{over}"
    if conclusion.word in {"higher", "lower"}:
        word = conclusion.word.capitalize()
        return f"{sign} {word} {tested.phrase} by {points}: {having} against {lacking}{over}"
    if conclusion.word == "same":
        both = "with and without the skill" if result.spec.other is None else "with both versions"
        return f"{sign} Same {both}: {having} and {lacking}, 0 points apart{over}"
    return (
        f"{sign} Mixed: {having} {tested.phrase} and {lacking} {other.phrase}, "
        f"{numbers.signed_points(conclusion.difference)}{over}"
    )


def _what_ran(result: RunResult, context: ReportContext) -> str:
    spec = result.spec
    took = (result.ended_at - result.started_at).total_seconds()
    skill = escape.link(escape.clip(spec.skill.name, 80), context.tree_url(spec))
    parts = [
        f"**{skill}** at {escape.code(spec.skill.sha[:12])}",
        f"model {escape.code(spec.model.sent, 80)}",
        f"{'judges' if spec.other_judges else 'judge'} {name_judges(spec)}",
        f"cost {numbers.usd(result.cost_usd)}",
        numbers.duration(took),
    ]
    return " · ".join(parts)


def _why_ungraded(result: RunResult, context: ReportContext) -> str:
    reason = escape.message(escape.clip(result.ungraded_reason or "a score is missing", 600))
    return (
        f"**Why:** {reason}\n\n"
        "This says nothing about the skill, and does not count as done. To measure again, "
        f"comment {escape.code(context.run_again(result.spec))}."
    )


def _differences(result: RunResult, conclusion: Conclusion | None) -> Part:
    """The assertions on which the arms or the readings differ, side by side."""
    rows = [row for row in result.assertions if differs(row)] if conclusion else []
    tested, other = (words.title for words in words_of(result.spec))
    in_trials = ", counted by trial" if result.trials else ""
    blocks = [
        f"| {escape.cell(row.assertion.id, 12)} | {escape.sentence(row.assertion.text, 160)} "
        f"| {' | '.join(_said_of(row, result))} |"
        for row in rows[:MOST_ROWS]
    ]
    left = len(rows) - MOST_ROWS
    before, after = details(f"What differs: {numbers.plural(len(rows), 'assertion')}")
    return Blocks(
        blocks=blocks,
        note="*Shortened; all assertions stand below.*",
        before=f"{before}| | Differs on{in_trials} | {tested} | {other} |\n|:--|:--|:--|:--|\n",
        after=(f"\n\n*{left} more differ; all stand below.*" if left > 0 else "") + after,
    )


def _said_of(row: AssertionScore, result: RunResult) -> tuple[str, str]:
    """What was said of an assertion for each arm; of several trials, in how many of them."""
    if result.trials:
        return count_verdicts(result, row.assertion.id)
    return verdict_words(row.with_skill), verdict_words(row.without_skill)


def _observations(result: RunResult) -> Part:
    said: dict[str, str] = {}
    for reading in result.passes:
        for text in reading.observations:
            named = unblind(text, result, reading.number)
            said.setdefault(bare_words(named), named)
    texts = [escape.sentence(text, 400) for words, text in said.items() if words]
    return Blocks(
        blocks=[f"- {text}" for text in texts if text][:MOST_OBSERVATIONS],
        note="*Shortened.*",
        before="### Observations\n\n",
    )


def remarks_part(result: RunResult, context: ReportContext) -> Part:
    """What the reader must know besides."""
    spec = result.spec
    texts = dict.fromkeys(
        (*context.cost_remarks, *result.remarks, *spec.eval_case.remarks, *spec.skill.warnings)
    )
    return Blocks(
        blocks=[f"- {escape.sentence(text, 500)}" for text in texts if text.strip()],
        note=f"*Further remarks are {context.rest}.*",
        before="### Remarks\n\n",
    )


def render_footer(result: RunResult, context: ReportContext) -> str:
    """How to ask again, where comments are read, and the run's id."""
    if context.archive_name:
        return f"<sub>Run {escape.code(result.spec.run_id, 80)}</sub>"
    again = escape.code(context.run_again(result.spec), 200)
    commands = escape.code(f"{context.mention} help")
    return (
        f"<sub>Measure again: {again} · all commands: {commands} · "
        f"run {escape.code(result.spec.run_id, 80)}</sub>"
    )
