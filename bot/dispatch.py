"""Who answers which event, and what becomes of the answer.

The table names every handler. A handler only decides; here its decision is carried out:
a reason is logged, a reply is posted once, requests are put on their queue.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import structlog

from handlers.decisions import Decision, Enqueue, Ignore, Reply
from handlers.events import Event, IssueCommented, IssueLabelled
from handlers.issue_commented import on_issue_commented
from handlers.issue_labelled import on_issue_labelled
from handlers.questions import HandlerContext, Questions
from jobs.ports import IssueWriter
from jobs.requests import Request

Handler = Callable[[Any, HandlerContext, Questions], Awaitable[Decision]]

HANDLERS: dict[type[Event], Handler] = {
    IssueLabelled: on_issue_labelled,
    IssueCommented: on_issue_commented,
}

EnqueueRequest = Callable[[Request], Awaitable[bool]]
"""Puts a request on its queue; False where it is there already."""

log = structlog.get_logger(__name__)


class Repository(IssueWriter, Questions, Protocol):
    """What dispatch needs of one repository: the handlers' questions, and a place to answer."""


async def dispatch(
    event: Event, context: HandlerContext, repository: Repository, enqueue: EnqueueRequest
) -> Decision:
    """Decide on an event and carry the decision out; gives it, for the log and the tests.

    Doing it twice has the effect of doing it once. Raises `Transient` and `Gone` as GitHub
    does.
    """
    decision = await HANDLERS[type(event)](event, context, repository)
    match decision:
        case Ignore(reason=reason):
            log.info("event_ignored", reason=reason)
        case Reply():
            await _reply(decision, repository)
        case Enqueue(requests=requests, replies=replies):
            for request in requests:
                is_new = await enqueue(request)
                log.info("request_enqueued", key=request.key, is_new=is_new)
            for reply in replies:
                await _reply(reply, repository)
    return decision


async def _reply(reply: Reply, repository: Repository) -> None:
    await repository.comment(reply.issue, reply.body, tag=reply.tag)
    if reply.reaction_to is not None:
        await repository.react(reply.issue, reply.reaction_to, "confused")
    log.info("replied", tag=reply.tag)
