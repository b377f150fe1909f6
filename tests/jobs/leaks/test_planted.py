"""Planted leaks: scrubbed they give nothing away, unscrubbed the guesser finds them."""

import pytest

from jobs.statistics.intervals import find_rate_interval
from tools.simulate.leaks import PLANTED, SKILL, count_right, simulate_leaks

RUNS = 60
SEED = 3


@pytest.mark.parametrize(("name", "planted"), PLANTED)
def test_a_planted_leak_is_found_without_scrubbing_and_gone_with_it(
    name: str, planted: str
) -> None:
    assert count_right(planted, RUNS, SEED, ()) == RUNS, name
    interval = find_rate_interval(count_right(planted, RUNS, SEED, (SKILL,)), RUNS)
    assert interval is not None
    assert interval.low < 1 / 2 < interval.high, name


def test_the_simulation_keeps_what_it_promises() -> None:
    sections = simulate_leaks(40, SEED)
    assert [one.text for section in sections for one in section.promises if not one.kept] == []


def test_a_scrub_that_does_nothing_breaks_the_promise() -> None:
    [planted, _] = simulate_leaks(40, SEED, scrubbed_of=())
    assert [one.kept for one in planted.promises] == [True, False]
