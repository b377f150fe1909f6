"""Small repositories on disk, and the archives GitHub would serve of them."""

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jobs.content.snapshot import Snapshot

COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
WORD_COUNT = "---\nname: word-count\ndescription: Counts words.\n---\n# How\n\nCount them.\n"


@dataclass(frozen=True)
class Link:
    """A symbolic link, by what is written in it."""

    to: str


Content = str | bytes | Link


def write_tree(root: Path, files: Mapping[str, Content]) -> Snapshot:
    """Write files, and links after them, and give the snapshot of the folder."""
    for path, content in sorted(files.items(), key=lambda item: isinstance(item[1], Link)):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            place.symlink_to(content.to)
        else:
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
    root.mkdir(parents=True, exist_ok=True)
    return Snapshot(root, COMMIT, "toolbox")


def a_skill(name: str, description: str = "Counts words.") -> str:
    """A SKILL.md."""
    return f"---\nname: {name}\ndescription: {description}\n---\nBody of {name}.\n"


def a_member(name: str, content: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    """An archive member; `type`, `linkname`, `mode` and the like by keyword."""
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for key, value in fields.items():
        setattr(member, key, value)
    return member, content


def write_archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    """A tar.gz with these members, well formed or not."""
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return path
