"""What code found out about one assertion or check, for one arm in one trial."""

from typing import Literal

from jobs.requests import Value
from jobs.values import Arm


class MachineVerdict(Value):
    """A verdict that no model gave."""

    assertion: str
    """`A3` for an assertion of the rubric, `C1` for a check."""
    arm: Arm
    verdict: Literal["pass", "fail"] | None
    """None: not measured, since the platform failed, or code cannot tell from this file."""
    found: str
    """One sentence on what was found."""
    output: str = ""
    """What a check's command printed, the end of it where it is long."""
    trial: int = 1
