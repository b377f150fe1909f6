"""`make fuzz`: every kind of hostile input at the real readers, and deliveries at the real door.

`python -m tools.fuzz [count] [seed] [--grow]`. A finding is an exception that its subject does
not name, a 5xx, an input that takes seconds or gigabytes. What led to one lies in `.fuzz/`.
"""

import argparse
import asyncio
import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tools.fuzz import door
from tools.fuzz.deliveries import DeliveryMaker
from tools.fuzz.growth import find_steep
from tools.fuzz.kinds import Figures, Kind, prepare_process, run_kind
from tools.fuzz.models import model_kinds
from tools.fuzz.packed import packed_kinds
from tools.fuzz.texts import text_kinds

GROUPS: tuple[Callable[[Path], list[Kind]], ...] = (text_kinds, model_kinds, packed_kinds)
AT_ONCE = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print the figures, and give 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=20_000)
    parser.add_argument("seed", type=int, nargs="?", default=random.randrange(10**6))  # noqa: S311
    parser.add_argument("--grow", action="store_true", help="also measure how times grow")
    asked = parser.parse_args(arguments)
    print(f"count {asked.count}, seed {asked.seed}")
    began = time.perf_counter()
    findings = asyncio.run(try_door(asked.count, asked.seed))
    jobs = [
        (group, number, asked.count, asked.seed, asked.grow)
        for group, size in zip(GROUPS, count_kinds(), strict=True)
        for number in range(size)
    ]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(AT_ONCE, context, max_tasks_per_child=1) as pool:
        for figures, steep in pool.map(try_kind, jobs):
            show(figures, steep)
            findings += figures.findings
    print(f"{time.perf_counter() - began:.0f} s in all, {len(findings)} findings")
    for finding in findings:
        print(f"\n{finding}")
    return 1 if findings else 0


def count_kinds() -> list[int]:
    """How many kinds each group holds."""
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / str(number) for number in range(len(GROUPS))]
        for folder in folders:
            folder.mkdir()
        return [len(group(folder)) for group, folder in zip(GROUPS, folders, strict=True)]


def try_kind(
    job: tuple[Callable[[Path], list[Kind]], int, int, int, bool],
) -> tuple[Figures, list[str]]:
    """One kind, in a process of its own."""
    group, number, count, seed, grow = job
    prepare_process()
    with tempfile.TemporaryDirectory() as place:
        kind = group(Path(place))[number]
        figures = run_kind(kind, max(20, round(count * kind.share)), seed)
        steep = [
            f"{one.shape}: {one.short_s:.2f} s, four times as long {one.long_s:.2f} s"
            for one in (find_steep(kind) if grow else ())
        ]
    return figures, steep


def show(figures: Figures, steep: Sequence[str]) -> None:
    """One line for a kind, and one for each shape that is steeper than it should be."""
    outcomes = ", ".join(f"{count} {name}" for name, count in figures.outcomes.most_common(6))
    print(
        f"{figures.name:26} {figures.inputs:6} inputs  slowest {figures.slowest_s:6.3f} s"
        f" ({figures.slowest})  +{figures.memory_mb} MB  {outcomes}",
        flush=True,
    )
    for line in steep:
        print(f"    steep: {line}", flush=True)


async def try_door(count: int, seed: int) -> list[str]:
    """Deliveries at the door, their events at the handlers; gives what was found."""
    with tempfile.TemporaryDirectory() as place:
        async with door.opened(Path(place)) as opened:
            maker = DeliveryMaker(seed, opened.installation_id)
            before = opened.web.peak_mb()
            answered = await door.knock(opened, maker, count)
            grew = opened.web.peak_mb() - before
            handled = await door.handle(opened)
            away = await door.knock_without_redis(opened, maker)
            errors = opened.web.errors()
    print(
        f"deliveries                 {count:6} inputs  slowest {answered.slowest_s:6.3f} s"
        f"  +{grew} MB  {dict(answered.statuses.most_common())}"
    )
    print(
        f"events handled             {handled.outcomes.total():6} inputs  slowest "
        f"{handled.slowest_s:6.3f} s  {dict(handled.outcomes)}, {handled.requests} requests queued"
    )
    print(f"deliveries without Redis   {away.total():6} inputs  {dict(away)}", flush=True)
    return [*answered.findings, *handled.findings, *errors[:10]]
