"""Environments made ready and checked, before a run may spend anything.

What an environment needs depends on the kind of sandbox: an image on a Docker Engine, or a
folder that its setup script fills, once for each digest. What does not fit the kind is
refused in words for whoever can change it. Packages and hosts alone need nothing to be made.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog

from config.environments.presets import PRESETS
from config.repo_file import REPO_FILES
from jobs.environments.fingerprint import TooLarge
from jobs.environments.folders import Folder, Folders
from jobs.environments.once import Once
from jobs.environments.pinned import Environment
from jobs.environments.preflight import check_packages
from jobs.environments.setup import TARGET, VARIABLES, SetupRunner
from jobs.errors import Refused
from jobs.sessions.box import Bind
from jobs.sessions.prepared import PLAIN, Prepared, join_identities
from jobs.sessions.reach import open_reaching
from jobs.sessions.workspace import Workspace

log = structlog.get_logger()

_SHOWN = len("sha256:") + 12
"""Characters of an image's id in a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxEnvironments:
    """Prepares environments for one kind of sandbox (a `jobs.world.Environments`)."""

    runner: SetupRunner
    folders: Folders
    find_image_id: Callable[[Environment], Awaitable[str]]
    """The id of an environment's image; raises `Refused` where it cannot be had."""
    scratch: Path
    """Where a sandbox may be tried; the engine has to see it, as it sees the sessions'."""
    _once: Once[Folder] = field(default_factory=Once)

    async def prepare(self, environment: Environment | None) -> Prepared:
        """What an environment adds to the sandboxes of a run, once it has passed its pre-flight.

        Asked again, it makes nothing a second time and looks again whether all is there.
        Raises `Refused` with everything that is missing, or why the environment cannot be
        had here; `Transient` where a platform failed.
        """
        if environment is None:
            return PLAIN
        made = await self._make(environment)
        facts = await self._check(environment, made)
        if made.image:
            return replace(made, facts=(f"image {made.image[:_SHOWN]}", *facts))
        # below it lies what the machine or the operator's image has, such as R itself
        return replace(made, facts=facts, identity=join_identities(made.identity, *facts))

    async def _make(self, environment: Environment) -> Prepared:
        refuse_misfit(environment, self.runner.sandboxes.name)
        plain = Prepared(
            name=environment.name, identity=f"sha256:{environment.digest}", hosts=environment.hosts
        )
        if environment.image and self.runner.sandboxes.name == "docker":
            image = await self.find_image_id(environment)
            return replace(plain, image=image, identity=image)
        if environment.setup and self.runner.sandboxes.name == "bubblewrap":
            folder = await self._once.run(environment.digest, lambda: self._find(environment))
            return replace(
                plain,
                identity=f"sha256:{folder.content}",
                binds=(Bind(folder.path, TARGET),),
                variables=VARIABLES,
            )
        return plain

    async def _find(self, environment: Environment) -> Folder:
        """The prepared folder, built if there is none yet."""
        found = await asyncio.to_thread(self.folders.find, environment.digest)
        if found is not None:
            return found
        log.info("environment_setup_started", environment=environment.name)
        async with self.folders.building() as building:
            built = await self.runner.run(environment, building)
            try:
                kept = await asyncio.to_thread(
                    self.folders.keep, environment.digest, built, building
                )
            except TooLarge as problem:
                raise Refused(
                    f"the setup script of the environment `{environment.name}` left {problem}, "
                    "which is more than can be kept. Nothing was spent."
                ) from None
        log.info("environment_setup_ended", environment=environment.name)
        return kept

    async def _check(self, environment: Environment, made: Prepared) -> tuple[str, ...]:
        workspace = await asyncio.to_thread(Workspace.make, self.scratch)
        try:
            async with open_reaching(
                self.runner.sandboxes,
                workspace.work,
                memory_mb=self.runner.memory_mb,
                prepared=made,
                make_gate=self.runner.make_gate,
            ) as sandbox:
                return await check_packages(sandbox, environment.packages, name=environment.name)
        finally:
            await workspace.remove()


def refuse_misfit(environment: Environment, kind: str) -> None:
    """Raises `Refused` where a sandbox of this kind cannot be what an environment defines.

    One that defines both an image and a setup script fits both kinds that can use one.
    """
    fitting = {"docker": environment.image, "bubblewrap": environment.setup}
    if fitting.get(kind) or not any(fitting.values()):
        return
    needs = "a setup script" if environment.setup else "an image"
    other = "bubblewrap" if environment.setup else "docker"
    lacks = {"docker": "an `image`", "bubblewrap": "a `setup` script"}.get(kind)
    # a preset stands in no file of the repository, which may define one of the same name
    place = (
        f"define one of that name with {lacks}"
        if environment.name in PRESETS
        else f"add {lacks} to it"
    )
    remedy = f"a maintainer can {place} in `{REPO_FILES[0]}`, or " if lacks else ""
    raise Refused(
        f"the environment `{environment.name}` needs {needs}, and the sandbox `{kind}` of this bot "
        f"cannot use one: {remedy}its operator can set SKILLBENCH_SANDBOX={other}. Nothing was "
        "spent."
    )
