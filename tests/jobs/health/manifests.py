"""A manifest, and what a session tells that met what it says."""

from typing import Any

from jobs.health.manifest import (
    NO_SKILL,
    Conditions,
    ExpectedReading,
    ExpectedSession,
    Manifest,
    ReadingConditions,
)
from jobs.values import Arm
from tests.builders import A_SHA, NOON, some_limits

MET: dict[str, Any] = {
    "launcher_version": "2.1.197",
    "tools": ("Bash", "Read"),
    "limits": some_limits(),
    "memory_mb": 4096,
    "sandbox": "bubblewrap",
    "environment": "sha256:0123456789abcdef01",
}
CONDITIONS = Conditions(launcher="claude-code", mode="installed", model="claude-sonnet-4-6", **MET)
READING = ReadingConditions(judge="claude-opus-4-7", limits=some_limits(), prompt_version="8")


def a_manifest(trials: int = 1) -> Manifest:
    """Of a run that compares a skill with none."""
    arms = [(trial, arm) for trial in range(1, trials + 1) for arm in list(Arm)[:2]]
    return Manifest(
        run="5e1f00d5a1ad",
        written_at=NOON,
        conditions=CONDITIONS,
        judging=READING,
        sessions=tuple(
            ExpectedSession(
                order=order,
                trial=trial,
                arm=arm,
                skill_sha=A_SHA if arm is Arm.WITH_SKILL else NO_SKILL,
            )
            for order, (trial, arm) in enumerate(arms, start=1)
        ),
        readings=tuple(
            ExpectedReading(order=2 * trial + number - 2, trial=trial, number=number)
            for trial in range(1, trials + 1)
            for number in (1, 2)
        ),
    )
