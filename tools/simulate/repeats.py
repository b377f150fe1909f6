"""What A/A runs say: where arms are alike, and where something favours one of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jobs.conclusions.verdict import conclude_set
from tools.simulate.section import Promise, Section, percent
from tools.simulate.sets import USUAL, make_set
from tools.simulate.truths import EVEN, Truth, alone, draw_sets

ALIKE = (EVEN[0], EVEN[4])
FAVOURED = Truth("one arm is favoured", 1, 0.6)
"""As if one of two identical arms had the better machine."""
SIZES = (8, 20)
ROUNDS = (1, 3)
MOST = 0.10
"""Rounds of identical arms that the rule may pass, 5 % either way."""
LEAST_FOUND = 0.8
"""Sets of the larger size, with three rounds, in which an arm that is favoured must be noticed."""


class Row(NamedTuple):
    """What was found over many sets."""

    truth: Truth
    evals: int
    rounds: int
    flips: float
    false_wins: float
    """Shares of all A/A runs."""
    passed: float
    """Share of all rounds that the rule passes."""
    invalid: float
    """Share of sets that are called invalid."""


def simulate_repeats(sets: int, seed: int) -> list[Section]:
    """Sets with A/A runs of their own."""
    rows = [
        measure(truth, evals, rounds, sets, [seed, 700, column, evals, rounds])
        for column, truth in enumerate((*ALIKE, FAVOURED))
        for evals in SIZES
        for rounds in ROUNDS
    ]
    alike = [row for row in rows if row.truth != FAVOURED]
    passed = sum(row.passed * row.rounds for row in alike) / sum(row.rounds for row in alike)
    found = next(
        row.invalid for row in rows if (row.truth, *row[1:3]) == (FAVOURED, SIZES[-1], ROUNDS[-1])
    )
    return [
        Section(
            "A/A runs",
            f"{sets:,} sets a row, held against themselves. The last column says how often the "
            "set is called *invalid* because of them.",
            ("truth", "evals", "rounds", "flips", "false wins", "rounds that pass", "invalid"),
            [
                (
                    *(row.truth.name, str(row.evals), str(row.rounds)),
                    *(percent(row.flips), percent(row.false_wins)),
                    *(percent(row.passed), percent(row.invalid)),
                )
                for row in rows
            ],
            (
                Promise(
                    f"the rule passes identical arms at most {percent(MOST, 0)} of the time",
                    percent(passed),
                    passed <= MOST,
                ),
                Promise(
                    f"three rounds over {SIZES[-1]} evals find out at least "
                    f"{percent(LEAST_FOUND, 0)} of the time that one arm is favoured",
                    percent(found),
                    found >= LEAST_FOUND,
                ),
            ),
        )
    ]


def measure(truth: Truth, evals: int, rounds: int, sets: int, seed: Sequence[int]) -> Row:
    """A set's own runs and its A/A runs are drawn from the same truth."""
    [layout] = alone(evals)
    drawn = draw_sets(np.random.default_rng(seed), truth, layout, sets * (rounds + 1))
    flips = wins = passed = invalid = 0
    for own, *repeats in drawn.reshape(sets, rounds + 1, evals).tolist():
        verdict = conclude_set(make_set(own, layout.names, rounds=repeats), USUAL)
        assert verdict.repeats is not None
        flips += verdict.repeats.flips.successes
        wins += verdict.repeats.false_wins.successes
        passed += verdict.repeats.rounds.successes
        invalid += verdict.word == "invalid"
    runs = sets * rounds * evals
    return Row(
        *(truth, evals, rounds),
        *(flips / runs, wins / runs, passed / sets / rounds, invalid / sets),
    )
