"""`make chaos`: many seeds, what they have shown in figures, and how to repeat what broke."""

import asyncio
import logging
import os
from collections import Counter
from typing import Annotated

import typer

from demo.github import make_private_key
from tests.chaos.game import Outcome, Size, play
from tests.jobs.sessions.watching import adopting_orphans


def main(
    games: Annotated[int, typer.Option("--games", help="How many seeds to play.")] = 6,
    seed: Annotated[int, typer.Option("--seed", help="The first one.")] = 1,
    at_once: Annotated[int, typer.Option("--at-once", help="Games side by side.")] = 2,
) -> None:
    """Play games of chaos; exit code 1 where a promise was broken."""
    logging.getLogger("uvicorn.error").addFilter(lambda _: False)  # broken connections are meant
    with adopting_orphans():  # so that they can be counted
        outcomes = asyncio.run(_play_all(range(seed, seed + games), at_once))
    _tell(outcomes)
    raise typer.Exit(int(any(one.findings for one in outcomes)))


async def _play_all(seeds: range, at_once: int) -> list[Outcome]:
    key = make_private_key()
    slots = asyncio.Semaphore(at_once)

    async def one(seed: int) -> Outcome:
        async with slots:
            outcome = await play(seed, Size(), private_key_pem=key)
        _tell_one(outcome)
        return outcome

    return list(await asyncio.gather(*(one(seed) for seed in seeds)))


def _tell_one(outcome: Outcome) -> None:
    slowest = max((one.seconds for one in outcome.takeovers), default=0.0)
    typer.echo(
        f"seed {outcome.seed:<5} {'FAILED' if outcome.findings else 'held  '} "
        f"{outcome.seconds:5.0f} s  {outcome.askings} askings  "
        f"{outcome.broken.kills.total()} kills  {outcome.broken.faults.total()} faults  "
        f"sessions {outcome.finished} of {outcome.begun} begun  "
        f"takeovers {len(outcome.takeovers)} (slowest {slowest:.1f} s)"
    )
    for finding in outcome.findings:
        typer.echo(f"    {finding}")
    if outcome.findings:
        typer.echo(f"    logs: {outcome.folder}")
        typer.echo(f"    again: make chaos SEED={outcome.seed} N=1")


def _tell(outcomes: list[Outcome]) -> None:
    kills: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for one in outcomes:
        kills += one.broken.kills
        faults += one.broken.faults
    waits = sorted(wait.seconds for one in outcomes for wait in one.takeovers)
    rows = {
        "games": f"{len(outcomes)}, {sum(bool(one.findings) for one in outcomes)} failed",
        "askings": sum(one.askings for one in outcomes),
        "deliveries": sum(one.deliveries for one in outcomes),
        "kills": _counted(kills),
        "faults": _counted(faults),
        "sessions": f"{sum(o.finished for o in outcomes)} finished and charged once, "
        f"{sum(o.begun - o.finished for o in outcomes)} lost on the way",
        "judge's passes": f"{sum(o.readings for o in outcomes)} finished, "
        f"{sum(o.readings_begun - o.readings for o in outcomes)} lost on the way",
        "takeovers": f"{len(waits)}, median {waits[len(waits) // 2]:.1f} s, "
        f"slowest {waits[-1]:.1f} s"
        if waits
        else "none",
        "processor": f"{sum(os.times()[:4]):.0f} s",
    }
    for name, value in rows.items():
        typer.echo(f"{name:<15} {value}")


def _counted(counter: Counter[str]) -> str:
    named = ", ".join(f"{count} {name}" for name, count in sorted(counter.items()))
    return f"{counter.total()}: {named}" if named else "none"


if __name__ == "__main__":
    typer.run(main)
