"""A report owns up to sessions that it did not run: whose, how old, what was saved."""

from datetime import timedelta
from typing import Any

import pytest

from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.reporting.reused import render_reused
from jobs.results import RunResult
from jobs.values import Arm
from tests.builders import NOON, a_result, a_run_spec, a_session, a_usage, an_ungraded_result
from tests.jobs.reporting.rendered import Rendered

FIRST, SECOND = "a" * 12, "b" * 12
URL = "https://github.com/acme/skills/issues/21#issuecomment-1"


def a_reusing_result(*ages: tuple[str, timedelta], **changes: Any) -> RunResult:
    """A run begun at noon, each of its trials with the session of another run."""
    sessions = []
    for trial, (run, age) in enumerate(ages or ((FIRST, timedelta(days=3)),), start=1):
        sessions += [
            a_session(trial=trial),
            a_session(
                Arm.WITHOUT_SKILL, trial=trial, reused_from=run, started_at=NOON - age, wall_s=77.0
            ),
        ]
    usual = {"started_at": NOON, "sessions": tuple(sessions)}
    return a_result(**(usual | changes))


def test_a_run_of_its_own_says_nothing() -> None:
    assert render_reused(a_result(), {}) == ""
    assert "♻️" not in render_report(a_result(), ReportContext())


def test_one_line_tells_whose_it_is_how_old_and_what_it_saved() -> None:
    report = render_report(a_reusing_result(), ReportContext(baseline_urls={FIRST: URL}))
    [line] = [line for line in report.splitlines() if line.startswith("**Baseline**")]
    assert line == (
        f"**Baseline** ♻️ the session without the skill was that of [run `{FIRST}`]({URL}), 3 days "
        "old: the arms did not run side by side. They met the same world, and both outputs were "
        "judged anew. Saved: $0.02, 11.5k tokens. `--force --fresh` runs both together."
    )


def test_its_figures_are_marked_and_those_of_the_other_arm_are_not() -> None:
    report = render_report(a_reusing_result(), ReportContext())
    assert "| Time | 1 min 5 s | 1 min 17 s ♻️ |" in report
    assert "| Tokens | 11.5k | 11.5k ♻️ |" in report
    assert "| Cost | $0.02 | $0.02 ♻️ |" in report
    assert "| | With the skill | Without it ♻️ |" in report
    score = next(line for line in report.splitlines() if line.startswith("| **Score**"))
    assert "♻️" not in score  # judged anew


def test_it_costs_this_run_nothing() -> None:
    whole, reusing = a_result().cost_usd, a_reusing_result().cost_usd
    assert whole is not None
    assert reusing is not None
    assert whole - reusing == a_usage().cost_usd


@pytest.mark.parametrize(
    ("ages", "words"),
    [
        ((timedelta(seconds=59),), "under a minute old"),
        ((timedelta(minutes=1),), "1 minute old"),
        ((timedelta(hours=23, minutes=59),), "23 hours old"),
        ((timedelta(days=13, hours=23),), "13 days old"),
        ((timedelta(hours=2), timedelta(days=5)), "2 hours to 5 days old"),
        ((-timedelta(seconds=3),), "under a minute old"),
    ],
)
def test_ages_are_told_as_people_tell_them(ages: tuple[timedelta, ...], words: str) -> None:
    """Clocks may disagree; nothing is younger than new."""
    result = a_reusing_result(*((FIRST, age) for age in ages))
    assert f", {words}: the arms" in render_reused(result, {})


def test_of_several_trials_it_says_how_many_and_of_which_runs() -> None:
    day = timedelta(days=1)
    spec = a_run_spec(trials=4)
    result = a_reusing_result((FIRST, day), (SECOND, day), (FIRST, day), spec=spec)
    line = render_reused(result, {SECOND: URL})
    named = f"run `{FIRST}`, [run `{SECOND}`]({URL})"
    assert f"3 of 4 sessions without the skill were those of {named}, 1 day old" in line


def test_many_runs_are_counted() -> None:
    ages = [(str(number) * 12, timedelta(days=1)) for number in range(8)]
    assert ", 3 more, 1 day old" in render_reused(a_reusing_result(*ages), {})


def test_a_price_that_is_not_known_saves_no_money() -> None:
    sessions = tuple(
        one.model_copy(update={"usage": a_usage(cost_usd=None)})
        for one in a_reusing_result().sessions
    )
    line = render_reused(a_reusing_result(sessions=sessions), {})
    assert "Saved: 11.5k tokens, at a price not known." in line


def test_a_run_without_a_score_does_not_speak_of_judging() -> None:
    sessions = a_reusing_result().sessions
    line = render_reused(an_ungraded_result(sessions=sessions), {})
    assert line.startswith("**Baseline** ♻️")
    assert "judged" not in line


def test_nothing_of_an_address_or_an_id_takes_effect() -> None:
    hostile = "`](x) @mona <b>#1"
    result = a_reusing_result((hostile, timedelta(days=1)))
    rendered = Rendered(render_reused(result, {hostile: "javascript:alert(1)"}))
    assert rendered.links == []
    assert rendered.tags["b"] == 0
    assert "@mona" not in rendered.words
