"""How a session is given the skill where nobody says."""

from collections.abc import Mapping

from jobs.values import EvalCase, Launcher, Mode

USUAL_MODES: Mapping[Launcher, Mode] = {"api": "forced", "claude-code": "installed"}
"""By launcher, where the skill is meant for the task."""


def find_usual_mode(launcher: Launcher, case: EvalCase) -> Mode:
    """Where nobody says; that a skill stays dormant only shows where an agent may choose."""
    return USUAL_MODES[launcher] if case.should_load else "installed"
