"""The sets of a repository with their verdicts, for whoever has its records."""

import asyncio
from collections.abc import Sequence

from config.settings import Settings
from jobs.conclusions.sets import EvalSet, find_set_of, find_sets, keep_newest
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import conclude_set
from jobs.conclusions.words import Concluded, render_line
from jobs.results import RunRecord, leave_out_pulls

FEWEST_SHOWN = 2
"""Eval cases from which a set is spoken of: one alone is told in its own report."""


async def conclude_sets(sets: Sequence[EvalSet], settings: Settings) -> list[Concluded]:
    """Each set with its verdict, in the order given."""
    limits = Thresholds.of(settings)
    return await asyncio.to_thread(
        lambda: [Concluded(one, conclude_set(one, limits)) for one in sets]
    )


async def find_newest_sets(records: Sequence[RunRecord], settings: Settings) -> list[Concluded]:
    """The sets worth speaking of, each of the newest version under its conditions."""
    sets = [one for one in keep_newest(find_sets(records)) if len(one.rows) >= FEWEST_SHOWN]
    return await conclude_sets(sets, settings)


async def find_set_line(record: RunRecord, records: Sequence[RunRecord], settings: Settings) -> str:
    """What a run's report says of its set, as a line of Markdown; empty where there is none.

    A run of a pull request is counted with those of the same pull request.
    """
    found = find_set_of(record, leave_out_pulls(records, but=record.pull))
    if found is None or len(found.rows) < FEWEST_SHOWN:
        return ""
    [concluded] = await conclude_sets([found], settings)
    return render_line(concluded)
