"""`benchmark.json`: sessions of both configurations, their means and the difference.

Its means are over sessions, as that format has them. What may be concluded is another matter, and
stands in the notes: the unit is the eval case, however often each was tried.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from jobs.interchange.gradings import Expectation, find_expectations, has_score, make_summary
from jobs.results import RunResult
from jobs.values import SessionResult

CONFIGURATIONS = ("with_skill", "without_skill")
"""The only two names that its viewer knows: the arm under test, then the other one."""
_SHOWN: Mapping[str, Callable[[float], str]] = {
    "pass_rate": lambda value: f"{value:+.2f}",
    "time_seconds": lambda value: f"{value:+.1f}",
    "tokens": lambda value: f"{value:+.0f}",
}


_PASSED = (
    "Passed is what passed in every reading of the judge; a partial verdict is not passed here "
    "and counts half in skillbench's own score."
)


class Exported(NamedTuple):
    """A session as that format numbers it."""

    eval_id: int
    """1, 2 … in the order of the runs given; the viewer sorts by it."""
    configuration: str
    run_number: int
    result: RunResult
    session: SessionResult
    expectations: Sequence[Expectation]


def list_sessions(results: Sequence[RunResult]) -> list[Exported]:
    """Every session whose trial has a score, of all runs; others are in no figure.

    Several runs of one eval case are further runs of it.
    """
    numbers: dict[str, int] = {}
    counts: dict[tuple[int, str], int] = {}
    exported = []
    for result in results:
        eval_id = numbers.setdefault(result.spec.eval_case.id, len(numbers) + 1)
        for session in sorted(result.sessions, key=lambda one: one.trial):
            if not has_score(result, session.trial):
                continue
            name = CONFIGURATIONS[result.spec.arms.index(session.arm)]
            number = counts[eval_id, name] = counts.get((eval_id, name), 0) + 1
            expectations = find_expectations(result, session)
            exported.append(Exported(eval_id, name, number, result, session, expectations))
    return exported


def make_benchmark(results: Sequence[RunResult]) -> dict[str, Any]:
    """The whole file over runs of one skill; raises `ValueError` without a run."""
    if not results:
        raise ValueError("a benchmark needs at least one run")
    sessions = list_sessions(results)
    first = results[0].spec
    most = max((one.run_number for one in sessions), default=0)
    return {
        "metadata": {
            "skill_name": first.skill.name,
            "skill_path": first.skill.path,
            "executor_model": first.model.sent,
            "analyzer_model": first.judge.sent,
            "timestamp": max(one.ended_at for one in results).isoformat(timespec="seconds"),
            "evals_run": sorted({one.eval_id for one in sessions}),
            "runs_per_configuration": most,
        },
        "runs": [_make_run(one) for one in sessions],
        "run_summary": _summarize(sessions),
        "notes": _make_notes(results, sessions),
    }


def _make_run(one: Exported) -> dict[str, Any]:
    session = one.session
    return {
        "eval_id": one.eval_id,
        "eval_name": one.result.spec.eval_case.id,
        "configuration": one.configuration,
        "run_number": one.run_number,
        "result": {
            **make_summary(one.expectations),
            "time_seconds": round(session.wall_s, 1),
            "tokens": session.usage.total_tokens,
            "tool_calls": session.tool_calls,
            "errors": session.failed_tool_calls,
        },
        "expectations": [item._asdict() for item in one.expectations],
        "notes": list(session.left_out),
    }


def _summarize(sessions: Sequence[Exported]) -> dict[str, Any]:
    """Mean, spread and ends for each configuration, and the difference of the means."""
    summary: dict[str, Any] = {}
    for name in CONFIGURATIONS:
        own = [one for one in sessions if one.configuration == name]
        figures = {
            "pass_rate": [_rate(one) for one in own if one.expectations],
            "time_seconds": [one.session.wall_s for one in own],
            "tokens": [float(one.session.usage.total_tokens) for one in own],
        }
        summary[name] = {key: _describe(values) for key, values in figures.items() if values}
    tested, other = (summary[name] for name in CONFIGURATIONS)
    summary["delta"] = {
        key: show(tested[key]["mean"] - other[key]["mean"])
        for key, show in _SHOWN.items()
        if key in tested and key in other
    }
    return summary


def _rate(one: Exported) -> float:
    return fmean(item.passed for item in one.expectations)


def _describe(values: Sequence[float]) -> dict[str, float]:
    return {
        "mean": round(fmean(values), 4),
        # its viewer needs a number; a note says that the spread of one value is not known
        "stddev": round(stdev(values), 4) if len(values) > 1 else 0.0,
        "min": round(min(values), 4),
        "max": round(max(values), 4),
    }


def _make_notes(results: Sequence[RunResult], sessions: Sequence[Exported]) -> list[str]:
    notes = [_PASSED]
    for result in results:
        name, run = result.spec.eval_case.id, result.spec.run_id
        if result.difference is None:
            reason = result.ungraded_reason or "a score is missing"
            notes.append(f"Run {run} of {name} has no score and is in no figure: {reason}")
            continue
        notes.append(f"Run {run} of {name}: skillbench's score differs by {result.difference:+.2f}")
        if result.spec.vs != "none":
            notes.append(
                f"Run {run}: `with_skill` is the version under test and `without_skill` the "
                "version that it is compared with."
            )
    if any(one.run_number > 1 for one in sessions):
        notes.append(
            "Runs of one eval tell how steady it is; they are no further evals, and the spread "
            "over sessions is no measure of how sure a difference is."
        )
    else:
        notes.append("One run of each: the spread of a single value is not known, and not zero.")
    return notes
