"""Commits as Git would make them, kept in memory: real blob, tree and commit ids.

A commit is a flat map from path to entry, read from a folder or from a tarball in GitHub's
shape. Links stay links; nothing is ever followed or extracted to disk.
"""

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal

FileMode = Literal["100644", "100755", "120000"]
"""Git's modes of a plain file, an executable one and a symbolic link."""


def _git_id(kind: str, content: bytes) -> str:
    header = f"{kind} {len(content)}\0".encode()
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A file or link in a commit; a link's content is its target."""

    mode: FileMode
    content: bytes

    @cached_property
    def sha(self) -> str:
        """Git's id of the blob."""
        return _git_id("blob", self.content)


Entries = Mapping[str, Entry]


@dataclass(frozen=True)
class Commit:
    """One state of a repository with its place in history."""

    sha: str
    tree_sha: str
    message: str
    author: str
    at: datetime
    parents: tuple[str, ...]
    entries: Entries
    folders: Mapping[str, str]
    """Tree id of each folder by path; the root is the empty path."""

    def changed_since(self, before: "Commit | None") -> dict[str, list[str]]:
        """Paths `added`, `removed` and `modified` against an earlier commit."""
        old: Entries = before.entries if before else {}
        return {
            "added": sorted(self.entries.keys() - old.keys()),
            "removed": sorted(old.keys() - self.entries.keys()),
            "modified": sorted(
                path for path in self.entries.keys() & old.keys() if self.entries[path] != old[path]
            ),
        }


@dataclass(frozen=True)
class Snapshot:
    """What a commit is made of: entries, and the original commit's id where it is known."""

    entries: Entries
    sha: str | None = None


def load_folder(folder: Path) -> Snapshot:
    """Every file and link below a folder, without `.git`; empty folders do not exist in Git."""
    entries: dict[str, Entry] = {}
    for place, folders, files in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        for name in [*files, *folders]:
            path = Path(place, name)
            relative = path.relative_to(folder).as_posix()
            if path.is_symlink():
                entries[relative] = Entry("120000", os.fsencode(path.readlink()))
            elif path.is_file():
                executable = path.stat().st_mode & 0o100
                entries[relative] = Entry("100755" if executable else "100644", path.read_bytes())
    return Snapshot(entries)


def load_tarball(tarball: Path) -> Snapshot:
    """The entries of a tarball in GitHub's shape, and the commit id it says it is of.

    The one top folder is dropped. Git writes the commit id into the archive's global
    comment; None where it is missing or no commit id.
    """
    entries: dict[str, Entry] = {}
    with tarfile.open(tarball, "r:gz") as archive:
        for member in archive:
            _, _, path = member.name.partition("/")
            if member.issym():
                entries[path] = Entry("120000", member.linkname.encode())
            elif member.isfile() and (stream := archive.extractfile(member)):
                mode: FileMode = "100755" if member.mode & 0o100 else "100644"
                entries[path] = Entry(mode, stream.read())
        comment = archive.pax_headers.get("comment", "").strip()
    is_commit_id = len(comment) == 40 and all(digit in "0123456789abcdef" for digit in comment)
    return Snapshot(entries, comment if is_commit_id else None)


def hash_folders(entries: Entries) -> dict[str, str]:
    """Git's id of each folder's tree by path; the root is the empty path."""
    children: dict[str, dict[str, tuple[str, str]]] = {"": {}}
    for path, entry in entries.items():
        for above in PurePosixPath(path).parents:
            children.setdefault("" if str(above) == "." else str(above), {})
        folder, _, name = path.rpartition("/")
        children[folder][name] = (entry.mode, entry.sha)
    shas: dict[str, str] = {}
    # deepest first, so that a folder's id is known when its parent is hashed
    for folder in sorted(children, key=lambda path: (path.count("/"), path != ""), reverse=True):
        rows = children[folder]
        # Git sorts a folder as if its name ended in a slash
        order = sorted(rows, key=lambda name: (name + "/" * (rows[name][0] == "40000")).encode())
        content = b"".join(
            f"{rows[name][0]} {name}".encode() + b"\0" + bytes.fromhex(rows[name][1])
            for name in order
        )
        shas[folder] = _git_id("tree", content)
        if folder:
            parent, _, name = folder.rpartition("/")
            children[parent][name] = ("40000", shas[folder])
    return shas


def make_commit(  # noqa: PLR0913 -- a commit has this many parts
    snapshot: Snapshot,
    *,
    parent: Commit | None,
    merged: Commit | None = None,
    author: str,
    at: datetime,
    message: str,
) -> Commit:
    """A commit over a snapshot, under its own id or the original's; `merged`: a second parent."""
    parents = [one.sha for one in (parent, merged) if one is not None]
    entries = snapshot.entries
    folders = hash_folders(entries)
    stamp = f"{author} <{author}@users.noreply.github.com> {int(at.timestamp())} +0000"
    lines = [f"tree {folders['']}", *(f"parent {sha}" for sha in parents)]
    lines += [f"author {stamp}", f"committer {stamp}", "", message, ""]
    return Commit(
        sha=snapshot.sha or _git_id("commit", "\n".join(lines).encode()),
        tree_sha=folders[""],
        message=message,
        author=author,
        at=at,
        parents=tuple(parents),
        entries=dict(sorted(entries.items())),
        folders=folders,
    )


def make_tarball(owner: str, name: str, commit: Commit) -> bytes:
    """The commit as GitHub packs it: one top folder `owner-name-sha7`, links kept.

    Takes as long as compressing takes: call it outside the event loop's thread.
    """
    top = f"{owner}-{name}-{commit.sha[:7]}"
    stamp = int(commit.at.timestamp())
    packed = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6, mtime=stamp) as stream,
        tarfile.open(
            fileobj=stream,
            mode="w",
            format=tarfile.PAX_FORMAT,
            pax_headers={"comment": commit.sha},
        ) as archive,
    ):
        paths = {**dict.fromkeys(commit.folders), **commit.entries}
        for path in sorted(paths):
            entry = commit.entries.get(path)
            member = tarfile.TarInfo(f"{top}/{path}".rstrip("/"))
            member.mtime, member.uname, member.gname = stamp, "root", "root"
            if entry is None:
                member.type, member.mode = tarfile.DIRTYPE, 0o775
                archive.addfile(member)
            elif entry.mode == "120000":
                member.type, member.mode = tarfile.SYMTYPE, 0o777
                member.linkname = os.fsdecode(entry.content)
                archive.addfile(member)
            else:
                member.mode = 0o775 if entry.mode == "100755" else 0o664
                member.size = len(entry.content)
                archive.addfile(member, io.BytesIO(entry.content))
    return packed.getvalue()
