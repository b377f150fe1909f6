"""The two names of a skill's content: the skill SHA and the legacy SHA.

The skill SHA decides what is measured again. The legacy SHA exists only to recognise reports
of the runner that came before us; it misses most file types and is never used for more.
"""

import hashlib
import os
from collections.abc import Iterable

from jobs.content.skill_tree import EVALS_FOLDER, SkillFile, path_bytes
from jobs.content.snapshot import Snapshot

BLOCK_BYTES = 1 << 20
LEGACY_ENDINGS = (".md", ".py")


def skill_sha(files: Iterable[SkillFile]) -> str:
    """SHA-256 over path, NUL, length, NUL, content of each file, in the order given.

    `list_skill_files` gives the order. Link or not, executable or not, makes no difference.
    """
    digest = hashlib.sha256()
    for file in files:
        digest.update(path_bytes(file.path) + b"\0" + str(file.size_bytes).encode() + b"\0")
        _feed(digest, file.real)
    return digest.hexdigest()


def legacy_sha(snapshot: Snapshot, folder: str) -> str:
    """What the earlier runner wrote: path then content of `.md` and `.py` files, no separators.

    Folders and files in sorted order, the files of a folder before its sub-folders, folders
    named `evals` skipped, linked folders not entered. A link out of the tree is no file.
    """
    digest = hashlib.sha256()
    root = snapshot.root / folder if (real := snapshot.resolve(folder)) is None else real
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != EVALS_FOLDER)
        for name in sorted(names):
            file = os.path.realpath(f"{place}/{name}")
            if name.endswith(LEGACY_ENDINGS) and snapshot.contains(file) and os.path.isfile(file):  # noqa: PTH113
                digest.update(path_bytes(os.path.relpath(f"{place}/{name}", root)))
                _feed(digest, file)
    return digest.hexdigest()


def file_sha(real: str) -> str:
    """SHA-256 of one file's content."""
    digest = hashlib.sha256()
    _feed(digest, real)
    return digest.hexdigest()


def _feed(digest: "hashlib._Hash", real: str) -> None:
    with open(real, "rb") as content:  # noqa: PTH123 -- hot path
        while block := content.read(BLOCK_BYTES):
            digest.update(block)
