"""A label was put on an issue, or the issue was opened with it: is a benchmark wanted?

Both deliveries of one labelled new issue lead to the same request key, so that the work is
done once. The issue's text is not looked at here; the job reads it as it stands then.
"""

from handlers import replies
from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import IssueLabelled
from handlers.questions import HandlerContext, Questions, as_repo, may_spend
from jobs.requests import NEEDS_BENCHMARK, Request


async def on_issue_labelled(
    event: IssueLabelled, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a label; asks at most one question, and none if the label is not ours."""
    if NEEDS_BENCHMARK not in {label.casefold() for label in event.labels}:
        return Ignore(f"none of the labels is {NEEDS_BENCHMARK}")
    if (reason := context.reason_to_ignore(event.sender)) is not None:
        return Ignore(reason)
    login = event.sender.login
    if not context.allows_owner(event.repository.owner):
        return _reply(event, replies.owner_not_allowed(login, event.repository.owner), "owner")
    if event.is_pull_request:
        return _reply(event, replies.pull_requests_not_offered(), "pull-request")
    if not await may_spend(event.sender, context, questions):
        return _reply(event, replies.no_permission(login), "permission")
    request = Request(
        key=f"label:{event.repository.owner}/{event.repository.name}#{event.issue}",
        repo=as_repo(event.repository),
        issue=event.issue,
        asker=login,
        origin="label",
        asked_at=context.clock(),
    )
    return Enqueue((request,))


def _reply(event: IssueLabelled, body: str, topic: str) -> Reply:
    """One line; the tag names label, topic and person, so `opened` plus `labeled` say it once."""
    return Reply(issue=event.issue, body=body, tag=f"label:{topic}:{event.sender.login}")
