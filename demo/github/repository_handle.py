"""A repository as tests and the demo act on it: people open issues, label, comment, push.

Nothing here checks what a person may do: a test may want a stranger's label to arrive.
"""

from collections.abc import Sequence
from pathlib import Path

from demo.github.code_actions import CodeActions
from demo.github.comment_actions import CommentActions
from demo.github.commits import load_folder
from demo.github.issue_actions import IssueActions, IssueDraft
from demo.github.repository_actions import RepositoryActions
from demo.github.site import Site
from demo.github.state import Comment, Issue, Release, Repository


class RepositoryHandle:
    """One repository, with what people do in it. Logins are of accounts added before."""

    def __init__(self, site: Site, repository: Repository) -> None:
        self.repository = repository
        self._site = site
        self._issues = IssueActions(site)
        self._comments = CommentActions(site)

    @property
    def full_name(self) -> str:
        return self.repository.full_name

    @property
    def head(self) -> str:
        """Full id of the newest commit. Raises `LookupError` in an empty repository."""
        if self.repository.head is None:
            raise LookupError(f"{self.full_name} has no commit yet")
        return self.repository.head.sha

    def issue(self, number: int) -> Issue:
        """An issue as it stands now, comments and labels in it."""
        return self.repository.issues[number]

    def comments(self, number: int) -> list[str]:
        """The texts of an issue's comments, oldest first."""
        return [comment.body for comment in self.issue(number).comments]

    def labels(self, number: int) -> list[str]:
        """Names of the labels an issue bears."""
        return [label.name for label in self.issue(number).labels]

    def release(self, tag: str) -> Release | None:
        """The published release of a tag, if there is one."""
        return next((r for r in self.repository.releases if r.tag == tag), None)

    def page(self, number: int) -> str:
        """Address of an issue's page."""
        return self._site.addresses.page(self.repository, "issues", number)

    def rename(self, name: str) -> None:
        """Give the repository another name: addresses under the old one redirect."""
        RepositoryActions(self._site).rename(self.repository, name, self.repository.owner)

    def set_private(self, *, is_private: bool = True) -> None:
        """Let only people with a role read it, or everybody."""
        actions = RepositoryActions(self._site)
        actions.set_private(self.repository, self.repository.owner, is_private=is_private)

    def delete(self) -> None:
        """Delete it, with everything that hangs on it."""
        RepositoryActions(self._site).delete(self.repository, self.repository.owner)

    def archive(self, *, is_archived: bool = True) -> None:
        """Make the repository read-only, or writable again."""
        self.repository.is_archived = is_archived

    def push(
        self, folder: Path, *, by: str | None = None, message: str = "Change", branch: str = ""
    ) -> str:
        """Commit a folder as the whole new tree; gives the commit's id."""
        commit = CodeActions(self._site).push(
            self.repository,
            self._site.account(by or self.repository.owner.login),
            load_folder(folder),
            message=message,
            branch=branch or None,
        )
        return commit.sha

    def move_branch(self, commit: str, *, by: str, branch: str = "") -> None:
        """Let a branch lead to a commit that is there: by force, unless it only goes on."""
        CodeActions(self._site).move_branch(
            self.repository,
            self._site.account(by),
            branch or self.repository.default_branch,
            commit,
        )

    def open_issue(  # noqa: PLR0913 -- an issue has this many parts
        self,
        *,
        author: str,
        title: str,
        body: str,
        labels: Sequence[str] = (),
        number: int | None = None,
        is_pull_request: bool = False,
    ) -> Issue:
        """Open an issue, or what the issues API shows of a pull request."""
        draft = IssueDraft(
            title=title,
            body=body,
            labels=labels,
            number=number,
            is_pull_request=is_pull_request,
        )
        return self._issues.open(self.repository, self._site.account(author), draft)

    def edit_issue(
        self, number: int, *, by: str, title: str | None = None, body: str | None = None
    ) -> None:
        """Change an issue's title or body."""
        account = self._site.account(by)
        self._issues.edit(self.repository, self.issue(number), account, title=title, body=body)

    def close(self, number: int, *, by: str) -> None:
        self._issues.set_open(
            self.repository, self.issue(number), self._site.account(by), is_open=False
        )

    def lock(self, number: int, *, by: str) -> None:
        """Lock the conversation: the App cannot comment on it any more."""
        self._issues.lock(self.repository, self.issue(number), self._site.account(by))

    def delete_issue(self, number: int, *, by: str) -> None:
        """Delete an issue: its address answers 410 from now on."""
        self._issues.delete(self.repository, self.issue(number), self._site.account(by))

    def transfer_issue(self, number: int, target: "RepositoryHandle", *, by: str) -> Issue:
        """Move an issue: its address redirects, its comments' answers 404."""
        return self._issues.transfer(
            self.repository, self.issue(number), self._site.account(by), target.repository
        )

    def add_label(self, name: str, *, color: str = "ededed", description: str = "") -> None:
        """Give the repository a label of its own colour."""
        self._issues.create_label(self.repository, name=name, color=color, description=description)

    def label(self, number: int, *names: str, by: str) -> None:
        """Put labels on an issue."""
        issue = self.issue(number)
        self._issues.add_labels(self.repository, issue, self._site.account(by), names)

    def unlabel(self, number: int, *names: str, by: str) -> None:
        """Take labels off an issue."""
        issue = self.issue(number)
        self._issues.remove_labels(self.repository, issue, self._site.account(by), names)

    def comment(self, number: int, *, by: str, body: str) -> Comment:
        """Comment on an issue."""
        account = self._site.account(by)
        return self._comments.write(self.repository, self.issue(number), account, body)

    def edit_comment(self, comment_id: int, *, by: str, body: str) -> None:
        """Change a comment's text."""
        issue, comment = self._comment(comment_id)
        self._comments.edit(self.repository, issue, comment, self._site.account(by), body)

    def delete_comment(self, comment_id: int, *, by: str) -> None:
        """Remove a comment."""
        issue, comment = self._comment(comment_id)
        self._comments.delete(self.repository, issue, comment, self._site.account(by))

    def _comment(self, comment_id: int) -> tuple[Issue, Comment]:
        found = self.repository.find_comment(comment_id)
        if found is None:
            raise LookupError(f"no comment {comment_id} in {self.full_name}")
        return found
