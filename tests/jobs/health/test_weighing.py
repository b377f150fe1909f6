"""Expected, observed and scored, and what is said where they do not agree."""

from typing import Any

import pytest

from jobs.health.counts import Counts
from jobs.health.weighing import Seen, find_health, weigh
from jobs.readings import LostReading
from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.scores import TrialResult
from jobs.values import Arm, SessionEnd, SessionResult
from tests.builders import a_pass, a_result, a_run_spec, a_session, a_usage, an_ungraded_result
from tests.jobs.health.manifests import MET, a_manifest

BOTH = (Arm.WITH_SKILL, Arm.WITHOUT_SKILL)


def session(arm: Arm, trial: int = 1, **changes: Any) -> SessionResult:
    """One that met what the manifest says, its arm free of the skill where it has none."""
    free = {"skill_traces": (), "skills_listed": ()} if arm is Arm.WITHOUT_SKILL else {}
    return a_session(arm, trial=trial, **(MET | free | changes))


def seen(trials: int = 1, **changes: Any) -> Seen:
    numbers = range(1, trials + 1)
    defaults = {
        "spec": a_run_spec(trials=trials, mode="installed", launcher="claude-code"),
        "due": numbers,
        "sessions": [session(arm, trial) for trial in numbers for arm in BOTH],
        "passes": [
            a_pass(number, trial=trial, prompt_version="8")
            for trial in numbers
            for number in (1, 2)
        ],
        "lost": (),
    }
    return Seen(**(defaults | changes))


def test_a_run_that_came_as_expected_has_no_findings() -> None:
    health = weigh(seen(trials=3), a_manifest(3))
    assert health.findings == ()
    assert (health.expected, health.observed, health.scored) == (6, 6, 6)
    assert health.readings == Counts(expected=6, observed=6, scored=6)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"sessions": [session(Arm.WITH_SKILL)]},
            "the session without skill came to no end",
        ),
        (
            {"sessions": [session(Arm.WITH_SKILL, end="rate_limited"), session(BOTH[1])]},
            "the session with skill ended as rate_limited",
        ),
        ({"passes": [a_pass(1, prompt_version="8")]}, "1 of 2 readings of the judge came to no"),
        (
            {
                "passes": [a_pass(1, prompt_version="8")],
                "lost": [LostReading(number=2, reason="refused.", usage=a_usage(), raw_answers=())],
            },
            "reading 2 of the judge gave no verdicts (refused)",
        ),
        (
            {
                "sessions": [
                    session(BOTH[0]),
                    session(BOTH[1], skill_traces=("its folder holds x",)),
                ]
            },
            "was not free of the skill: its folder holds x",
        ),
        (
            {"sessions": [session(BOTH[0]), session(BOTH[1], skills_listed=("word-count",))]},
            "the session without skill was offered skills: word-count",
        ),
        (
            {"sessions": [session(BOTH[0]), session(BOTH[1], skill_traces=None)]},
            "nobody looked whether the session without skill was free of the skill",
        ),
        (
            {"sessions": [session(arm, launcher_version="2.1.198") for arm in BOTH]},
            "another version of the launcher than was expected: 2.1.197 expected, 2.1.198 met",
        ),
    ],
)
def test_what_is_missing_or_otherwise_is_a_finding(changes: dict[str, Any], told: str) -> None:
    assert any(told in finding for finding in weigh(seen(**changes), a_manifest()).findings)


def test_many_losses_are_told_shortly() -> None:
    broken = [session(arm, n, end="stalled") for n in range(1, 11) for arm in BOTH]
    findings = weigh(seen(trials=10, sessions=broken, passes=()), a_manifest(10)).findings
    assert len(findings) == 5
    assert findings[-1] == "and 16 more"


def test_an_older_run_is_only_counted() -> None:
    """It was told with its score, by the rule of its day."""
    trials = (TrialResult(number=1), TrialResult(number=2, ungraded_reason="stalled"))
    old = a_result(
        spec=a_run_spec(trials=2),
        trials=trials,
        sessions=(a_session(), a_session(BOTH[1]), a_session(trial=2, end=SessionEnd.STALLED)),
    )
    health = find_health(old)
    assert health.findings == ()
    assert (health.expected, health.observed, health.scored) == (4, 3, 2)


def test_another_judge_than_was_expected_is_none_of_the_run_s_fault() -> None:
    passes = [a_pass(number, prompt_version="9") for number in (1, 2)]
    assert weigh(seen(passes=passes), a_manifest(), judged_later=True).findings == ()
    assert weigh(seen(passes=passes), a_manifest()).findings != ()


def test_the_report_s_line_on_health_gives_all_three_counts() -> None:
    good = a_result(sessions=tuple(session(arm) for arm in BOTH))
    line = health_line(good)
    assert "2 sessions and 2 readings expected, observed and scored" in line
    assert "baseline proven free of the skill" in line
    assert line.startswith("**Health** ✅")


def test_a_run_without_a_score_says_what_was_expected_too() -> None:
    line = health_line(an_ungraded_result())
    assert "sessions: 2 expected, 2 observed, 1 scored" in line
    assert line.startswith("**Health** ⚠️")
    assert "proven free" not in line


def health_line(result: Any) -> str:
    told = render_report(result, ReportContext(mention="@skillbench"))
    return next(line for line in told.splitlines() if line.startswith("**Health**"))
