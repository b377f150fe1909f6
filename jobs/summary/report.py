"""A summary as Markdown: the runs, the figures over them, and why the skill fails where it does.

Pure functions. Every name and every sentence of a model or a stranger goes through `escape`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jobs.calibration.history import JudgeHistory
from jobs.conclusions.telling import SetNow
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.words import render_block, render_earlier, say_multiplicity
from jobs.leaks.history import GuessHistory
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks, details, fit
from jobs.results import RunRecord
from jobs.summary.guesses import guess_part
from jobs.summary.judge import judge_part
from jobs.summary.measured import Measured, Measurements, NotCounted
from jobs.summary.patterns import Drafted, Pattern
from jobs.summary.scorecard import Scorecard
from jobs.summary.weak import render_case, weak_part
from jobs.weak_evals.past_runs import WeakEval

NAME = 80
SENTENCES = 700
_RUNS = "| Eval case | Model | With the skill | Without it | Difference | Date | |\n"
_RUNS += "|:--|:--|--:|--:|--:|:--|:--|\n"
_WORDS = {"win": "🟢", "tie": "⚪", "loss": "🔴"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSummary:
    """All that is said of one skill."""

    skill: str
    """Its path."""
    sha: str
    """Its skill SHA now; empty where it is not in the repository any more."""
    measurements: Measurements
    scorecards: Sequence[Scorecard]
    sets: Sequence[SetNow]
    """What its sets of eval cases say, the newest first."""
    limits: Thresholds
    """What a set must show."""
    drafted: Drafted
    judge: str
    """Name of the model that was asked for patterns."""
    unread: Sequence[Measured] = ()
    """Runs whose verdicts are not kept any more."""
    histories: Sequence[JudgeHistory] = ()
    """The judges of these runs over all runs of their series."""
    guesses: Sequence[GuessHistory] = ()
    """Whether its outputs give their arm away."""
    weak: Sequence[WeakEval] = ()
    """Its eval cases with assertions that tell little."""


def render_summary(summaries: Sequence[SkillSummary], *, mention: str, left_out: int = 0) -> str:
    """The comment, or the text of the issue that a schedule keeps."""
    top = []
    parts: list[Blocks] = []
    for summary in summaries:
        parts += _render_skill(summary, mention)
    if left_out:
        top.append(
            f"{numbers.plural(left_out, 'more skill')} found no room here: name one with "
            f"{escape.code(f'{mention} summary --skill S', 100)}."
        )
    bottom = (
        "<sub>Of each eval case and model the latest run with a score counts; each eval case is "
        "one observation. Each run's report has its verdicts and its archive. "
        f"All commands: {escape.code(mention + ' help')}</sub>"
    )
    return fit(top, parts, [_say_together(summaries), bottom]) + "\n"


def _say_together(summaries: Sequence[SkillSummary]) -> str:
    """What it means that so many verdicts stand in one comment; empty for one."""
    sets = [one.now for summary in summaries for one in summary.sets]
    said = say_multiplicity(sets, summaries[0].limits) if summaries else ""
    return f"<sub>{said}</sub>" if said else ""


def render_nothing(skills: Sequence[str], *, mention: str) -> str:
    """There is no run to sum up."""
    about = f" of {escape.code(skills[0], NAME)}" if len(skills) == 1 else ""
    return (
        f"### 📊 Nothing to sum up\n\nNo run{about} has come to a score yet. Start one with "
        f"{escape.code(mention + ' run')} on the issue of an eval case.\n"
    )


def _render_skill(summary: SkillSummary, mention: str) -> list[Blocks]:
    rows = summary.measurements.rows
    title = f"### 📊 Summary of {escape.code(summary.skill, NAME)}"
    lead = "\n\n".join([title, *_verdicts(summary, mention)])
    figures = Blocks([_figures(summary.scorecards)], "", before="#### Overall\n\n")
    runs = Blocks(
        [_row(row, summary.sha) for row in rows],
        "*Shortened: the reports on the issues show the rest.*",
        before=f"#### Runs\n\n{_RUNS}",
        after=_stale_note(summary),
    )
    parts = [Blocks([lead], ""), runs, figures, judge_part(summary.histories)]
    parts += [guess_part(summary.guesses), _patterns(summary), weak_part(summary.weak)]
    if summary.measurements.not_counted:
        parts.append(_not_counted(summary.measurements.not_counted))
    return parts


def _verdicts(summary: SkillSummary, mention: str) -> Iterator[str]:
    """What the skill's sets say, each with its method; no set where nothing counts."""
    for one in summary.sets:
        yield render_block(one.now, summary.limits, mention=mention)
        if one.earlier is not None:
            yield render_earlier(one.earlier)


def _figures(cards: Sequence[Scorecard]) -> str:
    lines = [
        "| Model | Wins / ties / losses | With the skill | Without it | Difference | Trivial |",
        "|:--|:--|--:|--:|--:|:--|",
    ]
    notes = []
    models = [card.model for card in cards]
    for card in cards:
        model = escape.code(card.model, NAME)
        if models.count(card.model) > 1:  # of several series, which are in no figure together
            model += f", judge {escape.code(card.judge, NAME)}"
        means = [_percent(card.with_skill), _percent(card.without_skill)]
        gap = "—" if card.difference is None else numbers.signed_points(card.difference)
        trivial = ", ".join(render_eval(row) for row in card.trivial) or "none"
        counts = f"{card.wins} / {card.ties} / {card.losses}"
        lines.append(f"| {model} | {counts} | {means[0]} | {means[1]} | {gap} | {trivial} |")
        if not card.counted:
            notes.append(f"On {model} every eval case is trivial: both arms meet every assertion.")
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _row(row: Measured, sha: str) -> str:
    record = row.record
    old = " ⏳" if sha and record.skill_sha != sha else ""
    date = f"{record.finished_at:%Y-%m-%d}" if record.finished_at else "—"
    url = escape.address(record.url)
    cells = [
        render_eval(row),
        escape.code(record.model, NAME) + _launcher(record),
        numbers.percent(row.with_skill),
        numbers.percent(row.without_skill),
        f"{_WORDS[row.word]} {numbers.signed_points(row.difference)}",
        date + old,
        f"[report]({url})" if url else "—",
    ]
    return f"| {' | '.join(cells)} |"


def _launcher(record: RunRecord) -> str:
    """How its sessions were run, where that was not the usual way."""
    return "" if record.launcher == "api" else f" in {escape.inline(record.launcher, 40)}"


def _stale_note(summary: SkillSummary) -> str:
    rows = summary.measurements.rows
    if not summary.sha:
        return "\n\nThe skill is not in the repository any more."
    stale = sum(row.record.skill_sha != summary.sha for row in rows)
    return f"\n\n⏳ {numbers.plural(stale, 'row')} on an earlier version of the skill." * bool(
        stale
    )


def _patterns(summary: SkillSummary) -> Blocks:
    drafted = summary.drafted
    head = "#### Why it fails where it fails\n\n"
    unread = _unread_note(summary.unread)
    if drafted.problem:
        said = escape.message(escape.clip(drafted.problem, SENTENCES))
        return Blocks([f"Not drafted: {said.rstrip('.')}.{unread}"], "", before=head)
    if not drafted.patterns:
        return Blocks([_no_pattern(summary) + unread], "", before=head)
    links = {row.record.eval_id: render_eval(row) for row in summary.measurements.rows}
    usd = drafted.usage.cost_usd if drafted.usage.requests else None
    cost = f" for {numbers.usd(usd)}" if usd is not None else ""
    note = (
        f"<sub>Drafted by {escape.code(summary.judge, NAME)} from the stored verdicts{cost}; check "
        f"it before you act on it. P0: the skill does harm, P3: a detail.{unread}</sub>"
    )
    blocks = [_pattern(one, links) for one in drafted.patterns]
    return Blocks([*blocks, note], "*Shortened.*", before=head, between="\n\n")


def _no_pattern(summary: SkillSummary) -> str:
    if summary.drafted.asked:
        return f"{escape.code(summary.judge, NAME)} found no pattern in the stored verdicts."
    if len(summary.measurements.rows) == len(summary.unread):
        return "No verdicts are kept."
    return "With the skill, every assertion is met in every reading."


def _pattern(one: Pattern, links: Mapping[str, str]) -> str:
    affected = ", ".join(links.get(name, escape.code(name, NAME)) for name in one.affected)
    return "\n".join(
        [
            f"**{one.priority} · {escape.inline(one.title, 120)}**",
            f"- Affected: {affected}",
            f"- Root cause: {escape.inline(one.root_cause, SENTENCES)}",
            f"- Recommended fix: {escape.inline(one.fix, SENTENCES)}",
        ]
    )


def _unread_note(unread: Sequence[Measured]) -> str:
    if not unread:
        return ""
    names = ", ".join(render_eval(row) for row in unread[:10])
    more = f" and {len(unread) - 10} more" if len(unread) > 10 else ""
    return f" The verdicts of {names}{more} are not kept any more."


def _not_counted(runs: Sequence[NotCounted]) -> Blocks:
    before, after = details(f"Not counted ({numbers.plural(len(runs), 'run')})")
    return Blocks(list(_list(runs)), "*Shortened.*", before=before, after=after)


def _list(runs: Sequence[NotCounted]) -> Iterator[str]:
    for one in runs:
        record = one.record
        url = escape.address(record.url)
        place = f" ([report]({url}))" if url else ""
        name, model = escape.code(record.eval_id, NAME), escape.code(record.model, NAME)
        yield f"- {name} on {model}: {one.reason}{place}"


def render_eval(row: Measured) -> str:
    """An eval case, by its issue where it has one."""
    return render_case(row.record.eval_id, row.record.issue)


def _percent(value: float | None) -> str:
    return "—" if value is None else numbers.percent(value)
