"""What a judge's faults do to scores: a planted preference for a place, and readings lost."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from jobs.judging.agreement import add_agreements, find_agreement, find_position_bias
from jobs.judging.blind import CANDIDATE_NAMES, get_arm
from jobs.judging.judge import Ungraded
from jobs.judging.score import score_run
from jobs.readings import JudgePass, Verdict
from jobs.values import Arm, Assertion, EvalCase, Usage
from tools.simulate.section import Promise, Section, percent
from tools.simulate.truths import Array

ASSERTIONS = 6
UNCLEAR = 0.4
"""Share of assertions on which the judge can be swayed; the others are plain."""
PLANTED = (0.0, 2.5, 5.0, 10.0, 20.0, 40.0)
"""Points by which an output does better where it stands first."""
POINTS = 2.0
"""How far what is measured may lie from what was planted."""
LOST = 0.3
"""Share of readings that come to nothing in an outage."""
FIRST = Arm.WITH_SKILL
"""The arm that stands first in the first reading, always: the worst case for that reading."""

CASE = EvalCase(
    id="simulated",
    prompt="p",
    expected_output="",
    assertions=tuple(
        Assertion(id=f"A{number}", text=f"assertion {number}")
        for number in range(1, ASSERTIONS + 1)
    ),
    target_skills=("skills/simulated",),
    source="issue",
    digest="d" * 64,
)


class Truly(NamedTuple):
    """What is true of a run's outputs: chances to be given a pass, by arm, then assertion."""

    chances: Array
    unclear: Array
    """Whether the judge can be swayed on it, likewise; 1 or 0."""

    @property
    def difference(self) -> float:
        """Of the scores that a judge without a preference gives, on average."""
        return float(self.chances[0].mean() - self.chances[1].mean())


def simulate_judging(sets: int, seed: int) -> list[Section]:
    """As many runs as there are sets elsewhere, for each judge."""
    return [_plant_preferences(sets, seed), _lose_readings(sets, seed)]


def _plant_preferences(runs: int, seed: int) -> Section:
    rows, off, left = [], 0.0, 0.0
    for number, planted in enumerate(PLANTED):
        random = np.random.default_rng([seed, 500, number])
        sway = planted / 100 / UNCLEAR / 2
        agreements, one_order, both_orders = [], [], []
        for _ in range(runs):
            truly = draw_outputs(random)
            passes = [read(random, truly, reading, sway) for reading in (1, 2)]
            agreements.append(find_agreement(passes))
            one_order.append(find_difference(passes[:1]) - truly.difference)
            both_orders.append(find_difference(passes) - truly.difference)
        agreement = add_agreements(agreements)
        bias = agreement and find_position_bias(agreement)
        measured = bias.points if bias else float("nan")
        off = max(off, abs(measured - planted))
        left = max(left, 100 * abs(float(np.mean(both_orders))))
        rows.append(
            (
                f"{planted:+.1f}",
                f"{measured:+.1f}",
                f"{100 * np.mean(one_order):+.1f}",
                f"{100 * np.mean(both_orders):+.1f}",
            )
        )
    return Section(
        "A preference for what stands first",
        f"{runs:,} runs a row, each read twice in swapped order by a judge that is swayed by place "
        f"on {percent(UNCLEAR, 0)} of {ASSERTIONS} assertions. All in points; the last two columns "
        "are by how much the difference of the scores is off, had one order been read or both.",
        ("planted", "measured", "one order", "both orders"),
        rows,
        (
            Promise(
                f"a planted preference is measured within {POINTS:.0f} points",
                f"at most {off:.1f} off",
                off <= POINTS,
            ),
            Promise(
                f"and cancels in the score, within {POINTS:.0f} points",
                f"at most {left:.1f} left",
                left <= POINTS,
            ),
        ),
    )


def _lose_readings(runs: int, seed: int) -> Section:
    """A judge that says the same of the same output, and an outage that takes readings away."""
    random = np.random.default_rng([seed, 600])
    counts = {2: 0, 1: 0, 0: 0}
    changed = booked = 0
    for _ in range(runs):
        truly = draw_outputs(random)
        certain = Truly(np.round(truly.chances), np.zeros_like(truly.unclear))
        whole = [read(random, certain, reading, 0) for reading in (1, 2)]
        lost = random.random(2) < LOST
        passes = [
            Ungraded("the model was not to be reached", Usage(), ()) if is_lost else one
            for is_lost, one in zip(lost.tolist(), whole, strict=True)
        ]
        counts[2 - int(lost.sum())] += 1
        scored, sound = score_run(CASE, FIRST, passes), score_run(CASE, FIRST, whole)
        if isinstance(scored, Ungraded):
            continue
        booked += bool(lost.any())
        changed += isinstance(sound, Ungraded) or (
            (scored.with_skill.score, scored.without_skill.score)
            != (sound.with_skill.score, sound.without_skill.score)
        )
    return Section(
        "An outage of the judge",
        f"{runs:,} runs; {percent(LOST, 0)} of all readings come to nothing, whichever they are.",
        ("readings left", "runs", "score"),
        (
            ("both", f"{counts[2]:,}", "as it is"),
            ("one", f"{counts[1]:,}", "none: one order would carry a preference for a place"),
            ("none", f"{counts[0]:,}", "none: ungraded"),
        ),
        (
            Promise("an outage changes no score", f"{changed} changed", not changed),
            Promise(
                "a run that lacks a reading has no score, and is no loss",
                f"{booked} of {counts[0] + counts[1]:,} have one",
                not booked,
            ),
        ),
    )


def draw_outputs(random: np.random.Generator) -> Truly:
    """Two outputs, the tested arm's the better one by a little."""
    unclear = (random.random((2, ASSERTIONS)) < UNCLEAR).astype(float)
    plain = (random.random((2, ASSERTIONS)) < np.array([[0.65], [0.5]])).astype(float)
    return Truly(np.where(unclear == 1, 1 / 2, plain), unclear)


def read(random: np.random.Generator, truly: Truly, number: int, sway: float) -> JudgePass:
    """A reading: what stands first is given a pass more often by `sway`, what does not less."""
    verdicts = []
    for name in CANDIDATE_NAMES:
        arm = 0 if get_arm(name, 1 if number == 1 else 2, FIRST) is FIRST else 1
        towards = sway if name == "candidate_1" else -sway
        given = random.random(ASSERTIONS) < truly.chances[arm] + towards * truly.unclear[arm]
        verdicts += [
            Verdict(
                assertion=assertion.id,
                candidate=name,
                verdict="pass" if is_given else "fail",
                evidence="a quotation",
                quote_found=True,
            )
            for assertion, is_given in zip(CASE.assertions, given.tolist(), strict=True)
        ]
    return JudgePass(
        number=1 if number == 1 else 2,
        verdicts=tuple(verdicts),
        usage=Usage(),
        served_model="a judge",
        asks=1,
        raw_answers=(),
    )


def find_difference(passes: Sequence[JudgePass]) -> float:
    """Of both arms' scores by the real rule."""
    scored = score_run(CASE, FIRST, passes)
    assert not isinstance(scored, Ungraded)
    return scored.with_skill.score - scored.without_skill.score
