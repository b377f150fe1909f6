"""What one session starts from: the value between a comparison and a launcher.

It names the arm, because the result has to; no launcher may let that name, or anything
that tells it, reach what the session can see.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jobs.conversation import TranscriptEvent
from jobs.health.skill_free import SkillMark
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.values import Arm, Limits, RunSpec, Skill


def hear_nothing(_: TranscriptEvent) -> None:
    """Nobody counts along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpec:
    """One fresh conversation of one arm of one trial."""

    arm: Arm
    run: RunSpec
    trial: int
    skill_folder: Path | None
    """The staged skill, without what is withheld; None in the arm without one."""
    skill_text: str | None
    """What its SKILL.md says; None exactly where `skill_folder` is."""
    inputs_folder: Path | None
    """Holds the staged input files, each under the last part of its alias."""
    limits: Limits
    bundle: Path
    """Where the session's bundle is written (`jobs.sessions.bundle`)."""
    scratch: Path
    """Where workspaces may be made. Its path must tell no arm: a process in a sandbox can
    read where its mounts come from."""
    prepared: Prepared = PLAIN
    """The environment that the session works in, the same in both arms."""
    absent: SkillMark | None = None
    """The skill that this arm must be free of; None where it has one itself."""
    heard: Callable[[TranscriptEvent], None] = hear_nothing
    """Told of each event of the transcript; raises nothing, and waits for nothing."""

    @property
    def skill(self) -> Skill:
        """The version of the skill that is looked out for: the arm's own, or in the arm without
        one the version that the other arm has.
        """
        return self.run.skill_of(self.arm) or self.run.skill

    @property
    def transcript(self) -> Path:
        """Where it is written while the session goes on; then it is in the bundle."""
        return self.bundle.with_suffix(".jsonl")
