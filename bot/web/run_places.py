"""Where a run stands in the list of all: by when it began, whatever is begun meanwhile."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_WRITTEN = re.compile(r"(?P<us>\d{1,17})\.(?P<run>[0-9a-f]{12})", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Place(NamedTuple):
    """A place in the list; the newest run has the largest."""

    us: int
    """When it began, in microseconds since 1970."""
    run: str

    def __str__(self) -> str:
        return f"{self.us}.{self.run}"


def find_places(*starts: Mapping[str, datetime]) -> list[Place]:
    """The places of all runs, newest first; what the last mapping says of a run counts."""
    began = {run: at for one in starts for run, at in one.items()}
    places = (Place((at - _EPOCH) // _MICROSECOND, run) for run, at in began.items())
    return sorted(places, reverse=True)


def read_place(text: str) -> Place | None:
    """The place that was written so; None where it is no such text."""
    found = _WRITTEN.fullmatch(text)
    return Place(int(found["us"]), found["run"]) if found else None
