"""Figures are written one way, and a missing one is never a zero."""

from decimal import Decimal

import pytest

from jobs.reporting import numbers


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (numbers.percent(0.83333), "83.3%"),
        (numbers.percent(1.0), "100%"),
        (numbers.percent(0), "0%"),
        (numbers.points(1 / 3), "33.3 points"),
        (numbers.points(-0.05), "5 points"),
        (numbers.points(0.01), "1 point"),
        (numbers.points(0.0001), "under 0.1 points"),
        (numbers.points(0), "0 points"),
        (numbers.signed_points(0.0833), "+8.3 points"),
        (numbers.signed_points(-0.5), "-50 points"),
        (numbers.signed_points(-0.0), "0 points"),
        (numbers.count(2.0), "2"),
        (numbers.count(2.5), "2.5"),
        (numbers.count(2.25), "2.25"),
        (numbers.count(10), "10"),
        (numbers.plural(1, "run"), "1 run"),
        (numbers.plural(0, "run"), "0 runs"),
        (numbers.plural(2, "reply", "replies"), "2 replies"),
        (numbers.duration(0.42), "0.4 s"),
        (numbers.duration(48), "48 s"),
        (numbers.duration(59.7), "1 min"),
        (numbers.duration(175), "2 min 55 s"),
        (numbers.duration(3600), "1 h"),
        (numbers.duration(3785), "1 h 3 min"),
        (numbers.tokens(950), "950"),
        (numbers.tokens(11_500), "11.5k"),
        (numbers.tokens(999_960), "1M"),
        (numbers.tokens(1_234_567), "1.2M"),
        (numbers.usd(None), "unknown"),
        (numbers.usd(Decimal(0)), "$0.00"),
        (numbers.usd(Decimal("0.004")), "under $0.01"),
        (numbers.usd(Decimal("1234.5")), "$1,234.50"),
        (numbers.file_size(1), "1 byte"),
        (numbers.file_size(4_200), "4.2 kB"),
        (numbers.file_size(64_000_000), "64 MB"),
    ],
)
def test_figures_are_written_for_people(shown, expected):
    assert shown == expected
