"""Values for tests: valid as they come, any field replaced by keyword.

Only shapes live here; a test that needs a fake with behaviour makes its own. Numbers are
small and round, so that an expected score can be worked out by eye.
"""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from jobs.readings import JudgePass, KeyMetric, ScrubCount, Verdict
from jobs.results import RunRecord, RunResult
from jobs.scores import ArmScore, AssertionScore
from jobs.values import (
    Arm,
    Assertion,
    CandidateName,
    OutputFile,
    SessionEnd,
    SessionResult,
    Usage,
    VerdictWord,
)
from tests.input_builders import (
    A_COMMIT,
    A_LEGACY_SHA,
    A_SHA,
    NOON,
    a_comment,
    a_judge_model,
    a_model,
    a_repo,
    a_request,
    a_run_spec,
    a_skill,
    an_eval_case,
    an_input_file,
    an_issue,
    some_assertions,
    some_limits,
)

__all__ = [
    "A_COMMIT",
    "A_LEGACY_SHA",
    "A_SHA",
    "NOON",
    "a_comment",
    "a_judge_model",
    "a_model",
    "a_pass",
    "a_repo",
    "a_request",
    "a_result",
    "a_run_record",
    "a_run_spec",
    "a_session",
    "a_skill",
    "a_usage",
    "a_verdict",
    "an_arm_score",
    "an_assertion_score",
    "an_eval_case",
    "an_input_file",
    "an_issue",
    "an_output_file",
    "an_ungraded_result",
    "some_assertions",
    "some_limits",
]


def a_usage(**changes: Any) -> Usage:
    defaults = {
        "requests": 4,
        "input_tokens": 1_000,
        "output_tokens": 500,
        "cache_read_tokens": 8_000,
        "cache_write_tokens": 2_000,
        "cost_usd": Decimal("0.02"),
    }
    return Usage(**(defaults | changes))


def an_output_file(**changes: Any) -> OutputFile:
    defaults = {"path": "report.md", "size_bytes": 300, "sha256": "b" * 64}
    return OutputFile(**(defaults | changes))


def a_session(arm: Arm = Arm.WITH_SKILL, **changes: Any) -> SessionResult:
    defaults = {
        "arm": arm,
        "end": SessionEnd.COMPLETED,
        "started_at": NOON,
        "wall_s": 65.0 if arm is Arm.WITH_SKILL else 48.0,
        "turns": 6,
        "tool_calls": 8,
        "failed_tool_calls": 1,
        "retries": 0,
        "usage": a_usage(),
        "skill_loaded": True if arm is Arm.WITH_SKILL else None,
        "served_models": ("claude-sonnet-4-6",),
        "outputs": (an_output_file(), an_output_file(path="response.md", size_bytes=80)),
    }
    return SessionResult(**(defaults | changes))


def a_verdict(**changes: Any) -> Verdict:
    defaults = {
        "assertion": "A1",
        "candidate": "candidate_1",
        "verdict": "pass",
        "evidence": "Total: 42 words",
        "quote_found": True,
    }
    return Verdict(**(defaults | changes))


def a_pass(
    number: int = 1,
    words: Sequence[tuple[VerdictWord, VerdictWord]] = (
        ("pass", "pass"),
        ("pass", "fail"),
        ("partial", "partial"),
    ),
    **changes: Any,
) -> JudgePass:
    """A pass whose verdicts are `(candidate_1, candidate_2)` by assertion, in order."""
    names: tuple[CandidateName, CandidateName] = ("candidate_1", "candidate_2")
    verdicts = tuple(
        a_verdict(assertion=f"A{index}", candidate=name, verdict=word)
        for index, pair in enumerate(words, start=1)
        for name, word in zip(names, pair, strict=True)
    )
    defaults = {
        "number": number,
        "verdicts": verdicts,
        "key_metrics": (KeyMetric(name="Words counted", candidate_1="42", candidate_2="41"),),
        "observations": ("Both reports name the total; only one lists the longest words.",),
        "usage": a_usage(cost_usd=Decimal("0.03")),
        "served_model": "claude-opus-4-7",
        "asks": 1,
        "raw_answers": ('{"verdicts": []}',),
    }
    return JudgePass(**(defaults | changes))


def an_arm_score(passes: float, partials: float, fails: float) -> ArmScore:
    return ArmScore(
        score=(passes + partials / 2) / (passes + partials + fails),
        passes=passes,
        partials=partials,
        fails=fails,
    )


def an_assertion_score(
    assertion: Assertion | None = None,
    with_skill: Sequence[VerdictWord] = ("pass", "pass"),
    without_skill: Sequence[VerdictWord] = ("fail", "fail"),
    **changes: Any,
) -> AssertionScore:
    """An assertion's verdicts in pass 1 and 2, where `candidate_1` of pass 1 had the skill."""
    chosen = assertion or some_assertions(1)[0]
    names: tuple[CandidateName, CandidateName] = ("candidate_1", "candidate_2")
    defaults = {
        "assertion": chosen,
        "with_skill": tuple(
            a_verdict(assertion=chosen.id, candidate=names[index % 2], verdict=word)
            for index, word in enumerate(with_skill)
        ),
        "without_skill": tuple(
            a_verdict(assertion=chosen.id, candidate=names[(index + 1) % 2], verdict=word)
            for index, word in enumerate(without_skill)
        ),
        "split": len(set(with_skill)) > 1 or len(set(without_skill)) > 1,
    }
    return AssertionScore(**(defaults | changes))


def a_result(**changes: Any) -> RunResult:
    """A graded run: 2 passes and 1 partial of 3 with the skill, 1, 1 and 1 without it."""
    spec = changes.get("spec") or a_run_spec()
    assertions = spec.eval_case.assertions
    words: list[tuple[VerdictWord, VerdictWord]] = [
        ("pass", "pass"),
        ("pass", "fail"),
        ("partial", "partial"),
    ]
    rows = [words[index % 3] for index in range(len(assertions))]
    defaults = {
        "spec": spec,
        "started_at": NOON + timedelta(seconds=5),
        "ended_at": NOON + timedelta(minutes=3),
        "sessions": (a_session(Arm.WITH_SKILL), a_session(Arm.WITHOUT_SKILL)),
        "passes": (a_pass(1), a_pass(2, [(second, first) for first, second in rows])),
        "candidate_1_is": Arm.WITH_SKILL,
        "scrubbed": ScrubCount(with_skill=2, without_skill=0),
        "assertions": tuple(
            an_assertion_score(assertion, (having, having), (lacking, lacking))
            for assertion, (having, lacking) in zip(assertions, rows, strict=True)
        ),
        "with_skill": an_arm_score(2, 1, 0),
        "without_skill": an_arm_score(1, 1, 1),
    }
    return RunResult(**(defaults | changes))


def an_ungraded_result(reason: str = "the model refused", **changes: Any) -> RunResult:
    """A run without a score: the arm without the skill ended in a refusal."""
    defaults = {
        "sessions": (
            a_session(Arm.WITH_SKILL),
            a_session(Arm.WITHOUT_SKILL, end=SessionEnd.REFUSED, outputs=(), detail=reason),
        ),
        "passes": (),
        "assertions": (),
        "with_skill": None,
        "without_skill": None,
        "ungraded_reason": reason,
    }
    return a_result(**(defaults | changes))


def a_run_record(**changes: Any) -> RunRecord:
    defaults = {
        "run": "5e1f00d5a1ad",
        "repo": "acme/skills",
        "eval_id": "github-issue-21",
        "eval_digest": "d" * 64,
        "skill": "text/word-count",
        "skill_sha": A_SHA,
        "model": "claude-sonnet-4-6",
        "model_identity": "claudesonnet46",
        "launcher": "api",
        "mode": "forced",
        "vs": "none",
        "environment": "",
        "trials": 1,
        "judge": "claude-opus-4-7",
        "score": {"with_skill": 0.8333, "without_skill": 0.5},
        "state": "complete",
        "url": "https://github.com/acme/skills/issues/21#issuecomment-9",
    }
    return RunRecord(**(defaults | changes))
