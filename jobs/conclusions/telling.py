"""The sets of a repository with their verdicts, for whoever has its records."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from config.settings import Settings
from jobs.conclusions.sets import (
    SELF,
    EvalSet,
    SetKey,
    find_earlier,
    find_set_of,
    find_sets,
    keep_newest,
)
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import conclude_set
from jobs.conclusions.words import (
    Concluded,
    render_line,
    render_repeats_line,
    say_multiplicity,
)
from jobs.results import RunRecord, leave_out_pulls
from jobs.values import RunSpec

FEWEST_SHOWN = 2
"""Eval cases from which a set is spoken of: one alone is told in its own report."""
MOST_LINES = 10
"""Sets at the end of a request."""
MOST_SETS = 20
"""Sets in a table."""


async def conclude_sets(
    sets: Sequence[EvalSet], settings: Settings, *, counts_needed: bool = True
) -> list[Concluded]:
    """Each set with its verdict, in the order given; as `conclude_set` does."""
    limits = Thresholds.of(settings)
    return await asyncio.to_thread(
        lambda: [
            Concluded(one, conclude_set(one, limits, counts_needed=counts_needed)) for one in sets
        ]
    )


async def find_newest_sets(
    records: Sequence[RunRecord],
    settings: Settings,
    *,
    about: Callable[[str], bool] | None = None,
    most: int = MOST_SETS,
) -> tuple[list[Concluded], int]:
    """The sets worth speaking of, each of the newest version, and how many more there are.

    `about` says of a skill's path whether it is asked for; None: all are. How many eval cases a
    set lacks is not worked out.
    """
    sets = [one for one in keep_newest(find_sets(records)) if len(one.rows) >= FEWEST_SHOWN]
    asked = [one for one in sets if about is None or about(one.key.skill)]
    concluded = await conclude_sets(asked[:most], settings, counts_needed=False)
    return concluded, max(len(asked) - most, 0)


class SetNow(NamedTuple):
    """The set of a skill's newest version, and what was known of the one before."""

    now: Concluded
    earlier: Concluded | None
    """Where that is larger."""


async def find_sets_now(
    records: Sequence[RunRecord], skill: str, settings: Settings
) -> list[SetNow]:
    """The sets of a skill against no skill, those of one eval case too, the newest first."""
    sets = [one for one in find_sets(records) if one.key.skill == skill and one.key.vs == "none"]
    found = []
    for one in keep_newest(sets):
        before = find_earlier(one, sets)
        told = await conclude_sets([one] if before is None else [one, before], settings)
        found.append(SetNow(told[0], told[1] if before is not None else None))
    return found


async def find_set_line(record: RunRecord, records: Sequence[RunRecord], settings: Settings) -> str:
    """What a run's report says of its set, as a line of Markdown; empty where there is none.

    A run of a pull request is counted with those of the same pull request. One of a version
    against itself is told with the A/A runs of the set.
    """
    if record.vs == SELF:
        return await _find_repeats_line(record, leave_out_pulls(records, but=record.pull), settings)
    found = find_set_of(record, leave_out_pulls(records, but=record.pull))
    if found is None or len(found.rows) < FEWEST_SHOWN:
        return ""
    [concluded] = await conclude_sets([found], settings)
    return render_line(concluded)


async def _find_repeats_line(
    record: RunRecord, records: Sequence[RunRecord], settings: Settings
) -> str:
    """What the A/A runs of a set say with this one; empty where there is no set."""
    others = [one for one in records if one.run != record.run]
    key = SetKey.of(record)
    sets = find_sets([*others, record])
    found = [one for one in sets if one.key._replace(vs=SELF) == key and one.rounds]
    concluded = await conclude_sets(found[:1], settings, counts_needed=False)
    return "".join(render_repeats_line(one) for one in concluded)


async def find_request_lines(
    runs: Sequence[RunSpec], records: Sequence[RunRecord], settings: Settings
) -> tuple[str, ...]:
    """What the end of a request says of the sets that it added to, as lines of Markdown.

    Only of skills that it ran several eval cases of: a single one is told in its report.
    """
    evals: dict[str, set[str]] = defaultdict(set)
    for spec in runs:
        evals[spec.skill.path].add(spec.eval_case.id)
    ids = {one.run_id for one in runs if len(evals[one.skill.path]) >= FEWEST_SHOWN}
    pull = next((one.pull for one in runs), 0)
    sets = find_sets(leave_out_pulls(records, but=pull)) if ids else []
    added = [one for one in sets if ids & {row.record.run for row in one.rows}]
    return await _render_lines(added, settings)


async def find_version_lines(
    shas: Collection[str], records: Sequence[RunRecord], settings: Settings, *, pull: int = 0
) -> tuple[str, ...]:
    """The same of versions that a push or a pull request brings."""
    sets = keep_newest(find_sets(leave_out_pulls(records, but=pull)))
    return await _render_lines([one for one in sets if one.key.sha in shas], settings)


async def _render_lines(sets: Sequence[EvalSet], settings: Settings) -> tuple[str, ...]:
    """A line for each set of several eval cases, and what it means that there are several."""
    told = [one for one in sets if len(one.rows) >= FEWEST_SHOWN]
    concluded = await conclude_sets(told[:MOST_LINES], settings)
    lines = [render_line(one, names_skill=True) for one in concluded]
    return (*lines, *filter(None, [say_multiplicity(concluded, Thresholds.of(settings))]))
