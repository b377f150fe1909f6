"""A run's world as far as kept sessions are about it, and sessions that have ended in it."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from bot.blobs import Blobs
from config.settings import Settings
from jobs.baselines.kept import keep
from jobs.sessions.bundle import write_bundle
from jobs.sessions.run_limits import session_limits
from jobs.values import Arm, Limits, RunSpec, SessionResult
from jobs.world import RunWorld
from tests.builders import NOON, a_run_spec, a_session

DAYS = 14


@dataclass
class Shop:
    """Runs that end, one after the other, over one blob store."""

    folder: Path
    settings: Settings = field(default_factory=lambda: Settings(_env_file=None))
    now: datetime = NOON
    bundles: int = 0

    @property
    def world(self) -> RunWorld:
        world = SimpleNamespace(
            blobs=Blobs((self.folder / "blobs").as_uri()),
            settings=self.settings,
            clock=lambda: self.now,
        )
        return cast("RunWorld", world)

    @property
    def limits(self) -> Limits:
        return session_limits(self.settings)

    def bundle(self, session: SessionResult) -> Path:
        """The bundle of a session that left no files."""
        self.bundles += 1
        path = self.folder / f"{self.bundles}.zip"
        output = self.folder / "output"
        output.mkdir(exist_ok=True)
        write_bundle(path, session, self.folder / "none.jsonl", output)
        return path

    async def end(self, spec: RunSpec, *sessions: SessionResult) -> None:
        """A run ends with these sessions."""
        ended = [(one, self.bundle(one)) for one in sessions]
        await keep(spec, ended, session_limits(self.settings, spec.trials), self.world)


def a_baseline(arm: Arm = Arm.WITHOUT_SKILL, **changes: Any) -> SessionResult:
    """A session without a skill that tells all it met."""
    met = {
        "outputs": (),
        "tools": ("Bash", "Read"),
        "sandbox": "bubblewrap",
        "memory_mb": 4096,
        "skill_traces": (),
        "limits": session_limits(Settings(_env_file=None)),
    }
    return a_session(arm, **(met | changes))


def a_spec(run: str = "a" * 12, **changes: Any) -> RunSpec:
    return a_run_spec(run_id=run, **({"baseline_days": DAYS} | changes))
