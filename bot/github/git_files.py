"""Commits that change files, made of Git's own objects.

Git's objects keep every byte and the file's mode, which the API for contents does not promise.
Objects are named by what they hold, so making one twice makes one; a commit that no branch
leads to is nobody's, and GitHub sweeps it up.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.github.calls import Calls, json_of
from bot.github.failures import NotFound
from bot.github.reads import base_of
from jobs.errors import Refused
from jobs.requests import Repo

PLAIN_FILE = "100644"
FILE_MODES = (PLAIN_FILE, "100755")
"""Git's modes of a plain file and an executable one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file with other content than it has in the commit `base`."""

    base: str
    path: str
    content: bytes
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCommit:
    """A commit as Git has it: what it says, its tree, what it stands on."""

    message: str
    tree: str
    parents: tuple[str, ...]


class GitFiles:
    """Reads and makes blobs, trees and commits of one repository."""

    def __init__(self, calls: Calls, repo: Repo) -> None:
        self._calls = calls
        self._git = f"{base_of(repo)}/git"
        self._trees: dict[str, list[dict[str, Any]]] = {}
        """Listings by id, which are for ever what they are."""

    async def commit(self, change: Change) -> str:
        """The id of a commit on top of the base that changes the file and nothing else.

        Raises `Refused` where the base has no such file, or the file is like that already.
        """
        root = await self._tree_of(change.base)
        mode = await self._mode_of(root, change.path)
        tree = await self._make_tree(root, mode, change)
        if tree == root:
            raise Refused(f"`{change.path}` is like that already: there is nothing to propose.")
        # without an author of its own, so that GitHub signs it as the App's
        commit = {"message": change.message, "tree": tree, "parents": [change.base]}
        return await self._make("commits", commit)

    async def is_change(self, commit: str, change: Change) -> bool:
        """Whether a commit is this change and nothing else."""
        body = await self._calls.read_json(f"{self._git}/commits/{commit}")
        if [parent["sha"] for parent in body["parents"]] != [change.base]:
            return False
        root = await self._tree_of(change.base)
        mode = await self._mode_of(root, change.path)
        return bool(body["tree"]["sha"] == await self._make_tree(root, mode, change))

    async def read_commit(self, sha: str) -> MadeCommit:
        """What a commit is. Raises `Refused` where it is not there."""
        body = await self._read(sha)
        return MadeCommit(
            message=str(body["message"]),
            tree=str(body["tree"]["sha"]),
            parents=tuple(str(parent["sha"]) for parent in body["parents"]),
        )

    async def make_tree(self, base: str, files: Mapping[str, str]) -> str:
        """The id of the tree of commit `base` with these texts put into it, by path.

        A file that is there keeps its mode. Raises `Refused` where a path is a link or a folder
        in the commit, or leads through something that is no folder.
        """
        root = await self._tree_of(base)
        rows = [
            {
                "path": path,
                "mode": await self._mode_of(root, path, absent=PLAIN_FILE),
                "type": "blob",
                "content": text,
            }
            for path, text in files.items()
        ]
        return await self._make("trees", {"base_tree": root, "tree": rows}) if rows else root

    async def make_commit(self, tree: str, parents: Sequence[str], message: str) -> str:
        """The id of a commit that no branch leads to yet."""
        commit = {"message": message, "tree": tree, "parents": list(parents)}
        return await self._make("commits", commit)

    async def _make_tree(self, root: str, mode: str, change: Change) -> str:
        content = base64.b64encode(change.content).decode("ascii")
        blob = await self._make("blobs", {"content": content, "encoding": "base64"})
        row = {"path": change.path, "mode": mode, "type": "blob", "sha": blob}
        return await self._make("trees", {"base_tree": root, "tree": [row]})

    async def _make(self, kind: str, body: dict[str, Any]) -> str:
        async def attempt() -> str:
            made = json_of(await self._calls.send("POST", f"{self._git}/{kind}", json=body))
            return str(made["sha"])

        return await self._calls.write(attempt)

    async def _tree_of(self, commit: str) -> str:
        return str((await self._read(commit))["tree"]["sha"])

    async def _read(self, commit: str) -> dict[str, Any]:
        path = f"{self._git}/commits/{quote(commit, safe='')}"
        try:
            return dict(await self._calls.read_json(path))
        except NotFound:
            raise Refused(
                f"The commit `{commit}` is not there any more, so nothing can be proposed on it."
            ) from None

    async def _mode_of(self, root: str, path: str, *, absent: str | None = None) -> str:
        """The file's mode, folder by folder: a listing of everything may be cut short.

        `absent` is the mode of a file that is to be new; None: it has to be there.
        """
        *folders, name = path.split("/")
        tree = root
        for folder in folders:
            row = await self._row(tree, folder)
            if row is None and absent is not None:
                return absent
            if row is None or row["type"] != "tree":
                raise Refused(f"`{path}` is not in the commit that it was to be changed in.")
            tree = str(row["sha"])
        row = await self._row(tree, name)
        if row is None and absent is not None:
            return absent
        if row is None or row.get("mode") not in FILE_MODES:
            raise Refused(f"`{path}` is no file in the commit that it was to be changed in.")
        return str(row["mode"])

    async def _row(self, tree: str, name: str) -> dict[str, Any] | None:
        if tree not in self._trees:
            listing = await self._calls.read_json(f"{self._git}/trees/{tree}")
            self._trees[tree] = listing["tree"]
        return next((row for row in self._trees[tree] if row["path"] == name), None)
