"""A pull request was opened, pushed to, retargeted or closed: what it shows, and what stops.

Nobody asks for a run here, so none is begun. Whether it touches a skill stands in files that no
handler reads; the job looks, and shows its check run with the buttons. What waits or runs for a
pull request that is closed, merged or not, is cancelled: nobody decides about it any more.
"""

from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore
from handlers.events import PullRequestChanged
from handlers.questions import HandlerContext, Questions, as_repo
from jobs.requests import LONGEST_KEY, Request


async def on_pull_request_changed(
    event: PullRequestChanged, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a change of a pull request; asks whether a closed one was opened again."""
    if not context.allows_owner(event.repository.owner):
        return Ignore(f"the settings do not name {event.repository.owner}")
    repo = as_repo(event.repository)
    if event.change == "closed":
        if event.at and await questions.is_open(event.issue, since=event.at):
            return Ignore("it was opened again")  # this was delivered late, or once more
        return CancelRequests(repo=repo, issue=event.issue, by=event.sender.login)
    if context.is_own(event.sender):
        return Ignore("our own doing")
    state = event.head[:40]
    if event.change == "retargeted" and event.at:  # the same head, and yet another comparison
        state = f"{event.head[:20]}-{event.at:%Y%m%dT%H%M%S}"
    request = Request(
        key=f"pull:{repo.full_name}#{event.issue}:{state}",
        kind="pull_request",
        repo=repo,
        issue=event.issue,
        is_pull_request=True,
        asker=event.sender.login,
        origin="pull_request",
        head=event.head,
        asked_at=context.clock(),
    )
    return Enqueue((request, _config_check(request)))


def _config_check(request: Request) -> Request:
    """Whether its own settings can be used, where it changes them; told beside the commit alone."""
    return request.model_copy(
        update={
            "key": f"config:{request.key}"[:LONGEST_KEY],
            "kind": "repo_check",
            "issue": 0,
            "is_pull_request": False,
            "after": request.head,
            "head": "",
        }
    )
