"""`grading.json`: the verdicts on what one session left, and what the session took."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jobs.judging.blind import unblind_text
from jobs.readings import Verdict
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import SessionResult


class Expectation(NamedTuple):
    """One assertion as that format has it."""

    text: str
    passed: bool
    evidence: str


def find_expectations(result: RunResult, session: SessionResult) -> list[Expectation]:
    """The assertions of a session's trial, as they were decided for its arm.

    Passed is what passes in every reading that counts. What could not be verified is left out:
    that format has no word for it.
    """
    is_tested = session.arm is result.spec.arms[0]
    found = []
    for row in _rows(result, session.trial):
        own = [pair[0] if is_tested else pair[1] for pair in row.counted]
        if own:
            passed = all(one.verdict == "pass" for one in own)
            found.append(Expectation(row.assertion.text, passed, _describe(own)))
    return found


def has_score(result: RunResult, trial: int) -> bool:
    """Whether a trial was scored at all."""
    return result.graded and bool(_rows(result, trial))


def make_grading(
    result: RunResult, session: SessionResult, expectations: Sequence[Expectation], folder: Path
) -> dict[str, Any]:
    """The whole file; `folder` holds the session's unpacked transcript and output."""
    calls = _count_calls(folder / "transcript.jsonl")
    return {
        "expectations": [one._asdict() for one in expectations],
        "summary": make_summary(expectations),
        "execution_metrics": {
            "tool_calls": dict(sorted(calls.items())),
            "total_tool_calls": session.tool_calls,
            "total_steps": session.turns,
            "errors_encountered": session.failed_tool_calls,
            "output_chars": sum(file.size_bytes for file in session.outputs),
            "transcript_chars": _size(folder / "transcript.jsonl"),
        },
        "timing": {
            "executor_duration_seconds": round(session.wall_s, 1),
            "total_duration_seconds": round(session.wall_s, 1),
        },
        "eval_feedback": {
            "suggestions": [
                {"assertion": "", "reason": unblind_text(text, one.number, result.candidate_1_is)}
                for one in result.passes
                if one.trial == session.trial
                for text in one.weak_assertions
            ],
            "overall": "",
        },
    }


def make_summary(expectations: Sequence[Expectation]) -> dict[str, Any]:
    """Counts, and the part that passes; there is no rate of nothing."""
    passed, total = sum(one.passed for one in expectations), len(expectations)
    return {
        "passed": passed,
        "failed": total - passed,
        "total": total,
        "pass_rate": round(passed / total, 4) if total else None,
    }


def _rows(result: RunResult, trial: int) -> Sequence[AssertionScore]:
    if not result.trials:
        return result.assertions
    return next((one.assertions for one in result.trials if one.number == trial), ())


def _describe(verdicts: Iterable[Verdict]) -> str:
    """Each different verdict with its evidence, once."""
    told = dict.fromkeys(
        f"{one.verdict}: {one.evidence or one.reason or 'nothing was quoted'}" for one in verdicts
    )
    return " | ".join(told)


def _count_calls(transcript: Path) -> Counter[str]:
    """How often each tool was called; a line that cannot be read counts for nothing."""
    calls: Counter[str] = Counter()
    if transcript.is_file():
        with transcript.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    event = json.loads(line)
                except ValueError:
                    continue
                if isinstance(event, dict) and event.get("kind") == "tool_call":
                    content = event.get("content")
                    name = content.get("name") if isinstance(content, dict) else None
                    calls[str(name)[:100]] += 1
    return calls


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0
