"""Carries out the runs of a line one after the other, until its set is sure."""

import asyncio
from collections.abc import Awaitable, Callable

from jobs.living_comment import LivingComment
from jobs.reporting.until_sure import render_look
from jobs.sequential.evals import Line, note_not_needed
from jobs.sequential.look import Look
from jobs.values import RunSpec
from jobs.world import World

Run = Callable[[int, RunSpec], Awaitable[None]]
"""Carries out the run in a row of the living comment."""


async def run_line(line: Line, run: Run, living: LivingComment, world: World) -> None:
    """Carry out the runs; those that are not needed are never begun, and their rows say why."""
    if not line.may_stop:
        for row, spec in zip(line.rows, line.specs, strict=True):
            await run(row, spec)
        return
    done = 0
    while (look := await line.look(done, world.ledger)).decision == "open":
        await run(line.rows[done], line.specs[done])
        done += 1
    await _leave(line, done, look, living, world)
    told = await asyncio.to_thread(render_look, look, line.specs[0], spared=len(line.rows) - done)
    living.tell_stop(told)


async def _leave(line: Line, done: int, look: Look, living: LivingComment, world: World) -> None:
    """Begin none of the rest."""
    is_sure = look.decision in {"higher", "lower"}
    why = "it is sure without it" if is_sure else "nothing it shows could be enough any more"
    for row, spec in zip(line.rows[done:], line.specs[done:], strict=True):
        await note_not_needed(spec, world.runs.blobs)
        living.change(row, state="not_needed", detail=why)
