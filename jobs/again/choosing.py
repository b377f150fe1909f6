"""Which run is meant: the one that a command names, or the issue's latest.

Only what the App itself has said of its runs is believed, and only of this repository's.
"""

from dataclasses import dataclass

from jobs.errors import Refused
from jobs.planning.markers import find_markers
from jobs.requests import LATEST, Request
from jobs.results import RunRecord
from jobs.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a report on the issue says of a run."""

    record: RunRecord
    """As its newest marker has it: of a run that was scored again, with the newer scores."""
    url: str
    """Address of the first comment that told of it: its report."""


async def find_told(request: Request, world: World) -> Told:
    """The run that the request names, or the latest that was reported on its issue.

    Raises `Refused` where there is none.
    """
    named = None if request.run in {None, LATEST} else request.run
    found: dict[str, Told] = {}
    for comment in await world.github.comments(request.issue):
        if not comment.by_this_app:
            continue
        for record in find_markers(comment.body).ours:
            url = found[record.run].url if record.run in found else comment.url
            found.pop(record.run, None)
            found[record.run] = Told(record=record, url=url)
    if named is not None:
        told = found.get(named) or await _find_in_ledger(named, request, world)
        if told is None:
            raise Refused(
                f"I know no run `{named}` of this repository. The id of a run stands at the end "
                "of its report."
            )
        return told
    if not found:
        raise Refused("no run has been reported on this issue yet.")
    return found[next(reversed(found))]


async def _find_in_ledger(run: str, request: Request, world: World) -> Told | None:
    """A run that was reported elsewhere in the repository."""
    records = await world.ledger.records(request.repo.full_name)
    record = next((one for one in records if one.run == run), None)
    return Told(record=record, url=record.url) if record else None
