"""When a line of cron last said that something is due."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.upkeep.ticks import find_last_tick

THREE = datetime(2026, 5, 4, 3, 0, tzinfo=UTC)
"""A Monday."""
NIGHTLY = "0 3 * * *"


@pytest.mark.parametrize(
    ("after_s", "until_s", "is_due"),
    [(-60, 0, True), (-1, 0.3, True), (0, 60, False), (-120, -0.1, False), (-86_400, -1, False)],
)
def test_a_time_belongs_to_the_one_look_that_passes_it(
    after_s: float, until_s: float, is_due: bool
) -> None:
    after, until = THREE + timedelta(seconds=after_s), THREE + timedelta(seconds=until_s)
    found = find_last_tick(NIGHTLY, after=after, until=until)
    assert found == (THREE if is_due else None)


def test_however_many_were_missed_the_last_one_is_given() -> None:
    found = find_last_tick(NIGHTLY, after=THREE - timedelta(days=9), until=THREE)
    assert found == THREE


def test_a_week_that_was_missed_is_found_on_another_day() -> None:
    monday = "0 6 * * 1"
    until = THREE + timedelta(days=3)
    assert find_last_tick(monday, after=THREE, until=until) == THREE.replace(hour=6)
    assert find_last_tick(monday, after=THREE.replace(hour=6), until=until) is None


def test_a_time_that_comes_once_in_four_years_is_found() -> None:
    found = find_last_tick("0 0 29 2 *", after=THREE - timedelta(days=1000), until=THREE)
    assert found == datetime(2024, 2, 29, tzinfo=UTC)
