"""What an App does to a repository's code without a checkout: blobs, trees, commits, branches.

As on GitHub, objects that no branch leads to exist all the same, and only making or moving a
branch is told to anybody.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from demo.github.answers import Problem, not_found
from demo.github.code_actions import CodeActions
from demo.github.commits import Commit, Entries, Entry, Snapshot, hash_folders, make_commit
from demo.github.site import Site
from demo.github.state import Account, Repository

_FILE_MODES = ("100644", "100755", "120000")


class GitActions:
    """Makes Git objects and branches. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def make_blob(self, repository: Repository, content: bytes) -> str:
        """Keep a file's content; gives its id."""
        entry = Entry("100644", content)
        repository.blobs[entry.sha] = content
        return entry.sha

    def make_tree(
        self, repository: Repository, base: str | None, rows: Sequence[Mapping[str, Any]]
    ) -> str:
        """A tree with some files put into another one. Raises `Problem` 404 and 422."""
        entries = dict(self._entries_of(repository, base)) if base is not None else {}
        for row in rows:
            if row.get("mode") not in _FILE_MODES or not isinstance(row.get("path"), str):
                raise Problem(422, "tree.mode and tree.path must name a file")
            content = self._blob(repository, str(row.get("sha")))
            entries[row["path"]] = Entry(row["mode"], content)
        sha = hash_folders(entries)[""]
        repository.trees[sha] = entries
        return sha

    def make_commit(
        self, repository: Repository, by: Account, tree: str, parents: Sequence[str], message: str
    ) -> Commit:
        """A commit that no branch leads to yet. Raises `Problem` 404 and 422."""
        if len(parents) not in {1, 2} or not set(parents) <= repository.commits.keys():
            raise Problem(422, "Parent SHA does not exist or is not a commit object")
        commit = make_commit(
            Snapshot(self._entries_of(repository, tree)),
            parent=repository.commits[parents[0]],
            merged=repository.commits[parents[1]] if len(parents) > 1 else None,
            author=by.login,
            at=self._site.clock(),
            message=message,
        )
        repository.commits[commit.sha] = commit
        return commit

    def make_branch(self, repository: Repository, by: Account, ref: str, sha: str) -> None:
        """Point a new branch at a commit and tell of the push. Raises `Problem` 422."""
        name = ref.removeprefix("refs/heads/")
        if name == ref or not name:
            raise Problem(422, f"{ref} is not a valid ref name.")
        if sha not in repository.commits:
            raise Problem(422, "Object does not exist")
        if name in repository.branches:
            raise Problem(422, "Reference already exists")
        clashes = [known for known in repository.branches if _clash(known, name)]
        if clashes:
            raise Problem(422, "Reference update failed")
        if name in repository.protected_branches:
            said = "Repository rule violations found\n\nCannot create ref due to creations being"
            raise Problem(422, f"{said} restricted.")
        repository.branches[name] = sha
        CodeActions(self._site).tell_push(repository, by, name, None, repository.commits[sha])

    def move_branch(
        self, repository: Repository, by: Account, name: str, sha: str, *, force: bool
    ) -> None:
        """Let a branch lead to another commit and tell of the push. Raises `Problem` 422."""
        if name not in repository.branches:
            raise Problem(422, "Reference does not exist")
        if sha not in repository.commits:
            raise Problem(422, "Object does not exist")
        before = repository.commits[repository.branches[name]]
        if not force and not _leads_to(repository, sha, before.sha):
            raise Problem(422, "Update is not a fast forward")
        if name in repository.protected_branches:
            raise Problem(
                422, "Repository rule violations found\n\nCannot update this protected ref."
            )
        repository.branches[name] = sha
        for number, pull in repository.pulls.items():
            if pull.head == name and repository.issues[number].is_open:
                pull.head_commit = sha
        CodeActions(self._site).tell_push(repository, by, name, before, repository.commits[sha])

    def _blob(self, repository: Repository, sha: str) -> bytes:
        if sha in repository.blobs:
            return repository.blobs[sha]
        for commit in repository.commits.values():
            for entry in commit.entries.values():
                if entry.sha == sha:
                    return entry.content
        raise Problem(422, f"tree.sha {sha} is not a valid blob")

    def _entries_of(self, repository: Repository, tree: str) -> Entries:
        if tree in repository.trees:
            return repository.trees[tree]
        for commit in repository.commits.values():
            if commit.tree_sha == tree:
                return commit.entries
        raise not_found()


def _leads_to(repository: Repository, sha: str, wanted: str) -> bool:
    """Whether a commit is another one, or has it among those it was made on."""
    waiting, seen = [sha], set()
    while waiting:
        one = waiting.pop()
        if one == wanted:
            return True
        if one not in seen and one in repository.commits:
            seen.add(one)
            waiting += repository.commits[one].parents
    return False


def _clash(one: str, other: str) -> bool:
    """Whether Git could not keep both: one would be the other's folder."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")
