"""Whether what is there is seen as often as it is printed."""

from collections.abc import Sequence

import numpy as np

from jobs.statistics.signs import (
    Floors,
    find_evals_needed,
    find_power,
    find_set_power,
    find_sign_test,
)
from tools.simulate.section import Promise, Section, allowance, percent
from tools.simulate.sets import SIZE, USUAL, conclude

NON_TIES = (5, 8, 11, 18, 37, 42)
WIN_RATES = (0.6, 0.7, 0.8, 0.9)
TIE_RATES = (0.0, 0.3, 0.6)


def simulate_power(sets: int, seed: int) -> list[Section]:
    """The power of the sign test, and of sets as large as they are said to have to be."""
    return [_compare_power(sets, seed), _try_needed(sets, seed)]


def _compare_power(sets: int, seed: int) -> Section:
    rows, farthest, wrong = [], 0.0, []
    for count in NON_TIES:
        row = [str(count)]
        for rate in WIN_RATES:
            printed = find_power(count, rate, USUAL.alpha)
            random = np.random.default_rng([seed, 300, count, round(100 * rate)])
            seen = sum(
                (find_sign_test(one).p_higher or 1) <= USUAL.alpha
                for one in np.where(random.random((sets, count)) < rate, SIZE, -SIZE).tolist()
            )
            row.append(f"{100 * printed:.0f} / {100 * seen / sets:.0f} %")
            farthest = max(farthest, abs(printed - seen / sets))
            if abs(printed - seen / sets) > allowance(printed, sets) + 1 / sets:
                wrong.append(f"{count} evals at {percent(rate, 0)}")
        rows.append(row)
    return Section(
        "Power of the sign test, printed / simulated",
        f"One-sided {percent(USUAL.alpha, 0)}, {sets:,} sets each. Power saw-tooths: 8 evals "
        f"see a win rate of 90 % more often than 9 do ({percent(find_power(8, 0.9, 0.05), 0)}, "
        f"{percent(find_power(9, 0.9, 0.05), 0)}).",
        ("evals that differ", *(f"{percent(rate, 0)} wins" for rate in WIN_RATES)),
        rows,
        (
            Promise(
                "power is what is printed, but for chance",
                "; ".join(wrong) or f"at most {100 * farthest:.1f} points apart",
                not wrong,
            ),
        ),
    )


def _try_needed(sets: int, seed: int) -> Section:
    floors = Floors(non_ties=USUAL.fewest, net=USUAL.net_wins)
    rows, weak = [], []
    for tie_rate in TIE_RATES:
        for rate in WIN_RATES:
            needed = find_evals_needed(
                rate, alpha=USUAL.alpha, power=USUAL.power, tie_rate=tie_rate, floors=floors
            )
            if needed is None:
                rows.append((percent(rate, 0), percent(tie_rate, 0), "no number", "", ""))
                continue
            printed = find_set_power(
                needed, rate, alpha=USUAL.alpha, tie_rate=tie_rate, floors=floors
            )
            random = np.random.default_rng([seed, 400, round(100 * tie_rate), round(100 * rate)])
            helps = _count_helps(_draw(random, (sets, needed), rate, tie_rate)) / sets
            rows.append(
                (
                    *(percent(rate, 0), percent(tie_rate, 0), str(needed)),
                    *(percent(printed), percent(helps)),
                )
            )
            if abs(printed - helps) > allowance(printed, sets) + 1 / sets:
                weak.append(f"{needed} evals at {percent(rate, 0)}: {percent(helps)}")
    return Section(
        "Evals that are needed",
        f"How often sets of so many evals are said to help, by the whole rule: one-sided "
        f"{percent(USUAL.alpha, 0)}, at least {USUAL.fewest} evals that differ, net wins of "
        f"at least {percent(USUAL.net_wins, 0)} of all. {sets:,} sets each.",
        ("wins among evals that differ", "ties", "evals needed", "printed", "simulated"),
        rows,
        (
            Promise(
                f"so many evals do show it at least {percent(USUAL.power, 0)} of the time",
                "; ".join(weak) or "all of them",
                not weak,
            ),
        ),
    )


def _draw(
    random: np.random.Generator, shape: tuple[int, int], win_rate: float, tie_rate: float
) -> list[list[float]]:
    won = np.where(random.random(shape) < win_rate, SIZE, -SIZE)
    found: list[list[float]] = np.where(random.random(shape) < tie_rate, 0, won).tolist()
    return found


def _count_helps(sets: Sequence[Sequence[float]]) -> int:
    """Of sets whose evals share nothing, those that are said to help."""
    names = [str(number) for number in range(len(sets[0]))]
    return sum(conclude(one, names) == "helps" for one in sets)
