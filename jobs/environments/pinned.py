"""The world of a request's sessions as it is pinned when the request is planned."""

from jobs.requests import Value


class Packages(Value):
    """What must be there before a session may start, by where it is looked for."""

    r: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


class Environment(Value):
    """A world for sessions as the repository's file defines it, pinned: its script as text."""

    name: str
    image: str = ""
    """Image of the docker sandbox; empty: the operator's."""
    setup: str = ""
    """Text of the script that prepares a folder for the bubblewrap sandbox; empty: none."""
    hosts: tuple[str, ...] = ()
    """Hosts that a session may reach over HTTPS, in either arm."""
    packages: Packages = Packages()
    digest: str
    """SHA-256 of the canonical JSON of the other fields but the name; part of the dedup key."""
