"""Chooses the kind of sandbox that the settings name, and never another."""

from typing import TypeGuard

from config.settings import Settings
from jobs.errors import Refused
from jobs.sandbox import SandboxMaker
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.program import ProgramSandboxMaker
from jobs.sessions.unconfined import UnconfinedMaker


def runs_programs(maker: SandboxMaker) -> TypeGuard[ProgramSandboxMaker]:
    """Whether a kind of sandbox can show a program that is not the machine's own and run it."""
    return not isinstance(maker, UnconfinedMaker)


def make_sandbox_maker(
    name: str,
    *,
    docker_image: str = str(Settings.model_fields["docker_image"].default),
    docker_host: str = str(Settings.model_fields["docker_host"].default),
) -> SandboxMaker:
    """The maker of sandboxes called `name`, the value of `SKILLBENCH_SANDBOX`.

    Whether it works on this machine is for its `problem()` to say. Raises `Refused` for a
    kind that there is not.
    """
    if name == "bubblewrap":
        return BubblewrapMaker()
    if name == "docker":
        # its client takes a quarter of a second to load, which most commands need not spend
        from jobs.sessions.docker import DockerMaker  # noqa: PLC0415

        return DockerMaker(image=docker_image, host=docker_host)
    if name == "none":
        return UnconfinedMaker()
    raise Refused(
        f"There is no sandbox {name!r}: set SKILLBENCH_SANDBOX=bubblewrap, docker or none."
    )
