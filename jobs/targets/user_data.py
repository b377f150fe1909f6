"""The data of the people that a suite is about: one folder each, below the suite's `.data`.

A case names a person by an address; nothing that it writes there leads out of that folder. Files
that hold the answers are never shown to a target.
"""

import re
from pathlib import Path

from jobs.errors import Refused
from jobs.targets.target import TargetWorld

DATA = ".data"
ANSWERS = ("events.json", "kg_evaluation_queries")
"""Beginnings of the names of files that hold what is asked for."""
LARGEST_FILE = 200_000_000
"""Bytes of one file that are read."""
_GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_EMAIL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}@[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def folder_name(email: str) -> str:
    """What a person's folder is called. Raises `Refused` for what is no address."""
    if not _EMAIL.fullmatch(email):
        raise Refused(f"`{email[:100]}` is no address such as user1@demo")
    return email.replace("@", "_AT_")


def find_user_folder(world: TargetWorld, email: str, group: str | None = None) -> Path:
    """The folder of a person, in the suite or in its neighbour `group`.

    Raises `Refused` where it is not there: without it the target would be graded for what it
    was never given.
    """
    name = folder_name(email)
    if world.suite is None:
        raise Refused("there is no suite whose data could be read")
    suite = world.suite
    if group is not None:
        if not _GROUP.fullmatch(group):
            raise Refused(f"`{group[:100]}` is no name of a suite")
        suite = suite.parent / group
    data = (suite / DATA).resolve()
    folder = data / name
    if not folder.is_dir() or folder.resolve().parent != data:
        # the place within the suites alone: reports are read by others than the operator
        place = f"{suite.name}/{DATA}/{name}"
        raise Refused(f"the data of `{email}` is not there; it belongs into `{place}`")
    return folder


def data_line(world: TargetWorld, email: str) -> str:
    """A sentence that tells an agent on this machine where a person's data lies."""
    return f"The user's data lies in the folder {find_user_folder(world, email)}."


def shown_files(folder: Path) -> list[Path]:
    """The files of a person that a target may read, by name; links and hidden ones are none."""
    return sorted(
        one
        for one in folder.iterdir()
        if one.is_file()
        and not one.is_symlink()
        and not one.name.startswith((".", *ANSWERS))
        and one.stat().st_size <= LARGEST_FILE
    )
