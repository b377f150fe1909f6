"""Why it stopped, by which rule, and what it is about: one line, and no more than was shown."""

import pytest

from jobs.reporting.context import ReportContext
from jobs.reporting.report import render_report
from jobs.reporting.until_sure import render_look, render_until_sure
from jobs.results import RunResult
from jobs.scores import TrialResult
from jobs.sequential.look import Look
from jobs.sequential.stop import Stop
from tests.builders import a_result, a_run_spec, a_skill, an_arm_score

SPEC = a_run_spec(trials=20, until_sure="trials")
RULE = "where there is no difference one is claimed at most 5% of the time"


def stopped(why: str, wins: int, ties: int, losses: int) -> RunResult:
    having, lacking = an_arm_score(3, 0, 0), an_arm_score(0, 0, 3)
    trials = tuple(
        TrialResult(number=number, with_skill=having, without_skill=lacking)
        for number in range(1, wins + ties + losses + 1)
    )
    stop = Stop(why=why, wins=wins, ties=ties, losses=losses, most=20)
    return a_result(spec=SPEC, trials=trials, stopped=stop)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            stopped("higher", 8, 1, 0),
            (
                "🎯 sure after 9 of at most 20 trials that the score is higher with the skill "
                "(8 wins, 1 tie, 0 losses; e-value 56.8)"
            ),
        ),
        (
            stopped("lower", 0, 0, 8),
            (
                "🎯 sure after 8 of at most 20 trials that the score is lower with the skill "
                "(0 wins, 0 ties, 8 losses; e-value 56.8)"
            ),
        ),
        (
            stopped("futile", 5, 0, 5),
            (
                "🤷 not sure after 10 of at most 20 trials; stopped, since even if all of the rest "
                "pointed one way it would not be enough (5 wins, 0 ties, 5 losses; e-value 0.4)"
            ),
        ),
        (
            stopped("cap", 9, 11, 0),
            (
                "🤷 not sure after 20 of at most 20 trials; stopped at the most trials that were "
                "allowed (9 wins"
            ),
        ),
        (
            stopped("money", 4, 2, 1),
            (
                "🤷 not sure after 7 of at most 20 trials; stopped by the limit of the run: "
                "another trial might have passed it (4 wins, 2 ties, 1 loss; e-value"
            ),
        ),
    ],
)
def test_which_of_the_three_stopped_it_is_told_with_the_count(result: RunResult, said: str) -> None:
    line = render_until_sure(result)
    assert line.startswith(f"**Until sure** {said}")
    assert "This is about this one eval case and says nothing of others" in line
    assert RULE in line


def test_the_line_stands_in_the_report_and_counts_the_trials_there_were() -> None:
    report = render_report(stopped("higher", 8, 0, 0), ReportContext())
    assert "\n\n**Until sure** 🎯" in report
    assert ", mean of 8 trials\n" in report
    assert "--trials 20 --until-sure --force" in report


def test_nothing_is_said_of_a_fixed_number_nor_of_a_run_that_lost_a_trial() -> None:
    assert not render_until_sure(a_result())
    assert not render_until_sure(stopped("lost", 3, 0, 0))


@pytest.mark.parametrize(
    ("look", "spared", "said"),
    [
        (
            Look("higher", 8, 1, 0, 4), 4,
            ("🎯 sure after 9 of 13 eval cases that scores are higher with the skill (8 wins, 1 "
            "tie, 0 losses; e-value 56.8); 4 runs not needed."),
        ),
        (
            Look("futile", 3, 0, 3, 4), 4,
            "🤷 not sure after 6 of 10 eval cases; stopped, since even if all of the rest",
        ),
        (Look("futile", 6, 4, 0, 0), 0, "🤷 not sure after all of 10 eval cases (6 wins, 4 ties"),
    ],
)  # fmt: skip
def test_a_set_is_told_with_what_was_spared(look: Look, spared: int, said: str) -> None:
    spec = a_run_spec(skill=a_skill(name="<b>word</b>"))
    line = render_look(look, spec, spared=spared)
    assert line.startswith("**Until sure** `<b>word</b>` on `claude-sonnet-4-6`: " + said)
    assert RULE in line
    assert "not needed" in line or not spared
