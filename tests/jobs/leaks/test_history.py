"""Guesses over time: what a rate can say, and which runs may be in one figure."""

import pytest

from jobs.leaks.history import Blindness, find_guess_histories
from jobs.results import RunRecord
from tests.builders import a_run_record

GUESSER = "claude-haiku-4-5 0123456789ab"


def guessed(number: int, right: bool | None, **changes: object) -> RunRecord:
    fields = {"run": f"{number:012x}", "guess": right, "guesser": GUESSER, "served": "claude-s"}
    return a_run_record(**(fields | changes))


def some(right: int, wrong: int) -> list[RunRecord]:
    return [guessed(number, number < right) for number in range(right + wrong)]


@pytest.mark.parametrize(
    ("right", "wrong", "blindness"),
    [
        (1, 0, "unknown"),
        (3, 0, "unknown"),
        (8, 2, "unknown"),
        (9, 1, "given away"),
        (20, 20, "unknown"),
        (1, 9, "mistaken"),
    ],
)
def test_what_a_rate_says(right: int, wrong: int, blindness: Blindness) -> None:
    [found] = find_guess_histories(some(right, wrong))
    assert (found.right, found.guessed, found.blindness) == (right, right + wrong, blindness)
    low, high = found.interval
    assert low <= right / (right + wrong) <= high


def test_runs_without_a_guess_count_nowhere() -> None:
    assert find_guess_histories([a_run_record(), guessed(2, None)]) == []
    [found] = find_guess_histories([*some(1, 1), guessed(9, None)])
    assert found.guessed == 2


@pytest.mark.parametrize("changes", [{"served": "claude-t"}, {"guesser": "gpt-5-mini 0123"}])
def test_another_model_or_guesser_is_another_series(changes: dict[str, str]) -> None:
    found = find_guess_histories([guessed(1, True), guessed(2, True, **changes)])
    assert [one.guessed for one in found] == [1, 1]


def test_another_judge_is_the_same_series() -> None:
    records = [guessed(1, True, judge_served="a"), guessed(2, False, judge_served="b")]
    [found] = find_guess_histories(records)
    assert found.guessed == 2


def test_a_run_that_was_judged_again_is_one_run() -> None:
    [found] = find_guess_histories([guessed(1, True), guessed(1, True, judge="other")])
    assert found.guessed == 1
