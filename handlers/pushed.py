"""The default branch leads to another commit: may a skill, or its description, have changed?

Whether one has, and whether the repository wants it measured then, stands in files and results
that no handler reads. So what may have is handed on, and the jobs decide. Nobody has asked for
anything here, so nobody is told why nothing happens, and nobody's permission is asked: only
those who may write can push, and only what the repository has shown that it wants to know is
measured (`jobs/pushes/planning.py`, and `trigger` in the repository's own file).
"""

from handlers.decisions import Decision, Enqueue, Ignore
from handlers.events import Pushed
from handlers.permissions import find_rights
from handlers.questions import HandlerContext, Questions, as_repo
from jobs.requests import Kind, Request


async def on_pushed(event: Pushed, context: HandlerContext, questions: Questions) -> Decision:
    """Decide on a push; bots count like people, since many merge through one.

    Only where somebody asks for an earlier one again, their permission is asked.
    """
    if context.is_own(event.sender):
        return Ignore("our own doing")
    if not context.allows_owner(event.repository.owner):
        return Ignore(f"the settings do not name {event.repository.owner}")
    if event.asked_again:
        return await _decide_again(event, context, questions)
    if event.before is None:
        return Ignore("the branch is new, so it has changed nothing")
    # any file of a skill may have changed, a description only with its SKILL.md
    asked = [_request("changed_skills", "changed", event, context)]
    if event.touches_skills:
        asked.append(_request("trigger", "push", event, context))
    if event.touches_config:
        asked.append(_request("repo_check", "config", event, context))
    return Enqueue(tuple(asked))


async def _decide_again(event: Pushed, context: HandlerContext, questions: Questions) -> Decision:
    """Somebody wants a check run again; the one on the repository's file spends nothing."""
    if event.touches_config:
        return Enqueue((_request("repo_check", "config-again", event, context),))
    rights = await find_rights(event.sender, context, questions, await questions.repo_file())
    if rights.lacks({"run"}) is not None:
        return Ignore(f"{event.sender.login} may not start runs here")
    return Enqueue((_request("changed_skills", "again", event, context),))


def _request(kind: Kind, name: str, event: Pushed, context: HandlerContext) -> Request:
    place = f"{event.repository.owner}/{event.repository.name}"
    which = f"{(event.before or '')[:8]}-{event.after[:40]}"
    if kind == "changed_skills" or event.asked_again:
        # pushed away and back again, what was superseded meanwhile is wanted after all
        which = f"{event.after[:12]}:{event.delivery[:36]}"
    return Request(
        key=f"{name}:{place}:{which}",
        kind=kind,
        repo=as_repo(event.repository),
        issue=0,
        asker=event.sender.login,
        origin="push",
        before=event.before,
        after=event.after,
        asked_at=context.clock(),
    )
