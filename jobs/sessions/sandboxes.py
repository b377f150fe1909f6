"""Chooses the kind of sandbox that the settings name, and never another."""

from jobs.errors import Refused
from jobs.ports import SandboxMaker
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.unconfined import UnconfinedMaker


def make_sandbox_maker(name: str) -> SandboxMaker:
    """The maker of sandboxes called `name`, the value of `SKILLBENCH_SANDBOX`.

    Whether it works on this machine is for its `problem()` to say. Raises `Refused` for a
    kind that there is not.
    """
    if name == "bubblewrap":
        return BubblewrapMaker()
    if name == "none":
        return UnconfinedMaker()
    if name == "docker":
        raise Refused(
            "The docker sandbox is not part of this version; it comes in a later one. "
            "Set SKILLBENCH_SANDBOX=bubblewrap (on Linux), or none to run sessions without "
            "any protection."
        )
    raise Refused(f"There is no sandbox {name!r}: set SKILLBENCH_SANDBOX=bubblewrap or none.")
