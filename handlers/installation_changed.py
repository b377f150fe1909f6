"""The App was installed somewhere, suspended, or removed: who is welcomed, and what stops.

Nobody asks for anything here, so nobody is told why nothing happens. What stops is stopped
for every owner, also for one whom the settings no longer name.
"""

from handlers.decisions import Decision, Enqueue, Ignore, StopServing
from handlers.events import InstallationChanged
from handlers.questions import HandlerContext, as_repo
from jobs.requests import Request


async def on_installation_changed(
    event: InstallationChanged, context: HandlerContext, _: object = None
) -> Decision:
    """Decide on a change of an installation; asks nothing."""
    if event.change in {"removed", "suspended"}:
        return StopServing(
            installation_id=event.installation_id,
            by=event.sender.login,
            may_come_back=event.change == "suspended",
            repositories=None
            if event.is_whole
            else tuple(f"{one.owner}/{one.name}" for one in event.repositories),
        )
    if not context.allows_owner(event.owner):
        return Ignore(f"the settings do not name {event.owner}")
    if event.change == "granted":
        return Ignore("what was granted is used when it is needed next")
    if not event.repositories:
        return Ignore("no repository is in it")
    return Enqueue(
        tuple(
            Request(
                key=f"welcome:{one.owner}/{one.name}:{event.delivery[:36]}",
                kind="welcome",
                repo=as_repo(one),
                issue=0,
                asker=event.sender.login,
                origin="installation",
                chosen=event.is_chosen,
                asked_at=context.clock(),
            )
            for one in event.repositories
        )
    )
