"""The check run of a push: which skills changed, and what each eval case says of the change.

Pure text from values. Scores are those of the arm with the skill; what is compared is said
only where the question was the same.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from jobs.check_runs import LONGEST_TEXT, CheckRun, Conclusion
from jobs.pushes.plan import EndState, PushPlan, PushRow, RowEnd
from jobs.reporting import escape, numbers
from jobs.reporting.change import (
    DOWN,
    SAME,
    UP,
    compare_scores,
    render_time,
    render_tokens,
    score_of,
)
from jobs.reporting.fit import Blocks, fit

Ends = Mapping[str, Mapping[str, RowEnd]]

MOST_SKILLS = 20
MOST_REASONS = 20
_WORDS: Mapping[EndState, str] = {
    "done": "no score",
    "known": "measured before",
    "unsound": "⚠️ counting nowhere",
    "ungraded": "⚠️ not graded",
    "refused": "⚠️ not possible",
    "superseded": "superseded",
    "cancelled": "cancelled",
}
_HEAD = (
    "| Eval | Skill | Model | Before | Now | Change | Tokens | Time |\n"
    "|:--|:--|:--|--:|--:|:--|:--|:--|\n"
)
_FOOT = (
    "<sub>Scores, tokens and time are those of the sessions with the skill. Measured are the "
    "models that an eval has results for, and those that `models:` in "
    "`.github/skillbench.yml` keeps current.</sub>"
)


def render_push(plan: PushPlan, ends: Ends, *, web_url: str, sets: Sequence[str] = ()) -> CheckRun:
    """The check run as it shall stand with what has ended so far.

    `sets` are lines of Markdown on what the eval cases of a skill say together.
    """
    rows = [(row, _end_of(row, ends)) for row in plan.rows]
    waiting = sum(end is None for _, end in rows)
    states = Counter(end.state for _, end in rows if end is not None)
    reasons = _reasons(rows)
    lines = [_line(row, end, plan, web_url) for row, end in rows]
    left_out = [f"- {escape.message(sentence)}" for sentence in plan.left_out[:MOST_REASONS]]
    parts = [
        Blocks(lines, "*The other rows have no room here.*", before=_HEAD),
        Blocks(sets, "*Shortened.*", between="\n\n"),
        Blocks(left_out, "*Shortened.*"),
    ]
    summary = fit([_say_changed(plan)], parts, [_FOOT], LONGEST_TEXT)
    ended: Conclusion = (
        "success" if set(states) <= {"done", "known"} and not plan.left_out else ("neutral")
    )
    return CheckRun(
        commit=plan.after,
        status="in_progress" if waiting else "completed",
        conclusion=None if waiting else ended,
        title=_title(rows, waiting, states),
        summary=summary,
        text=reasons,
    )


def is_ended(plan: PushPlan, ends: Ends) -> bool:
    """Whether nothing of a push waits or goes on."""
    return all(_end_of(row, ends) is not None for row in plan.rows)


def _end_of(row: PushRow, ends: Ends) -> RowEnd | None:
    """What became of a row; None while it waits or goes on."""
    if not row.request:
        identity = row.model_identity
        state: EndState = "unsound" if row.known and row.known.canary_passed else "known"
        return RowEnd(model_identity=identity, state=state, record=row.known, previous=row.previous)
    return ends.get(row.request, {}).get(row.model_identity)


def _title(
    rows: Sequence[tuple[PushRow, RowEnd | None]], waiting: int, states: Counter[EndState]
) -> str:
    if waiting:
        return f"{len(rows) - waiting} of {numbers.plural(len(rows), 'run')} done"
    if not rows:
        return "Nothing was measured"
    if set(states) == {"superseded"}:
        return "Superseded by a newer push"
    if set(states) == {"known"}:
        return "Nothing to measure: known at this version"
    signs = Counter(_sign(end) for _, end in rows if end is not None and end.state == "done")
    parts = [
        f"{signs[sign]} {word}"
        for sign, word in ((UP, "better"), (DOWN, "worse"), (SAME, "the same"))
        if signs[sign]
    ]
    first = signs["first"]
    parts += [f"{first} measured for the first time"] if first else []
    parts += [
        f"{states[state]} {word.removeprefix('⚠️ ')}"
        for state, word in _WORDS.items()
        if state != "done" and states[state]
    ]
    return ", ".join(parts)[:1].upper() + ", ".join(parts)[1:]


def _sign(end: RowEnd) -> str:
    now, before = score_of(end.record), score_of(end.previous)
    if now is None:
        return "none"
    return "first" if before is None else compare_scores(now, before)[0]


def _say_changed(plan: PushPlan) -> str:
    shown = [
        f"{escape.code(skill.path, 80)} is {escape.code(skill.sha[:12])}"
        for skill in plan.changed[:MOST_SKILLS]
    ]
    more = len(plan.changed) - MOST_SKILLS
    rest = f" and {more} more" if more > 0 else ""
    return f"**{numbers.plural(len(plan.changed), 'skill')} changed:** {', '.join(shown)}{rest}."


def _line(row: PushRow, end: RowEnd | None, plan: PushPlan, web_url: str) -> str:
    previous = row.previous if end is None else end.previous
    record = end.record if end is not None else None
    counts = end is None or end.state != "unsound"
    now, before = score_of(record) if counts else None, score_of(previous)
    change = "—" if now is None or before is None else compare_scores(now, before)
    cells = [
        _eval(row, plan, web_url),
        escape.cell(row.skill.name, 60),
        escape.code(row.model, 60),
        _scored(before, previous.url if previous else ""),
        _now(end, now, record.url if record else ""),
        change,
        "—" if record is None else render_tokens(record, previous),
        "—" if record is None else render_time(record, previous),
    ]
    return f"| {' | '.join(cells)} |"


def _eval(row: PushRow, plan: PushPlan, web_url: str) -> str:
    if not row.issue:
        return escape.code(row.eval_id, 80)
    address = escape.address(f"{web_url}/{quote(plan.repo.full_name)}/issues/{row.issue}")
    return f"[#{row.issue}]({address})" if address else f"#{row.issue}"


def _now(end: RowEnd | None, score: float | None, url: str) -> str:
    if end is None:
        return "⏳"
    if score is not None:
        return _scored(score, url)
    address = escape.address(url)
    word = _WORDS[end.state]
    return f"[{word}]({address})" if address else word


def _scored(score: float | None, url: str) -> str:
    if score is None:
        return "—"
    shown, address = numbers.percent(score), escape.address(url)
    return f"[{shown}]({address})" if address else shown


def _reasons(rows: Sequence[tuple[PushRow, RowEnd | None]]) -> str:
    """Why rows have no score, each reason once and whole, as many as there is room for."""
    said = dict.fromkeys(end.reason for _, end in rows if end is not None and end.reason)
    kept: list[str] = []
    for reason in list(said)[:MOST_REASONS]:
        if len("\n\n".join([*kept, reason])) <= LONGEST_TEXT:
            kept.append(reason)
    return "\n\n".join(kept)
