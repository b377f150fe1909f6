"""What somebody can do with pull requests of one repository: open, change and merge them."""

from dataclasses import dataclass

from demo.github.answers import Problem, make_field_error
from demo.github.code_actions import CodeActions
from demo.github.commits import Snapshot
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


class PullActions:
    """Changes to pull requests, with their webhooks. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._issues = IssueActions(site)

    def open(self, repository: Repository, by: Account, draft: PullDraft) -> Issue:
        """Open one. Raises `Problem` 422 where GitHub would not."""
        for side in ("base", "head"):
            if getattr(draft, side) not in repository.branches:
                raise make_field_error("PullRequest", side, "invalid")
        head, base = (repository.branches[name] for name in (draft.head, draft.base))
        if head == base:
            words = f"No commits between {draft.base} and {draft.head}"
            raise make_field_error("PullRequest", "head", "custom", words)
        for number, pull in repository.pulls.items():
            if pull.head == draft.head and repository.issues[number].is_open:
                words = f"A pull request already exists for {repository.owner.login}:{draft.head}."
                raise make_field_error("PullRequest", "head", "custom", words)
        issue = self._issues.open(
            repository,
            by,
            IssueDraft(title=draft.title, body=draft.body, is_pull_request=True),
        )
        repository.pulls[issue.number] = Pull(
            head=draft.head, base=draft.base, head_commit=head, base_commit=base
        )
        self._tell(repository, issue, by, "opened")
        return issue

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
        CodeActions(self._site).push(
            repository,
            by,
            Snapshot(entries),
            message=f"Merge pull request #{issue.number} from {pull.head}",
            branch=pull.base,
        )

    def _tell(self, repository: Repository, issue: Issue, by: Account, action: str) -> None:
        pull = repository.pulls[issue.number]
        shape = pull_shape(self._site.addresses, repository, issue, pull)
        self._site.notify(
            "pull_request", action, repository, by, number=issue.number, pull_request=shape
        )
