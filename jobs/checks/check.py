"""A check of an eval case: a command that decides about an output by its exit code."""

from jobs.requests import Value


class CheckFile(Value):
    """A file of the repository that a command names; no session is given it."""

    source: str
    """Path in the repository."""
    path: str
    """Where the command finds it, below the folder that it starts in."""
    sha256: str


class Check(Value):
    """One command; exit code 0 passes."""

    id: str
    """`C1`, `C2` … in the order of the eval case."""
    command: str
    name: str = ""
    """What it is called in reports; empty: the command says it all."""
    files: tuple[CheckFile, ...] = ()
