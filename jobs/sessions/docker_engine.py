"""A Docker Engine: reached, asked what it can do, and given images.

The one place that knows how the engine's failures read, and what an operator can do about
each. It reaches only what `DOCKER_HOST` names; no context file and no second socket is
tried in its place.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from aiodocker import Docker, DockerError
from aiodocker.containers import DockerContainer

from jobs.errors import Refused, Transient
from jobs.sessions.docker_container import Image

log = structlog.get_logger()

ENGINE_ERRORS = (DockerError, aiohttp.ClientError, TimeoutError, OSError)
"""What any call may raise while the engine is away, busy or of another opinion."""

_SCHEMES = ("unix://", "tcp://", "http://", "https://")
_CALL_S = 60.0
"""For one call that does not wait for a command: a loaded engine takes seconds."""
_PULL_S = 900.0
_UNREACHABLE = 900
"""The status by which aiodocker says that there was no connection."""
_NOT_FOUND = 404
_INSTEAD = "or set SKILLBENCH_SANDBOX=bubblewrap (on Linux)"


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an engine tells of itself; it stays so for as long as the engine runs."""

    api_version: str
    """Agreed on once: each further question costs podman a quarter of a second."""
    rootless: bool
    """Whether it is a normal user's, who appears as root inside its containers."""


@asynccontextmanager
async def connected(host: str, api_version: str = "auto") -> AsyncIterator[Docker]:
    """A connection to the engine at `host`, with nothing asked of it yet.

    Raises `Refused` for an address that is none.
    """
    if not host.startswith(_SCHEMES):
        raise Refused(
            f"DOCKER_HOST={host!r} cannot be used: name a socket (unix:///var/run/docker.sock) "
            f"or an address (tcp://HOST:PORT), {_INSTEAD}."
        )
    timeout = aiohttp.ClientTimeout(total=_CALL_S)
    async with Docker(url=host, timeout=timeout, api_version=api_version) as docker:
        yield docker


async def ask_engine(docker: Docker, host: str) -> EngineFacts:
    """Ask an engine what it is.

    Raises `Transient` where it does not answer, `Refused` where it cannot keep a session's
    limits, each with what to do.
    """
    try:
        info: Mapping[str, Any] = await docker.system.info()
    except ENGINE_ERRORS as error:
        raise Transient(explain_silence(host, error)) from error
    return EngineFacts(docker.api_version, rootless=check_engine(info, host))


def check_engine(info: Mapping[str, Any], host: str) -> bool:
    """Whether the engine that answered `GET /info` so is rootless.

    Raises `Refused` where it cannot serve.
    """
    if info.get("OSType", "linux") != "linux":
        raise Refused(f"The Docker Engine at {host} runs no Linux containers: switch it to them.")
    missing = [
        name
        for name, key in (("memory", "MemoryLimit"), ("processes", "PidsLimit"))
        if info.get(key) is False
    ]
    if missing:
        raise Refused(
            f"The Docker Engine at {host} cannot limit {' and '.join(missing)}: a rootless "
            "engine needs version 2 of control groups, delegated to its user "
            f"(docs/deploy.md), {_INSTEAD}."
        )
    return any("rootless" in option for option in info.get("SecurityOptions") or ())


async def find_image(docker: Docker, name: str, host: str) -> Image:
    """The image called `name`, pulled if the engine does not hold it yet.

    Raises `Refused` where it cannot be had, `Transient` where the engine is away.
    """
    found = await _inspect(docker, name, host)
    if found is None:
        log.info("image_pulled", image=name)
        try:
            async with asyncio.timeout(_PULL_S):
                await docker.images.pull(name)
        except ENGINE_ERRORS as error:
            raise _no_image(name) from error
        found = await _inspect(docker, name, host)
    if found is None:
        raise _no_image(name)
    volumes = (found.get("Config") or {}).get("Volumes") or {}
    return Image(id=str(found["Id"]), volumes=tuple(sorted(volumes)))


async def remove_container(container: DockerContainer) -> bool:
    """End and remove a container; False if the engine would not.

    One that is gone already, or was never made, counts as removed.
    """
    for pause_s in (0.1, 1.0, None):
        try:
            async with asyncio.timeout(_CALL_S):
                await container.delete(force=True, v=True)
        except DockerError as error:
            if error.status == _NOT_FOUND:
                return True
            problem = describe(error)
        except ENGINE_ERRORS as error:
            problem = describe(error)
        else:
            return True
        if pause_s:
            await asyncio.sleep(pause_s)
    log.error("container_not_removed", container=container.id, problem=problem)
    return False


def describe(error: BaseException) -> str:
    """The first line of what an engine said, short enough for a message."""
    text = error.message if isinstance(error, DockerError) else str(error)
    lines = str(text).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


async def _inspect(docker: Docker, name: str, host: str) -> dict[str, Any] | None:
    try:
        return await docker.images.inspect(name)
    except ENGINE_ERRORS as error:
        if isinstance(error, DockerError) and error.status == _NOT_FOUND:
            return None
        raise Transient(explain_silence(host, error)) from error


def _no_image(name: str) -> Refused:
    return Refused(
        f"The image {name} is not on the Docker Engine and cannot be pulled: check its name, "
        f"run `docker pull {name}` where the engine is, or name another by "
        "SKILLBENCH_DOCKER_IMAGE."
    )


def explain_silence(host: str, error: BaseException) -> str:
    """Why an engine does not answer, and what to do about it."""
    if "Permission denied" in str(error):
        return (
            f"The worker's user may not use the Docker Engine at {host}: run a rootless engine "
            "as that user and name its socket by DOCKER_HOST, or let the user into the "
            "socket's group (which makes it as mighty as root on that machine)."
        )
    away = isinstance(error, DockerError) and error.status == _UNREACHABLE
    said = "" if away else f" ({describe(error)})"
    return (
        f"No Docker Engine answers at {host}{said}: start one, name another by DOCKER_HOST, "
        f"{_INSTEAD}."
    )
