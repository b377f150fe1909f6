"""A label was put on an issue, or the issue was opened with it: what is wanted?

The repository's own file says what its labels are called. Both deliveries of one labelled new
issue lead to the same request key, so that the work is done once. The issue's text is not looked
at here; the job reads it as it stands then.
"""

from collections.abc import Collection

from config.repo_file import RepoFile
from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import IssueLabelled
from handlers.permissions import find_rights
from handlers.questions import HandlerContext, Questions, as_repo
from handlers.replies import no_permission, owner_not_allowed
from jobs.requests import Request


async def on_issue_labelled(
    event: IssueLabelled, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a label; asks for the repository's file, and for a permission where it matters."""
    if (reason := context.reason_to_ignore(event.sender)) is not None:
        return Ignore(reason)
    login = event.sender.login
    is_served = context.allows_owner(event.repository.owner)
    # whoever is not served costs no call, and is told so where the label is the usual one
    repo_file = await questions.repo_file() if is_served else RepoFile()
    names = {label.casefold() for label in event.labels}
    asks = repo_file.labels.run.casefold() in names
    keeps = is_served and _is_kept(event, names, repo_file)
    if asks and not is_served:
        return _reply(event, owner_not_allowed(login, event.repository.owner), "owner")
    if not asks and not keeps:
        return Ignore("none of the labels asks for anything")
    rights = await find_rights(event.sender, context, questions, repo_file)
    if "run" in rights.may:
        wanted = [_benchmark(event, context, repo_file)] if asks else []
        return Enqueue((*wanted, _sync(event, context)) if keeps else tuple(wanted))
    if asks:
        return _reply(event, no_permission(login, "run", rights.role_for("run")), "permission")
    return Ignore(f"{login} may not start anything")


def _is_kept(event: IssueLabelled, names: Collection[str], repo_file: RepoFile) -> bool:
    """Whether the issue has become an eval case that is kept as a file."""
    return repo_file.evals.sync and not event.is_pull_request and repo_file.labels.mark_evals(names)


def _benchmark(event: IssueLabelled, context: HandlerContext, repo_file: RepoFile) -> Request:
    return Request(
        key=f"label:{event.repository.owner}/{event.repository.name}#{event.issue}",
        repo=as_repo(event.repository),
        issue=event.issue,
        is_pull_request=event.is_pull_request,
        asker=event.sender.login,
        origin="label",
        label=repo_file.labels.run,
        text_as_of=event.at,
        asked_at=context.clock(),
    )


def _sync(event: IssueLabelled, context: HandlerContext) -> Request:
    """One for the whole repository: of many labels at once, the first and one more at most."""
    return Request(
        key=f"sync:{event.repository.owner}/{event.repository.name}",
        kind="sync",
        repo=as_repo(event.repository),
        issue=0,
        asker=event.sender.login,
        origin="label",
        asked_at=context.clock(),
    )


def _reply(event: IssueLabelled, body: str, topic: str) -> Reply:
    """One line; the tag names label, topic and person, so `opened` plus `labeled` say it once."""
    return Reply(issue=event.issue, body=body, tag=f"label:{topic}:{event.sender.login}")
