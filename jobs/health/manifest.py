"""What a run is expected to consist of, written down before its first session starts.

The first one is kept whoever carries the run on, and put into the archive: what came of the run
is held against it, so that nothing that went missing goes unseen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from jobs.requests import Value
from jobs.values import Arm, Launcher, Limits, Mode

NO_SKILL = "no skill"
"""What stands in place of a skill SHA for an arm that is given none."""


class Conditions(Value):
    """What every session of a run is to meet, in either arm."""

    launcher: Launcher
    launcher_version: str
    """Version of the program that runs sessions; empty where it is ours."""
    mode: Mode
    model: str
    """The id that is sent."""
    tools: tuple[str, ...]
    """Names of the tools, in order."""
    limits: Limits
    """Of one session."""
    memory_mb: int
    sandbox: str
    environment: str
    """What identifies the environment: the id of the image, or the digest of the prepared
    folder; empty: the machine's own programs."""
    hosts: tuple[str, ...] = ()
    """Hosts that can be reached over HTTPS."""


class ReadingConditions(Value):
    """What every reading of the judge is to meet."""

    judge: str
    """The id that is sent."""
    limits: Limits
    """Of one reading."""
    prompt_version: str


class ExpectedSession(Value):
    """One session that is to run."""

    order: int
    """From 1; the sessions of one trial start together, unless one is at hand."""
    trial: int
    arm: Arm
    skill_sha: str
    """`NO_SKILL` in the arm without one."""
    may_reuse: str = ""
    """Id of the run whose kept session may stand in its place; empty: none."""


class ExpectedReading(Value):
    """One reading of the judge that is to follow."""

    order: int
    """From 1, after the sessions of its trial."""
    trial: int
    number: int
    """1 or 2: in which order the outputs are shown."""


class Manifest(Value):
    """Every session and every reading of a run, and under which conditions."""

    version: int = 1
    run: str
    written_at: datetime
    conditions: Conditions
    judging: ReadingConditions
    sessions: tuple[ExpectedSession, ...]
    readings: tuple[ExpectedReading, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a run is held against."""

    manifest: Manifest | None = None
    """None for a run that an older program began."""
    changes: Sequence[str] = ()
    """How the world had changed when the run was carried on; then it was carried no further."""
    judged_later: bool = False
    """Whether another judge reads it now than the one that was expected."""


NOTHING_WRITTEN = Expected()
"""Of a run without a manifest."""
