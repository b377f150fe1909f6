"""What somebody can do to a repository's code and releases: push, release, attach files."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from demo.github.answers import Problem, make_field_error
from demo.github.commits import Commit, Snapshot, make_commit
from demo.github.shapes import Json, render_time
from demo.github.shapes_git import pull_shape
from demo.github.site import Site
from demo.github.state import Account, Asset, Release, Repository

MOST_ASSETS = 1000
"""Assets a release holds at most (docs: "About releases")."""
MOST_LISTED = 20
"""Commits of a push that its event lists; a server may list up to 2,048 (docs: "push")."""
_NO_COMMIT = "0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDraft:
    """What a new release is to be."""

    tag: str
    target: str
    name: str
    body: str
    is_draft: bool = False
    is_prerelease: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file to attach to a release."""

    name: str
    content: bytes
    content_type: str
    label: str | None = None


class CodeActions:
    """Changes to commits and releases. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def push(
        self,
        repository: Repository,
        by: Account,
        snapshot: Snapshot,
        *,
        message: str,
        branch: str | None = None,
    ) -> Commit:
        """Commit a whole new tree to a branch and tell of the push."""
        branch = branch or repository.default_branch
        parent = repository.find_commit(branch)
        now = self._site.clock()
        commit = make_commit(snapshot, parent=parent, author=by.login, at=now, message=message)
        repository.commits[commit.sha] = commit
        repository.branches[branch] = commit.sha
        repository.pushed_at = now
        self.tell_push(repository, by, branch, parent, commit)
        self.move_heads(repository, by, branch, commit)
        return commit

    def move_heads(
        self,
        repository: Repository,
        by: Account,
        branch: str,
        commit: Commit,
        *,
        fork: Repository | None = None,
    ) -> None:
        """Let the open pull requests from a branch lead to a commit, and tell of each."""
        for number, pull in repository.pulls.items():
            issue = repository.issues[number]
            if (pull.head, pull.fork) != (branch, fork) or not issue.is_open:
                continue
            before, pull.head_commit = pull.head_commit, commit.sha
            shape = pull_shape(self._site.addresses, repository, issue, pull)
            parts = {"number": number, "before": before, "after": commit.sha}
            self._site.notify(
                "pull_request", "synchronize", repository, by, **parts, pull_request=shape
            )

    def move_branch(self, repository: Repository, by: Account, branch: str, commit: str) -> None:
        """Let a branch lead to a commit that is there, as a fast-forward or by force.

        Raises `Problem` 422 for a commit that is not there.
        """
        if commit not in repository.commits:
            raise Problem(422, f"No commit found for SHA: {commit}")
        before = repository.find_commit(branch)
        repository.branches[branch] = commit
        repository.pushed_at = self._site.clock()
        self.tell_push(repository, by, branch, before, repository.commits[commit])

    def create_release(self, repository: Repository, by: Account, draft: ReleaseDraft) -> Release:
        """Make a release and, unless it is a draft, its tag. Raises `Problem` 422."""
        published = [release for release in repository.releases if not release.is_draft]
        if any(release.tag == draft.tag for release in published):
            raise make_field_error("Release", "tag_name", "already_exists")
        commit = repository.find_commit(draft.target)
        if commit is None:
            if repository.head is None:
                raise Problem(422, "Repository is empty.")
            raise make_field_error("Release", "target_commitish", "invalid")
        if not draft.is_draft:
            repository.tags.setdefault(draft.tag, commit.sha)
        release = Release(
            id=self._site.state.next_id(),
            tag=draft.tag,
            target=draft.target,
            name=draft.name,
            body=draft.body,
            is_draft=draft.is_draft,
            is_prerelease=draft.is_prerelease,
            is_immutable=repository.releases_are_immutable and not draft.is_draft,
            author=by,
            created_at=self._site.clock(),
        )
        repository.releases.append(release)
        return release

    def attach(self, release: Release, by: Account, upload: Upload) -> Asset:
        """Attach a file; odd characters in its name become dots, as GitHub writes them.

        Raises `Problem` 422 for a name that is taken and for a full or immutable release.
        """
        name = re.sub(r"[^A-Za-z0-9._+@~-]+", ".", upload.name).strip(".")
        if not name:
            raise make_field_error("ReleaseAsset", "name", "missing_field")
        if release.is_immutable:
            raise Problem(422, "Cannot upload assets to an immutable release.")
        if any(asset.name == name for asset in release.assets):
            raise make_field_error("ReleaseAsset", "name", "already_exists")
        if len(release.assets) >= MOST_ASSETS:
            message = f"file_count limited to {MOST_ASSETS} assets per release"
            raise make_field_error("ReleaseAsset", "file_count", "custom", message)
        asset = Asset(
            id=self._site.state.next_id(),
            name=name,
            label=upload.label,
            content_type=upload.content_type,
            content=upload.content,
            digest=f"sha256:{hashlib.sha256(upload.content).hexdigest()}",
            uploader=by,
            created_at=self._site.clock(),
        )
        release.assets.append(asset)
        return asset

    def tell_push(
        self,
        repository: Repository,
        by: Account,
        branch: str,
        before: Commit | None,
        commit: Commit,
    ) -> None:
        """Tell the App that a branch leads to a commit now."""
        at = self._site.addresses
        chain = _commits_between(repository, before, commit)
        rows = [self._commit_row(repository, by, one) for one in chain]
        old = before.sha if before else _NO_COMMIT
        parts: dict[str, Any] = {
            "ref": f"refs/heads/{branch}",
            "before": old,
            "after": commit.sha,
            "created": before is None,
            "deleted": False,
            "forced": before is not None and not rows,
            "base_ref": None,
            "compare": at.page(repository, "compare", f"{old[:12]}...{commit.sha[:12]}"),
            "commits": rows[-MOST_LISTED:],
            "head_commit": rows[-1] if rows else self._commit_row(repository, by, commit),
            "pusher": {"name": by.login, "email": _address_of(by)},
        }
        self._site.notify("push", None, repository, by, **parts)

    def _commit_row(self, repository: Repository, by: Account, commit: Commit) -> Json:
        person = {"name": by.login, "email": _address_of(by), "username": by.login}
        parent = repository.commits.get(commit.parents[0]) if commit.parents else None
        return {
            "id": commit.sha,
            "tree_id": commit.tree_sha,
            "distinct": True,
            "message": commit.message,
            "timestamp": render_time(commit.at),
            "url": self._site.addresses.page(repository, "commit", commit.sha),
            "author": person,
            "committer": person,
            **commit.changed_since(parent),
        }


def _address_of(account: Account) -> str:
    return f"{account.login}@users.noreply.github.com"


def _commits_between(repository: Repository, before: Commit | None, commit: Commit) -> list[Commit]:
    """The commits that a push brought, oldest first; none where it led back or elsewhere."""
    chain = [commit]
    while chain[-1].parents and (before is None or before.sha not in chain[-1].parents):
        chain.append(repository.commits[chain[-1].parents[0]])
    leads_on = before is None or before.sha in chain[-1].parents
    return chain[::-1] if leads_on else []
