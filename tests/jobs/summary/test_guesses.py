"""What a summary says of guesses."""

import pytest

from jobs.leaks.history import find_guess_histories
from jobs.results import RunRecord
from jobs.summary.guesses import MOST_SERIES, guess_part
from tests.builders import a_run_record


def rendered(*records: RunRecord) -> str:
    part = guess_part(find_guess_histories(records))
    return part.render(100_000)


def guesses(right: int, wrong: int, **changes: object) -> list[RunRecord]:
    fields = {"guesser": "claude-haiku-4-5 0123456789ab", "served": "claude-s"} | changes
    return [
        a_run_record(**({"run": f"{number:012x}", "guess": number < right} | fields))
        for number in range(right + wrong)
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (9, 1, "**outputs give their arm away**: the interval lies above one half"),
        (1, 9, "**outputs can be told apart**"),
        (6, 4, "nothing can be said: the interval holds one half"),
    ],
)
def test_what_the_rate_means_is_said_plainly(right: int, wrong: int, said: str) -> None:
    text = rendered(*guesses(right, wrong))
    assert said in text
    assert f"{right} of 10: {right * 10}% (" in text
    assert "| `claude-s` | `claude-haiku-4-5` · prompt `0123456789ab` |" in text


def test_without_a_guess_nothing_is_said() -> None:
    assert rendered(a_run_record()) == ""


def test_older_series_are_counted() -> None:
    many = [
        one for n in range(MOST_SERIES + 2) for one in guesses(1, 0, served=f"s{n}", run=f"{n}")
    ]
    assert "2 older series left out" in rendered(*many)


def test_hostile_names_stay_in_their_cell() -> None:
    text = rendered(*guesses(1, 0, served="a|b`<!--", guesser="x|<script> y|z"))
    [row] = [line for line in text.splitlines() if " of 1: " in line]
    assert row.replace("\\|", "").count("|") == 5
