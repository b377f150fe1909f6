"""What requests for runs of datasets are carried out in."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.live import LiveRuns
from jobs.datasets.ready import DatasetWorld
from jobs.world import World

OpenWorld = Callable[[Path, bool], AbstractAsyncContextManager[DatasetWorld]]
"""Opens a world for the suite in a folder; the flag says whether the operator put it there, so
that it may reach the operator's own systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRequestWorld:
    """The place to answer, and what cases are run in."""

    place: World
    keeping: DatasetKeeping
    live: LiveRuns
    open_world: OpenWorld
    data: Path
    """The operator's own datasets: `<data>/<benchmark>/<dataset>.jsonl`."""
