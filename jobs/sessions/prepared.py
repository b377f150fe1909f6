"""An environment that stands ready: what it adds to the sandbox of every session of a run.

A plain value, so that launchers need not know how it came about. Both arms are given the
same one; whether they met the same is read off their results afterwards.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jobs.sessions.box import Bind


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An environment that has passed its pre-flight."""

    name: str = ""
    identity: str = ""
    """What there really is: the image's id, or a digest over the prepared folder and the facts."""
    image: str = ""
    """Image of the docker sandbox, as its id; empty: the operator's."""
    binds: Sequence[Bind] = ()
    """Shown read-only in every sandbox."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables on top of what every sandbox has."""
    hosts: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """What pre-flight found, for the report: `R 4.2.2`, `jsonlite 1.8.4`."""

    def identity_in(self, sandbox: str) -> str:
        """What a session meets, where the sandbox itself says that it is `sandbox` (its image)."""
        return join_identities(self.identity, sandbox)

    @property
    def told(self) -> tuple[str, ...]:
        """What a report says of it: its name, then what is in it; empty for the plain sandbox."""
        if not self.name:
            return ()
        hosts = (f"hosts that can be reached: {', '.join(self.hosts)}",) if self.hosts else ()
        return (self.name, *self.facts, *hosts)


def join_identities(*identities: str) -> str:
    """One identity for several that are met together; the same twice, or none, adds nothing."""
    known = list(dict.fromkeys(filter(None, identities)))
    if len(known) < 2:
        return "".join(known)
    return f"sha256:{hashlib.sha256(' '.join(known).encode()).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Proven:
    """What a launcher found when it tried an environment."""

    launcher_version: str = ""
    """Version of the program that runs sessions; empty where it is ours."""
    environment: str = ""
    """What identifies the environment, as a session in it will tell."""
    sandbox: str = ""
    memory_mb: int = 0
    """For everything that one session runs."""


PLAIN = Prepared()
"""The sandbox as it is, with nothing prepared."""
