"""Whether intervals of the mean difference hold it as often as they say."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from jobs.statistics.intervals import Interval
from jobs.statistics.paired import find_paired_interval
from tools.simulate.section import Promise, Section, allowance, percent
from tools.simulate.truths import TRUTHS, Layout, Truth, alone, draw_sets

LEAST, MOST = 0.93, 0.97
"""Of intervals that claim 95 %; the second from `FEWEST_FOR_MOST` evals up."""
FEWEST_FOR_MOST = 20
LAYOUTS: Sequence[Layout] = (
    *alone(6, 8, 10, 12, 15, 20, 30, 50),
    Layout((2,) * 6),
    Layout((4, 3, 1, 1, 1, 1, 1)),
    Layout((8, 5, 3, 2, 1, 1)),
    Layout((6, 5, 4, 3, 2, 1, 1, 1, 1)),
    Layout((4, 4, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1)),
    Layout((2,) * 20),
)


class FindInterval(Protocol):
    """What gives an interval of a mean of differences."""

    def __call__(
        self, differences: Sequence[float], *, clusters: Sequence[str]
    ) -> Interval | None: ...


class Cell(NamedTuple):
    """What was found for one truth and one layout."""

    truth: Truth
    layout: Layout
    given: int
    """Sets that have an interval."""
    covered: int
    """Of these, how many hold the true mean."""
    width: float
    """Mean width, as a fraction."""

    @property
    def rate(self) -> float:
        return self.covered / self.given


def simulate_coverage(
    sets: int,
    seed: int,
    layouts: Sequence[Layout] = LAYOUTS,
    find: FindInterval = find_paired_interval,
) -> list[Section]:
    """`sets` sets of each truth and layout; `find` gives the interval of differences and names."""
    cells = []
    for row, layout in enumerate(layouts):
        for column, truth in enumerate(TRUTHS):
            drawn = draw_sets(np.random.default_rng([seed, row, column]), truth, layout, sets)
            found = [find(one, clusters=layout.names) for one in drawn.tolist()]
            cells.append(_count(truth, layout, found))
    return [_tell_by_layout(cells, sets), _tell_by_truth(cells)]


def _count(truth: Truth, layout: Layout, found: Sequence[Interval | None]) -> Cell:
    given = [one for one in found if one is not None]
    return Cell(
        truth,
        layout,
        given=len(given),
        covered=sum(one.low <= truth.mean <= one.high for one in given),
        width=float(np.mean([one.high - one.low for one in given])),
    )


def _tell_by_layout(cells: Sequence[Cell], sets: int) -> Section:
    rows, rates = [], {}
    for layout in dict.fromkeys(cell.layout for cell in cells):
        own = [cell for cell in cells if cell.layout == layout]
        given = sum(cell.given for cell in own)
        rates[layout] = sum(cell.covered for cell in own) / given
        usual = [cell for cell in own if not cell.truth.extreme]
        rows.append(
            (
                str(layout),
                percent(given / (sets * len(own))),
                percent(rates[layout]),
                percent(min(cell.rate for cell in usual)),
                percent(max(cell.rate for cell in usual)),
                f"{100 * np.mean([cell.width for cell in own]):.0f}",
            )
        )
    large = [0.0, *(rate for one, rate in rates.items() if one.evals >= FEWEST_FOR_MOST)]
    return Section(
        "Intervals of the mean difference, by number of evals",
        f"{sets:,} sets of each of {len(TRUTHS)} truths a row, intervals that claim 95 %. "
        "*24 in 9* are 24 evals that share nine fixtures of unequal size.",
        ("evals", "has one", "holds the truth", "least, of a truth", "most", "width, points"),
        rows,
        (
            Promise(
                f"at least {percent(LEAST, 0)} hold the truth, whatever the number of evals",
                f"least {percent(min(rates.values()))}",
                min(rates.values()) >= LEAST,
            ),
            Promise(
                f"at most {percent(MOST, 0)} do from {FEWEST_FOR_MOST} evals up: none is too wide",
                f"most {percent(max(large))}",
                max(large) <= MOST,
            ),
        ),
    )


def _tell_by_truth(cells: Sequence[Cell]) -> Section:
    rows, poor = [], []
    for truth in TRUTHS:
        own = [cell for cell in cells if cell.truth == truth]
        rows.append(
            (
                truth.name + ("*" if truth.extreme else ""),
                f"{100 * truth.mean:+.1f}",
                *(percent(cell.rate) for cell in own),
            )
        )
        poor += [
            f"{truth.name}, {cell.layout}: {percent(cell.rate)}"
            for cell in own
            if not truth.extreme and cell.rate < LEAST - allowance(LEAST, cell.given)
        ]
    marked = "; ".join(f"{truth.name}: {truth.extreme}" for truth in TRUTHS if truth.extreme)
    return Section(
        "The same, by truth",
        f"How often the interval holds the mean. * beyond what an interval can do ({marked}).",
        (
            "truth",
            "mean, points",
            *(str(layout) for layout in dict.fromkeys(cell.layout for cell in cells)),
        ),
        rows,
        (
            Promise(
                f"at least {percent(LEAST, 0)} for each truth without a star, but for chance",
                "; ".join(poor) or "all of them",
                not poor,
            ),
        ),
    )
