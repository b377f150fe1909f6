"""The default branch leads to another commit: may a description have changed?

Whether one has, and whether the repository wants it measured then, stands in files that no
handler reads. So what may have is handed on, and the job decides. Nobody has asked for
anything here, so nobody is told why nothing happens, and nobody's permission is asked: only
those who may write can push, and the repository's own file must say that it is wanted.
"""

from handlers.decisions import Decision, Enqueue, Ignore
from handlers.events import Pushed
from handlers.questions import HandlerContext, Questions, as_repo
from jobs.requests import Request


async def on_pushed(event: Pushed, context: HandlerContext, _: Questions) -> Decision:
    """Decide on a push; bots count like people, since many merge through one."""
    if context.is_own(event.sender):
        return Ignore("our own doing")
    if not context.allows_owner(event.repository.owner):
        return Ignore(f"the settings do not name {event.repository.owner}")
    if event.before is None:
        return Ignore("the branch is new, so it has changed nothing")
    if not event.touches_skills:
        return Ignore("no SKILL.md was changed")
    place = f"{event.repository.owner}/{event.repository.name}"
    request = Request(
        key=f"push:{place}:{event.before[:8]}-{event.after[:40]}",
        kind="trigger",
        repo=as_repo(event.repository),
        issue=0,
        asker=event.sender.login,
        origin="push",
        before=event.before,
        after=event.after,
        asked_at=context.clock(),
    )
    return Enqueue((request,))
