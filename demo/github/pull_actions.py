"""What somebody can do with pull requests of one repository: open, change and merge them."""

from dataclasses import dataclass
from typing import Any

from demo.github.answers import Problem, make_field_error
from demo.github.code_actions import CodeActions
from demo.github.commits import Commit, Snapshot
from demo.github.issue_actions import IssueActions, IssueDraft
from demo.github.shapes_git import pull_shape
from demo.github.site import Site
from demo.github.state import Account, Issue, Pull, Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class PullDraft:
    """What a new pull request is to be."""

    title: str
    body: str
    head: str
    base: str
    fork: Repository | None = None
    """Where the head branch lies, if it is another repository."""


class PullActions:
    """Changes to pull requests, with their webhooks. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._issues = IssueActions(site)

    def open(self, repository: Repository, by: Account, draft: PullDraft) -> Issue:
        """Open one. Raises `Problem` 422 where GitHub would not."""
        sides = {"base": repository, "head": draft.fork or repository}
        for side, place in sides.items():
            if getattr(draft, side) not in place.branches:
                raise make_field_error("PullRequest", side, "invalid")
        head, base = sides["head"].branches[draft.head], repository.branches[draft.base]
        if head == base:
            words = f"No commits between {draft.base} and {draft.head}"
            raise make_field_error("PullRequest", "head", "custom", words)
        for number, pull in repository.pulls.items():
            is_same = pull.head == draft.head and pull.fork is draft.fork
            if is_same and repository.issues[number].is_open:
                words = f"A pull request already exists for {repository.owner.login}:{draft.head}."
                raise make_field_error("PullRequest", "head", "custom", words)
        issue = self._issues.open(
            repository,
            by,
            IssueDraft(title=draft.title, body=draft.body, is_pull_request=True),
        )
        repository.pulls[issue.number] = Pull(
            head=draft.head,
            base=draft.base,
            head_commit=head,
            base_commit=base,
            fork=draft.fork,
        )
        self._tell(repository, issue, by, "opened")
        return issue

    def push(self, repository: Repository, issue: Issue, by: Account, snapshot: Snapshot) -> Commit:
        """Put a whole new tree on the head branch, in the fork if it is one."""
        pull = repository.pulls[issue.number]
        code = CodeActions(self._site)
        if pull.fork is None:
            return code.push(repository, by, snapshot, message="Change", branch=pull.head)
        commit = code.push(pull.fork, by, snapshot, message="Change", branch=pull.head)
        repository.commits[commit.sha] = commit  # as refs/pull/N/head has it
        code.move_heads(repository, by, pull.head, commit, fork=pull.fork)
        return commit

    def close(self, repository: Repository, issue: Issue, by: Account) -> None:
        """Close it without merging."""
        self._issues.set_open(repository, issue, by, is_open=False)
        self._tell(repository, issue, by, "closed")

    def merge(self, repository: Repository, issue: Issue, by: Account) -> None:
        """Put what it changes onto its base branch. Raises `Problem` 405 where it is not open."""
        pull = repository.pulls[issue.number]
        if not issue.is_open:
            raise Problem(405, "Pull Request is not mergeable")
        head = repository.commits[pull.head_commit]
        base = repository.commits[pull.base_commit]
        changed = head.changed_since(base)
        now = repository.commits[repository.branches[pull.base]]
        entries = dict(now.entries)
        for path in changed["added"] + changed["modified"]:
            entries[path] = head.entries[path]
        for path in changed["removed"]:
            entries.pop(path, None)
        pull.merged_at, pull.merged_by = self._site.clock(), by
        self._issues.set_open(repository, issue, by, is_open=False)
        self._tell(repository, issue, by, "closed")
        CodeActions(self._site).push(
            repository,
            by,
            Snapshot(entries),
            message=f"Merge pull request #{issue.number} from {pull.head}",
            branch=pull.base,
        )

    def retarget(self, repository: Repository, issue: Issue, by: Account, base: str) -> None:
        """Let it be merged into another branch. Raises `Problem` 422 where there is none."""
        if base not in repository.branches:
            raise make_field_error("PullRequest", "base", "invalid")
        pull = repository.pulls[issue.number]
        before = {"ref": {"from": pull.base}, "sha": {"from": pull.base_commit}}
        pull.base, pull.base_commit = base, repository.branches[base]
        self._tell(repository, issue, by, "edited", changes={"base": before})

    def _tell(
        self, repository: Repository, issue: Issue, by: Account, action: str, **parts: Any
    ) -> None:
        pull = repository.pulls[issue.number]
        shape = pull_shape(self._site.addresses, repository, issue, pull)
        number = issue.number
        self._site.notify(
            "pull_request", action, repository, by, number=number, pull_request=shape, **parts
        )
