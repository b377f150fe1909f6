"""A label was taken off an issue: the benchmark it asked for is not wanted any more.

GitHub lets only people with a say in the repository change labels, so nobody is asked for a
permission here: to stop the spending needs none of the right to spend. A delivery that comes
late, or once more, tells of a label that may be on the issue again; then it is still wanted.
"""

from handlers.decisions import CancelRequests, Decision, Ignore
from handlers.events import IssueUnlabelled
from handlers.questions import HandlerContext, Questions, as_repo


async def on_issue_unlabelled(
    event: IssueUnlabelled, context: HandlerContext, questions: Questions
) -> Decision:
    """Decide on a label that is gone. The App takes it off itself when a request has ended."""
    if context.is_own(event.sender):
        return Ignore("our own doing")
    if not context.allows_owner(event.repository.owner):
        return Ignore(f"the settings do not name {event.repository.owner}")
    asks = (await questions.repo_file()).labels.run.casefold()
    if event.label.casefold() != asks:
        return Ignore(f"the label is not {asks}")
    if event.at and await questions.is_labelled(event.issue, asks, since=event.at):
        return Ignore("the label was put on again")
    return CancelRequests(
        repo=as_repo(event.repository),
        issue=event.issue,
        by=event.sender.login,
        origin="label",
    )
