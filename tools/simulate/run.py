"""`make simulate`: what reports promise of their figures, against worlds whose truth is known.

`python -m tools.simulate [--sets 2000] [--seed 1]` prints Markdown tables, each with the promises
that it shows, and ends with 1 where one is broken. The same seed gives the same tables.
"""

import argparse
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor

from tools.simulate.coverage import simulate_coverage
from tools.simulate.false_claims import simulate_false_claims, simulate_until_sure
from tools.simulate.judging import simulate_judging
from tools.simulate.leaks import simulate_leaks
from tools.simulate.power import simulate_power
from tools.simulate.repeats import simulate_repeats
from tools.simulate.section import Section, render

SETS = 2_000
SEED = 1
AT_ONCE = 2
Simulation = Callable[[int, int], list[Section]]
SIMULATIONS: tuple[Simulation, ...] = (
    simulate_coverage,
    simulate_false_claims,
    simulate_until_sure,
    simulate_repeats,
    simulate_power,
    simulate_judging,
    simulate_leaks,
)


def main(
    arguments: Sequence[str] | None = None, simulations: Sequence[Simulation] = SIMULATIONS
) -> int:
    """Run, print the tables, and give 0 if every promise was kept."""
    parser = argparse.ArgumentParser(prog="simulate", description=__doc__)
    parser.add_argument("--sets", type=int, default=SETS, help="simulated sets a cell")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    began = time.perf_counter()
    broken = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(AT_ONCE, context) as pool:
        begun = [pool.submit(one, asked.sets, asked.seed) for one in simulations]
        for future in begun:
            for section in future.result():
                print(render(section), end="\n\n", flush=True)
                broken += [one for one in section.promises if not one.kept]
    print(
        f"{asked.sets:,} sets a cell, seed {asked.seed}, {time.perf_counter() - began:.0f} s; "
        f"promises broken: {len(broken)}"
    )
    return 1 if broken else 0
