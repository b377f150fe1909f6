"""What a report says in short: as Markdown for a comment, as plain text for a terminal.

First the one number with how sure it is, then what is missing from it, then the figures by tag,
each with what it was counted over.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from jobs.datasets.compare_words import columns, plain
from jobs.reporting.escape import cell, code, inline
from jobs.reporting.numbers import duration, percent, plural, usd

MOST_TAGS = 60
MOST_NAMED = 20
"""Failed and ungraded cases that are named."""
TROUBLES = {
    "target": "the target gave no answer",
    "user": "who plays the user failed",
    "judge": "the judge gave no usable answer",
    "case": "the case itself could not be run or graded as it is written",
    "cancelled": "cancelled",
    "defect": "a fault of ours",
}
"""Whose fault it is that a case is ungraded, in words."""
_SHOWN = ("fail", "Failed"), ("error", "Ungraded")
"""Results whose cases are named, with the word for them."""
Summary = Mapping[str, Any]
"""A report as JSON, with its cases or with `case_list` in their place."""


def render_markdown(summary: Summary, *, title: bool = True) -> str:
    """For a comment; nothing that others wrote takes effect in it."""
    lines = []
    if title:
        lines += [f"### {inline(find_title(summary), 200)}", ""]
    lines += [f"**{inline(find_headline(summary))}**", ""]
    lines += [f"- {inline(note, 600)}" for note in find_notes(summary)]
    if rows := tag_rows(summary):
        lines += ["", "<details><summary>By tag</summary>", "", *_table(rows), "", "</details>"]
    if parts := criterion_rows(summary):
        body = _table(parts, CRITERION_HEAD)
        lines += ["", "<details><summary>By criterion</summary>", "", *body, "", "</details>"]
    for result, words in _SHOWN:
        found = [one for one in case_lines(summary) if one["result"] == result]
        if found:
            lines += ["", f"<details><summary>{words}: {len(found):,}</summary>", ""]
            lines += [_named(one) for one in found[:MOST_NAMED]]
            if len(found) > MOST_NAMED:
                lines.append(f"- and {len(found) - MOST_NAMED:,} more")
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def render_text(summary: Summary) -> str:
    """For a terminal."""
    lines = [find_title(summary), "", find_headline(summary), *find_notes(summary)]
    if rows := tag_rows(summary):
        lines += ["", *columns((TAG_HEAD, *rows))]
    if parts := criterion_rows(summary):
        lines += ["", *columns((CRITERION_HEAD, *parts))]
    for result, words in _SHOWN:
        found = [one for one in case_lines(summary) if one["result"] == result]
        if found:
            lines += ["", f"{words}: {len(found):,}"]
            lines += [f"  {one['id']}  {_short(one)}" for one in found[:MOST_NAMED]]
            if len(found) > MOST_NAMED:
                lines.append(f"  and {len(found) - MOST_NAMED:,} more")
    return plain("\n".join(lines)) + "\n"


def find_title(summary: Summary) -> str:
    target = summary.get("runtime_target")
    name = "answers given"
    if isinstance(target, dict):
        name = str(target.get("type"))
        if target.get("model"):
            name += f" ({target['model']})"
    return f"{summary.get('benchmark_name')}/{summary.get('dataset_name')}: {name}"


def find_headline(summary: Summary) -> str:
    """The one sentence: average and pass rate, each with what it was measured over."""
    graded, total = graded_count(summary), _count(summary, "selected_count") or total_count(summary)
    average = summary.get("avg_score")
    if not graded or average is None:
        return f"Nothing was graded, of {plural(total, 'case')}: there is no score."
    parts = [f"Average score {percent(average)}{_reach(summary, 'avg_score_interval')}"]
    decided = _count(summary, "pass_count") + _count(summary, "fail_count")
    if decided and summary.get("pass_rate") is not None:
        rate = percent(summary["pass_rate"])
        reach = _reach(summary, "pass_rate_interval")
        parts.append(f"pass rate {rate}{reach}, {_count(summary, 'pass_count'):,} of {decided:,}")
    return f"{'; '.join(parts)}; {graded:,} of {plural(total, 'case')} graded."


def find_notes(summary: Summary) -> list[str]:
    """What a reader must know beside the number, a sentence each."""
    notes = []
    if error := summary.get("standard_error"):
        notes.append(f"Standard error of the average: {error * 100:.2f} points.")
    for trouble, count in (summary.get("ungraded_because") or {}).items():
        reason = TROUBLES.get(trouble, str(trouble))
        notes.append(f"Ungraded, and in no average: {plural(count, 'case')}, {reason}.")
    ungraded = _count(summary, "error_count")
    if ungraded and not summary.get("ungraded_because"):
        notes.append(f"Ungraded: {plural(ungraded, 'case')}.")
    if missing := _count(summary, "missing_count"):
        because = _STATES.get(str(summary.get("state")), "they were not run")
        notes.append(f"Missing, and in no average: {plural(missing, 'case')}; {because}.")
    if extra := summary.get("extra_ids"):
        names = ", ".join(str(one)[:100] for one in extra[:MOST_NAMED])
        notes.append(f"Answers that belong to no case: {len(extra):,} ({names}).")
    if judges := summary.get("judges"):
        notes.append(f"Judged by {', '.join(str(one) for one in judges)}.")
    provenance = summary.get("dataset_provenance")
    if isinstance(provenance, dict) and provenance.get("regraded_from"):
        notes.append(f"Dialogues of {provenance['regraded_from']}, judged again.")
    if "cost_usd" in summary or "usage" in summary:
        notes.append(_cost_note(summary))
    seconds = summary.get("wall_seconds")
    if isinstance(seconds, int | float):
        notes.append(f"It took {duration(seconds)}.")
    return notes + [str(one) for one in summary.get("notes") or ()]


_STATES = {
    "complete": "no answer was given for them",
    "cancelled": "the run was cancelled before them",
    "out_of_money": "the limit of money was reached before them",
    "failed": "the run failed before them",
}


def _cost_note(summary: Summary) -> str:
    cost = summary.get("cost_usd")
    unknown = sum(part.get("unknown_cases", 0) for part in (summary.get("usage") or {}).values())
    words = usd(None if cost is None else Decimal(str(cost)))
    if unknown:
        return f"Cost: {words}, and what {plural(unknown, 'case')} used that nobody knows."
    return f"Cost: {words}."


CRITERION_HEAD = ("criteria", "cases", "average", "standard error")
TAG_HEAD = ("tag", "cases", "graded", "average", "standard error", "passed", "pass rate")


def tag_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Figures by tag, as they are shown; `TAG_HEAD` names the columns."""
    rows: list[tuple[str, ...]] = []
    for tag, one in list((summary.get("stats_by_tag") or {}).items())[:MOST_TAGS]:
        total = int(one.get("total", 0))
        graded = int(one.get("graded", total - int(one.get("error_count", 0))))
        passed = int(one.get("pass_count", 0))
        decided = passed + int(one.get("fail_count", 0))
        rows.append(
            (
                str(tag),
                f"{total:,}",
                f"{graded:,}",
                _percent(one.get("avg_score") if graded else None),
                _points(one.get("standard_error")),
                f"{passed:,} of {decided:,}" if decided else "-",
                _percent(one.get("pass_rate") if decided else None),
            )
        )
    return rows


def criterion_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Figures of parts of cases: tag of the criteria, cases that have such, average, error."""
    parts = list((summary.get("stats_by_criterion_tag") or {}).items())[:MOST_TAGS]
    return [
        (
            str(tag),
            f"{one['cases']:,}",
            _percent(one.get("avg_score")),
            _points(one.get("standard_error")),
        )
        for tag, one in parts
    ]


def case_lines(summary: Summary) -> list[dict[str, Any]]:
    """A line for each case: `id`, `title`, `result`, `score`, `trouble`, `feedback`, `tags`."""
    if "case_list" in summary:
        return list(summary["case_list"])
    lines = []
    for one in summary.get("cases") or ():
        graded = one.get("eval") or {}
        raw = graded.get("raw_score")
        lines.append(
            {
                "id": str(one.get("id")),
                "title": str(one.get("title") or "")[:300],
                "result": str(graded.get("result")),
                "score": graded.get("score") if raw is None else raw,
                "trouble": graded.get("trouble"),
                "feedback": str(graded.get("feedback") or "")[:300],
                "tags": [str(tag) for tag in one.get("tags") or ()],
            }
        )
    return lines


def total_count(summary: Summary) -> int:
    return len(summary.get("case_list") or summary.get("cases") or ())


def graded_count(summary: Summary) -> int:
    """Graded cases; older reports count only those that are not."""
    if isinstance(found := summary.get("graded_count"), int):
        return found
    return total_count(summary) - _count(summary, "error_count")


def _count(summary: Summary, name: str) -> int:
    value = summary.get(name)
    return value if isinstance(value, int) else 0


def _reach(summary: Summary, name: str) -> str:
    interval = summary.get(name)
    if not isinstance(interval, list) or len(interval) != 2:
        return ""
    return f" (95% interval {percent(interval[0])} to {percent(interval[1])})"


def _percent(value: float | None) -> str:
    return "-" if value is None else percent(value)


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.1f}"


def _short(one: Mapping[str, Any]) -> str:
    feedback = " ".join(str(one.get("feedback") or "").split())
    if one["result"] == "error":
        reason = TROUBLES.get(str(one.get("trouble")), "")
        return f"[{reason}] {feedback[:160]}" if reason else feedback[:160]
    score = one.get("score")
    return f"{_percent(score)}  {feedback[:80]}"


def _named(one: Mapping[str, Any]) -> str:
    return f"- {code(str(one['id']), 120)}: {inline(_short(one), 300)}"


def _table(rows: Sequence[tuple[str, ...]], head: Sequence[str] = TAG_HEAD) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    return lines + [f"| {cell(row[0], 120)} | {' | '.join(row[1:])} |" for row in rows]
