"""Somebody pressed a button of the check run on a pull request.

GitHub shows the buttons only to people who may write. It is asked all the same: the
repository's file may want more than that. The commit that the check run stands on is the one
that may be run, whatever the pull request's head is by now.
"""

from handlers import replies
from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import CheckRunAsked
from handlers.permissions import find_rights
from handlers.questions import HandlerContext, Questions, as_repo
from jobs.requests import Request


async def on_check_run_asked(
    event: CheckRunAsked, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a button; asks for one permission."""
    if (reason := context.reason_to_ignore(event.sender)) is not None:
        return Ignore(reason)
    if not context.allows_owner(event.repository.owner):
        return Ignore(f"the settings do not name {event.repository.owner}")
    rights = await find_rights(event.sender, context, questions, await questions.repo_file())
    if rights.lacks({"run"}) is not None:
        login = event.sender.login
        body = replies.no_permission(login, "run", rights.role_for("run"))
        return Reply(issue=event.issue, body=body, tag=f"button:{event.delivery}")
    repo = as_repo(event.repository)
    request = Request(
        key=f"button:{repo.full_name}#{event.issue}:{event.delivery[:36]}",
        repo=repo,
        issue=event.issue,
        is_pull_request=True,
        asker=event.sender.login,
        origin="button",
        only_failed=event.button == "rerun-failed",
        head=event.head,
        asked_at=context.clock(),
    )
    return Enqueue((request,))
