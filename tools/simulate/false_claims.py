"""How often a difference is claimed where there is none."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from jobs.statistics.sequential import decide
from jobs.statistics.signs import find_sign_test
from tools.simulate.section import Promise, Section, allowance, percent
from tools.simulate.sets import USUAL, conclude
from tools.simulate.truths import EVEN, Layout, Truth, alone, draw_sets

MOST = 0.05
"""Sets of which *helps* may be said without any difference; *hurts* likewise."""
SHARED = (
    Layout((2,) * 6),
    Layout((6, 5, 4, 3, 2, 1, 1, 1, 1)),
    Layout((4, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1)),
    Layout((2,) * 20),
    Layout((5,) * 8),
)
LAYOUTS: Sequence[Layout] = (*alone(5, 6, 8, 12, 20, 30, 50), *SHARED)
UNTIL_SURE: Sequence[Layout] = (*alone(8, 12, 20, 30, 50), *SHARED[1:])


class Cell(NamedTuple):
    """What was claimed for one truth and one layout; shares of all sets."""

    truth: Truth
    layout: Layout
    helps: float
    hurts: float
    careless: float
    """How often *helps* would be said by whoever does without what the rule takes care of."""


def simulate_false_claims(
    sets: int, seed: int, layouts: Sequence[Layout] = LAYOUTS
) -> list[Section]:
    """Sets without a difference, concluded from when they are whole."""
    cells = [
        measure_whole(truth, layout, sets, [seed, 100 + row, column])
        for row, layout in enumerate(layouts)
        for column, truth in enumerate(EVEN)
    ]
    return [
        _tell(
            "*helps* without a difference",
            f"{sets:,} sets of each of {len(EVEN)} truths without a difference a row. The last "
            "column is a sign test of the same sets that takes evals of one fixture for "
            "independent and knows no least share of net wins.",
            cells,
            sets,
        )
    ]


def simulate_until_sure(
    sets: int, seed: int, layouts: Sequence[Layout] = UNTIL_SURE
) -> list[Section]:
    """The same sets one by one, looked at after each, and ended when it is enough."""
    cells = [
        measure_until_sure(truth, layout, sets, [seed, 200 + row, column])
        for row, layout in enumerate(layouts)
        for column, truth in enumerate(EVEN)
    ]
    return [
        _tell(
            "*helps* without a difference, until sure",
            f"{sets:,} sets of each truth a row, looked at after every fixture and ended as "
            "soon as the evidence is enough or can no longer be. The last column is the fixed sign "
            "test, looked at after every eval.",
            cells,
            sets,
        )
    ]


def measure_whole(truth: Truth, layout: Layout, sets: int, seed: Sequence[int]) -> Cell:
    """What the rule says of whole sets."""
    drawn = draw_sets(np.random.default_rng(seed), truth, layout, sets).tolist()
    words = Counter(conclude(one, layout.names) for one in drawn)
    careless = sum((find_sign_test(one).p_higher or 1) <= USUAL.alpha for one in drawn)
    return Cell(
        truth, layout, words["helps"] / sets, words["hurts"] / sets, careless=careless / sets
    )


def measure_until_sure(truth: Truth, layout: Layout, sets: int, seed: Sequence[int]) -> Cell:
    """What is said of sets that end when it is enough, their evals in an order nobody chose."""
    random = np.random.default_rng(seed)
    drawn = draw_sets(random, truth, layout, sets)
    names = np.array(layout.names)
    words: Counter[str] = Counter()
    careless = 0
    for one in drawn:
        places = random.permutation(len(layout.sizes))
        order = np.argsort(places[names.astype(int)], kind="stable")  # fixture after fixture
        differences, shared = one[order].tolist(), names[order].tolist()
        end = find_end(differences, shared)
        words[conclude(differences[:end], shared[:end], sure=True)] += 1
        careless += any(
            (find_sign_test(differences[:seen]).p_higher or 1) <= USUAL.alpha
            for seen in range(1, layout.evals + 1)
        )
    return Cell(
        truth, layout, words["helps"] / sets, words["hurts"] / sets, careless=careless / sets
    )


def find_end(differences: Sequence[float], names: Sequence[str]) -> int:
    """After how many evals no more is measured; those of one fixture are looked at together."""
    nets: list[float] = []
    left = len(set(names))
    for name, group in groupby(zip(differences, names, strict=True), itemgetter(1)):
        own = find_sign_test([difference for difference, _ in group])
        nets.append(own.wins - own.losses)
        left -= 1
        up, down = sum(net > 0 for net in nets), sum(net < 0 for net in nets)
        if decide(up, down, left=left) != "open":
            return len(names) - names[::-1].index(name)
    return len(differences)


def _tell(title: str, text: str, cells: Sequence[Cell], sets: int) -> Section:
    rows, worst = [], 0.0
    for layout in dict.fromkeys(cell.layout for cell in cells):
        own = [cell for cell in cells if cell.layout == layout]
        helps, hurts, careless = (
            float(np.mean(shares))
            for shares in zip(*((one.helps, one.hurts, one.careless) for one in own), strict=True)
        )
        worst = max(worst, helps, hurts)
        most = max(own, key=lambda cell: cell.helps)
        rows.append(
            (
                *(str(layout), percent(helps), percent(hurts)),
                f"{percent(most.helps)} ({most.truth.name})",
                percent(careless),
            )
        )
    often = [
        f"{cell.truth.name}, {cell.layout}: {percent(max(cell.helps, cell.hurts))}"
        for cell in cells
        if max(cell.helps, cell.hurts) > MOST + allowance(MOST, sets)
    ]
    return Section(
        title,
        text,
        ("evals", "helps", "hurts", "most *helps*, of a truth", "careless"),
        rows,
        (
            Promise(
                f"without a difference at most {percent(MOST, 0)} are said to help, or to hurt",
                f"most {percent(worst)}",
                worst <= MOST,
            ),
            Promise(
                "nor does any truth by itself, but for chance",
                "; ".join(often) or "none of them",
                not often,
            ),
        ),
    )
