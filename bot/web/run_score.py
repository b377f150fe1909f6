"""The scorecard of a run and what ran, as lines of plain text."""

from collections.abc import Iterator, Sequence

from bot.web.run_values import ScoreLine
from bot.web.run_words import plain
from jobs.judging.judges import judges_of
from jobs.reporting import numbers
from jobs.reporting.conditions import render_environment, render_launcher, render_limits
from jobs.reporting.reused import mark_reused
from jobs.reporting.scorecard import (
    sessions_of,
    tell_counts,
    tell_loaded,
    tell_used,
    unverified_rows,
)
from jobs.reporting.trials import count_whole, score_rows, usage_rows
from jobs.results import RunResult
from jobs.values import Model, SessionEnd, SessionResult

Row = tuple[str, ...]

ALL_TRIALS = " (all trials)"
"""Follows the name of a row that is no mean."""


def make_scorecard(result: RunResult) -> Iterator[ScoreLine]:
    """What both arms achieved and used; of several trials means, with the least and the most."""
    for name, tested, other in _rows(result):
        yield ScoreLine(name=plain(name), tested=plain(tested), other=plain(other))


def _rows(result: RunResult) -> Iterator[Row]:
    sessions = [sessions_of(result, arm) for arm in result.spec.arms]
    scores = (result.with_skill, result.without_skill)
    if result.trials:
        yield from score_rows(result)
    elif result.graded and scores[0] and scores[1]:
        yield ("Score", *(numbers.percent(one.score) for one in scores if one))
        yield ("Pass / partial / fail", *(tell_counts(one) for one in scores if one))
    if result.graded:
        yield from unverified_rows(result)
    used = usage_rows(result) if result.trials else tell_used(sessions)
    of_all = ALL_TRIALS if result.trials else ""
    turns, calls = map(_turns, sessions), map(_calls, sessions)
    for row in (*used, (f"Turns{of_all}", *turns), (f"Tool calls{of_all}", *calls)):
        yield (*row[:-1], mark_reused(result, row[-1]))
    yield ("Session ended", *map(_ends, sessions))
    yield ("Skill loaded", *map(tell_loaded, sessions))


def _turns(sessions: Sequence[SessionResult]) -> str:
    return f"{sum(one.turns for one in sessions):,}" if sessions else "—"


def _calls(sessions: Sequence[SessionResult]) -> str:
    if not sessions:
        return "—"
    calls = sum(one.tool_calls for one in sessions)
    failed = sum(one.failed_tool_calls for one in sessions)
    return f"{calls:,} ({failed:,} failed)" if failed else f"{calls:,}"


def _ends(sessions: Sequence[SessionResult]) -> str:
    """How they ended, each word with its count where there are several."""
    counts: dict[str, int] = {}
    for one in sessions:
        word = one.end.value.replace("_", " ")
        if one.end is not SessionEnd.COMPLETED:
            word = f"⚠ {word}" + ("" if one.scored else " (not scored)")
        counts[word] = counts.get(word, 0) + 1
    named = [word if len(sessions) == 1 else f"{count} {word}" for word, count in counts.items()]
    return ", ".join(named) or "—"


def tell_conditions(result: RunResult) -> Iterator[tuple[str, str]]:
    """What ran, under which conditions, and who asked: names and values."""
    spec = result.spec
    served = dict.fromkeys(name for one in result.sessions for name in one.served_models)
    judged = dict.fromkeys(one.served_model for one in result.passes)
    trials = f"{count_whole(result)}, each judged by itself" if spec.trials > 1 else "1"
    told = (
        ("Eval case", spec.eval_case.id),
        ("Model", _model(spec.model, tuple(served))),
        ("Skill", f"{spec.skill.name} in {spec.skill.path}"),
        ("Skill SHA", f"{spec.skill.sha[:12]} at commit {spec.read_from[:7]}"),
        ("Compared with", _other(result)),
        ("Trials", trials),
        ("Launcher", plain(render_launcher(result))),
        ("Judge", ", ".join(judged) or ", ".join(one.sent for one in judges_of(spec))),
        ("Limits of a session", plain(render_limits(result))),
        ("Environment", plain(render_environment(result))),
        ("Cost of all", numbers.usd(result.cost_usd)),
        ("Asked by", spec.asker),
        ("Run", spec.run_id),
    )
    yield from ((name, value) for name, value in told if value)


def _model(model: Model, served: Sequence[str]) -> str:
    asked = f", asked for as {model.asked}" if model.asked != model.sent else ""
    others = [name for name in served if name != model.sent]
    return f"{model.sent}{asked}" + (f", answered by {', '.join(others)}" if others else "")


def _other(result: RunResult) -> str:
    spec = result.spec
    if spec.vs == "none":
        return ""
    if spec.other is None:
        return spec.vs
    if spec.vs == "self":
        return "the same version once more"
    asked = f", asked for as {spec.vs_asked}" if spec.vs_asked else ""
    return f"version {spec.other.sha[:12]} at commit {spec.other_commit[:7]}{asked}"
