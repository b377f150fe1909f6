"""The thresholds of a set: fractions that leave something to decide."""

from typing import Any

import pytest
from pydantic import ValidationError

from config.settings import Settings
from jobs.conclusions.thresholds import Thresholds


def some(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


def test_the_usual_thresholds_are_those_of_the_settings() -> None:
    assert Thresholds.of(some()) == Thresholds()


def test_they_are_read_as_they_are_typed() -> None:
    limits = Thresholds.of(some(set_alpha="0.01", set_fewest="8"))
    assert (limits.alpha, limits.fewest) == (0.01, 8)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("set_alpha", "0"),
        ("set_alpha", "0.5"),
        ("set_fewest", "0"),
        ("set_net_wins", "1.1"),
        ("set_win_rate", "0.5"),
        ("set_power", "1"),
        ("set_unscored", "-0.1"),
    ],
)
def test_a_threshold_that_decides_nothing_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValidationError, match=name):
        some(**{name: value})
