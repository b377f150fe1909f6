"""What somebody can do with comments and reactions, with the webhooks GitHub would send."""

from collections.abc import Sequence
from typing import Any, cast

from demo.github.answers import Problem, make_field_error
from demo.github.issue_actions import check_length
from demo.github.shapes import CONTENTS, comment_shape, issue_shape
from demo.github.site import Site
from demo.github.state import (
    Account,
    Comment,
    Issue,
    Reaction,
    ReactionContent,
    Repository,
)


class CommentActions:
    """Changes to comments and reactions. Permission is the caller's to check."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def write(self, repository: Repository, issue: Issue, by: Account, body: str) -> Comment:
        """Comment on an issue. Raises `Problem` 403 where it is locked, 422 for the text."""
        if issue.is_locked and by.kind == "Bot":
            raise Problem(403, "Unable to create comment because issue is locked.")
        self.check(body)
        now = self._site.clock()
        comment = Comment(
            id=self._site.state.next_id(), author=by, body=body, created_at=now, updated_at=now
        )
        issue.comments.append(comment)
        issue.updated_at = now
        self._tell(repository, issue, comment, by, "created")
        return comment

    def edit(
        self, repository: Repository, issue: Issue, comment: Comment, by: Account, body: str
    ) -> None:
        """Change a comment's text; the event carries what stood there before."""
        self.check(body)
        before, comment.body = comment.body, body
        if before == body:
            return
        comment.updated_at = self._site.clock()
        changes = {"body": {"from": before}}
        self._tell(repository, issue, comment, by, "edited", changes=changes)

    def delete(self, repository: Repository, issue: Issue, comment: Comment, by: Account) -> None:
        """Remove a comment for good."""
        issue.comments.remove(comment)
        self._tell(repository, issue, comment, by, "deleted")

    def react(self, reactions: list[Reaction], by: Account, content: str) -> tuple[Reaction, bool]:
        """Put an emoji; the second value is False where it stood there already."""
        if content not in CONTENTS:
            raise make_field_error("Reaction", "content", "invalid")
        present = next((r for r in reactions if r.account is by and r.content == content), None)
        if present:
            return present, False
        reaction = Reaction(
            id=self._site.state.next_id(),
            account=by,
            content=cast("ReactionContent", content),
            created_at=self._site.clock(),
        )
        reactions.append(reaction)
        return reaction, True

    def take_back(self, reactions: list[Reaction], by: Account, contents: Sequence[str]) -> None:
        """Remove one's own emoji; absent ones are no error."""
        reactions[:] = [r for r in reactions if not (r.account is by and r.content in contents)]

    def check(self, body: str) -> None:
        """Refuse a text that no comment may have. Raises `Problem` 422."""
        if not body.strip():
            raise make_field_error("IssueComment", "body", "missing_field", "Body can't be blank")
        check_length("IssueComment", body)

    def _tell(
        self,
        repository: Repository,
        issue: Issue,
        comment: Comment,
        by: Account,
        action: str,
        **parts: Any,
    ) -> None:
        at, app = self._site.addresses, self._site.state.app
        self._site.notify(
            "issue_comment",
            action,
            repository,
            by,
            issue=issue_shape(at, app, repository, issue),
            comment=comment_shape(at, app, repository, issue, comment),
            **parts,
        )
