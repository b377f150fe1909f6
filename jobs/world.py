"""What carrying out a request is given: ports, settings, a clock and a scratch folder.

Two values, because a comparison on a local folder needs no GitHub: `RunWorld` runs one
comparison, `World` answers a request on an issue.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from config.settings import Settings
from jobs.choosing.claims import Claims
from jobs.conversation import ModelCatalog
from jobs.environments.pinned import Environment
from jobs.errors import IssueMoved, Refused
from jobs.failures import UNNOTED, Failures
from jobs.judging.judge import AgentJudge
from jobs.live_sessions import UNWATCHED, LiveSessions
from jobs.ports import BlobStore, Budget, Clock, Counts, GitHub, Ledger
from jobs.requests import Request
from jobs.sandbox import SandboxMaker
from jobs.sessions.prepared import Prepared, Proven
from jobs.sessions.session_spec import SessionSpec
from jobs.values import Mode, RunSpec, SessionResult


class Launcher(Protocol):
    """How a session is run: `api`, our own agent loop, or `claude-code`, the real program."""

    def check(self, run: RunSpec, /) -> None:
        """Whether a run can be carried out; raises `Refused` before anything is spent."""

    def tools(self, mode: Mode, /) -> tuple[str, ...]:
        """Names of the tools that every session has, in either arm."""

    async def prove(self, prepared: Prepared, scratch: Path) -> Proven:
        """Try an environment without a model; `scratch` is for a workspace.

        Gives what a session in it will find. Raises `Refused` where no session could work in
        it, `Transient` where that may pass.
        """

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session from staging to its bundle; raises nothing but `CancelledError`."""


@dataclass(frozen=True, slots=True)
class Launchers:
    """The launchers of this worker, and why the others are not there."""

    ready: Mapping[str, Launcher]
    missing: Mapping[str, str]

    def get(self, name: str) -> Launcher:
        """A launcher by name. Raises `Refused` with what the operator must install."""
        if name not in self.ready:
            raise Refused(f"the launcher `{name}` cannot be used here: {self.missing[name]}")
        return self.ready[name]

    def check(self, run: RunSpec) -> None:
        """Whether a run can be carried out. Raises `Refused` before anything is spent."""
        self.get(run.launcher).check(run)


class Environments(Protocol):
    """Makes environments ready for sessions; `jobs.environments` does."""

    async def prepare(self, environment: Environment | None, /) -> Prepared:
        """What an environment adds to every sandbox of a run, checked; None adds nothing.

        Spends no money, and makes nothing a second time. Raises `Refused` with all that is
        missing, or why it cannot be had here; `Transient` where a platform failed.
        """


class RequestQueue(Protocol):
    """Where a job puts what is to be carried out besides."""

    async def enqueue(self, request: Request, /) -> bool:
        """Put a request on the queue, to wait for its repository's turn.

        False where it was asked for already: its key is on the queue, or was this week.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWorld:
    """What one comparison needs."""

    launchers: Launchers
    environments: Environments
    sandboxes: SandboxMaker
    """Of the kind in which sessions work, for what is run on their files afterwards."""
    judge: AgentJudge
    catalog: ModelCatalog
    blobs: BlobStore
    budget: Budget
    settings: Settings
    clock: Clock
    scratch: Path
    """A folder of this process alone, for files that nobody needs afterwards."""
    live: LiveSessions = UNWATCHED
    """Told how runs go on, for whoever looks on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a request needs: the world of its runs, and the place to answer."""

    runs: RunWorld
    github: GitHub
    ledger: Ledger
    counts: Counts
    requests: RequestQueue
    """Where what follows from this request is put."""
    claims: Claims
    """Who has taken which eval case to measure."""
    failures: Failures = UNNOTED
    """Told what came to nothing, for whoever looks at the queue."""
    find_moved: Callable[[IssueMoved], Awaitable[GitHub | None]] | None = None
    """The repository that an issue was moved to, where we may write there."""
