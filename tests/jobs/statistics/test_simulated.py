"""What reports promise of their figures, in the short form of `make simulate`."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from jobs.statistics.intervals import Interval
from jobs.statistics.paired import find_paired_interval
from tools.simulate.coverage import simulate_coverage
from tools.simulate.false_claims import simulate_false_claims, simulate_until_sure
from tools.simulate.judging import simulate_judging
from tools.simulate.power import simulate_power
from tools.simulate.repeats import simulate_repeats
from tools.simulate.run import Simulation, main
from tools.simulate.section import Promise, Section, render
from tools.simulate.truths import Layout, alone

FIXTURES = (3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1)
SOME: Sequence[Layout] = (*alone(6, 12, 20, 30), Layout(FIXTURES), Layout((5,) * 8))


def list_broken(sections: Sequence[Section]) -> list[str]:
    assert all(section.promises and section.rows for section in sections)
    return [one.text for section in sections for one in section.promises if not one.kept]


def test_intervals_hold_the_truth_as_often_as_they_say():
    assert list_broken(simulate_coverage(150, 7, SOME)) == []


def test_nothing_helps_where_there_is_no_difference():
    assert list_broken(simulate_false_claims(150, 7, SOME)) == []


def test_nor_if_one_looks_after_every_eval():
    assert list_broken(simulate_until_sure(100, 7, SOME[1:])) == []


def test_identical_arms_pass_seldom_and_a_favoured_one_is_noticed():
    assert list_broken(simulate_repeats(60, 7)) == []


def test_what_is_there_is_seen_as_often_as_printed():
    assert list_broken(simulate_power(300, 7)) == []


def test_a_planted_preference_is_found_and_cancels_and_an_outage_changes_no_score():
    assert list_broken(simulate_judging(300, 7)) == []


def stretch(factor: float) -> Callable[..., Interval | None]:
    """The intervals, narrower or wider than they should be."""

    def find(differences: Sequence[float], *, clusters: Sequence[str]) -> Interval | None:
        found = find_paired_interval(differences, clusters=clusters)
        if found is None:
            return None
        middle, reach = (found.low + found.high) / 2, factor * (found.high - found.low) / 2
        return Interval(middle - reach, middle + reach)

    return find


def forget_fixtures(differences: Sequence[float], *, clusters: Sequence[str]) -> Interval | None:
    return find_paired_interval(differences)


@pytest.mark.parametrize(
    ("find", "layout", "broken"),
    [
        (stretch(0.85), Layout((1,) * 20), "at least 93 %"),
        (stretch(1.2), Layout((1,) * 20), "at most 97 %"),
        (forget_fixtures, Layout((5,) * 8), "at least 93 %"),
    ],
)
def test_intervals_that_are_wrong_are_found_out(
    find: Callable[..., Interval | None], layout: Layout, broken: str
):
    assert list_broken(simulate_coverage(150, 7, [layout], find))[0].startswith(broken)


def test_the_same_seed_gives_the_same_tables():
    first, second = (simulate_coverage(20, 3, alone(8)) for _ in range(2))
    assert [render(one) for one in first] == [render(one) for one in second]
    assert [render(one) for one in simulate_coverage(20, 4, alone(8))] != list(map(render, first))


def simulate_nothing(sets: int, seed: int) -> list[Section]:
    return [Section("Nothing", "Text.", ("a", "b"), [("x", f"{sets}")])]


def simulate_a_lie(sets: int, seed: int) -> list[Section]:
    return [replace(simulate_nothing(sets, seed)[0], promises=[Promise("it is", "is not", False)])]


@pytest.mark.parametrize(
    ("simulations", "code"), [([simulate_nothing], 0), ([simulate_nothing, simulate_a_lie], 1)]
)
def test_a_broken_promise_ends_the_program_with_1(
    simulations: list[Simulation], code: int, capsys: pytest.CaptureFixture[str]
):
    assert main(["--sets", "12"], simulations) == code
    printed = capsys.readouterr().out
    assert "| x | 12 |" in printed
    assert ("❌ it is: is not" in printed) == bool(code)
    assert f"promises broken: {code}" in printed
