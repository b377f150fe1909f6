"""What carrying out a request is given: ports, settings, a clock and a scratch folder.

Two values, because a comparison on a local folder needs no GitHub: `RunWorld` runs one
comparison, `World` answers a request on an issue.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from config.settings import Settings
from jobs.judging.judge import AgentJudge
from jobs.ports import BlobStore, Budget, Clock, Counts, GitHub, Ledger, ModelCatalog
from jobs.sessions.session_spec import SessionSpec
from jobs.values import SessionResult


class Launcher(Protocol):
    """How a session is run. `api` is our own agent loop; more may follow."""

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session from staging to its bundle; raises nothing but `CancelledError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWorld:
    """What one comparison needs."""

    launcher: Launcher
    judge: AgentJudge
    catalog: ModelCatalog
    blobs: BlobStore
    budget: Budget
    settings: Settings
    clock: Clock
    scratch: Path
    """A folder of this process alone, for files that nobody needs afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a request needs: the world of its runs, and the place to answer."""

    runs: RunWorld
    github: GitHub
    ledger: Ledger
    counts: Counts
