"""What may be true of a skill, and sets of eval cases drawn from it.

A truth says how often an assertion passes without the skill, on how many eval cases the skill
helps or harms and by how much, how many assertions come out the same whatever one does, how often
a session breaks down, and how many trials there are. What is drawn is what a report sees: for each
eval case the mean over its trials of the difference between the scores of both arms.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Generator = np.random.Generator
Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
FEWEST_ASSERTIONS, MOST_ASSERTIONS = 3, 8
SETTLED_PASS = 0.6
"""Share of the settled assertions that pass, in both arms."""


class Truth(NamedTuple):
    """A skill's true worth, over all eval cases that could have been written for it."""

    name: str
    helped: float = 0
    """Share of eval cases on which it helps."""
    gain: float = 0
    """What it gains there, as a share of what was left to gain."""
    harmed: float = 0
    loss: float = 0
    """What it loses on the harmed ones, as a share of what there was."""
    passing: tuple[float, float] = (1.5, 1.5)
    """How often an assertion passes without it: the two parameters of a beta distribution."""
    settled: float = 0.3
    """Share of assertions that come out the same whatever one does."""
    broken: float = 0.03
    """Share of sessions that end with nothing."""
    trials: int = 1
    alike: float = 0.6
    """Chance that an eval case takes after its fixture, where fixtures are shared."""
    extreme: str = ""
    """Why an interval cannot keep its promise here; empty: it can."""

    @property
    def mean(self) -> float:
        """The true mean difference of the scores."""
        first, second = self.passing
        passes = first / (first + second)
        shift = self.helped * self.gain * (1 - passes) - self.harmed * self.loss * passes
        return (1 - self.broken) * (1 - self.settled) * shift


class Layout(NamedTuple):
    """How many eval cases, and how many of them share each fixture."""

    sizes: tuple[int, ...]

    @property
    def evals(self) -> int:
        return sum(self.sizes)

    @property
    def names(self) -> list[str]:
        """The fixture of each eval case."""
        return [str(number) for number, size in enumerate(self.sizes) for _ in range(size)]

    @property
    def shared(self) -> bool:
        return self.evals > len(self.sizes)

    def __str__(self) -> str:
        return f"{self.evals} in {len(self.sizes)}" if self.shared else str(self.evals)


EVEN = (
    Truth("arms alike, noisy"),
    Truth("arms alike, five trials", trials=5),
    Truth("arms alike, 3 of 4 settled", settled=0.75, broken=0.01),
    Truth("arms alike, baseline high", passing=(8, 1), settled=0.4, trials=2),
    Truth("helps as often as it harms", 0.4, 0.7, 0.4, 0.7, trials=3),
    Truth("the fixture decides which", 0.5, 0.9, 0.5, 0.9, trials=3, alike=0.95),
)
"""Truths without a difference."""

TRUTHS = (
    *EVEN,
    Truth("small gain everywhere", 1, 0.1, trials=3),
    Truth("large gain everywhere", 1, 0.6),
    Truth("large gain, 3 of 4 settled", 1, 0.6, settled=0.75, broken=0.01, trials=2),
    Truth("large gain on 3 of 10", 0.3, 0.8),
    Truth("large gain on 1 of 5", 0.2, 0.8, settled=0.5, trials=2),
    Truth("baseline high, half gain", 0.5, 0.8, passing=(8, 1), settled=0.4),
    Truth("all or nothing on every other", 0.5, 1, passing=(1, 8), settled=0.0, trials=5),
    Truth("gains on 4 of 10, loses on 2", 0.4, 0.7, 0.2, 0.6, trials=2),
    Truth("small loss everywhere", 0, 0, 1, 0.15, trials=3),
    Truth(
        "all or nothing on 1 of 7",
        *(0.15, 1, 0, 0, (0.7, 2.5), 0.1, 0.03, 3),
        extreme="what is rare and large is often not in a small set at all",
    ),
    Truth(
        "arms alike, 19 of 20 settled",
        settled=0.95,
        broken=0.01,
        extreme="two or three eval cases that differ exclude nothing, and should not",
    ),
)


def draw_sets(random: Generator, truth: Truth, layout: Layout, count: int) -> Array:
    """So many sets, one a row: the difference of each eval case, as a fraction."""
    shape = (count, layout.evals)
    chosen = random.random(shape)
    passes = random.beta(*truth.passing, shape)
    if layout.shared:
        fixtures = np.repeat(np.arange(len(layout.sizes)), layout.sizes)
        alike = random.random(shape) < truth.alike
        per_fixture = (count, len(layout.sizes))
        chosen = np.where(alike, random.random(per_fixture)[:, fixtures], chosen)
        passes = np.where(alike, random.beta(*truth.passing, per_fixture)[:, fixtures], passes)
    helped, harmed = chosen < truth.helped, chosen > 1 - truth.harmed
    tested = np.where(helped, passes + truth.gain * (1 - passes), passes)
    tested = np.where(harmed, passes * (1 - truth.loss), tested)
    assertions = random.integers(FEWEST_ASSERTIONS, MOST_ASSERTIONS + 1, shape)
    open_ones = random.binomial(assertions, 1 - truth.settled)
    settled = random.binomial(assertions - open_ones, SETTLED_PASS)
    differences = np.zeros(shape)
    for _ in range(truth.trials):
        scores = [
            (random.random(shape) >= truth.broken) * (random.binomial(open_ones, rate) + settled)
            for rate in (tested, passes)
        ]
        differences += (scores[0] - scores[1]) / assertions
    return differences / truth.trials


def alone(*counts: int) -> Sequence[Layout]:
    """Layouts in which no eval case shares anything."""
    return [Layout((1,) * count) for count in counts]
