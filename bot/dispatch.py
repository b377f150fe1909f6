"""Who answers which event, and what becomes of the answer.

The table names every handler. A handler only decides; here its decision is carried out:
a reason is logged, a reply is posted once, requests are put on their queue. Whoever asks
again for what is on its way is told so.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

import structlog

from bot.queues import Asking
from handlers.check_run_asked import on_check_run_asked
from handlers.decisions import CancelRequests, Decision, Enqueue, Ignore, Inquire, Reply
from handlers.events import (
    CheckRunAsked,
    Event,
    InstallationChanged,
    IssueCommented,
    IssueLabelled,
    IssueUnlabelled,
    PullRequestChanged,
    Pushed,
    RepositoryChanged,
)
from handlers.installation_changed import on_installation_changed
from handlers.issue_commented import on_issue_commented
from handlers.issue_labelled import on_issue_labelled
from handlers.issue_unlabelled import on_issue_unlabelled
from handlers.pull_request_changed import on_pull_request_changed
from handlers.pushed import on_pushed
from handlers.questions import HandlerContext, Questions
from handlers.replies import asked_before, no_room
from handlers.repository_changed import on_repository_changed
from jobs.errors import Gone
from jobs.ports import IssueWriter
from jobs.reporting.fit import CAP, size
from jobs.requests import Inquiry, Request

Handler = Callable[[Any, HandlerContext, Questions], Awaitable[Decision]]
AnswerInquiry = Callable[[Inquiry], Awaitable[str]]
"""Gives the Markdown that answers a reading command."""

HANDLERS: dict[type[Event], Handler] = {
    IssueLabelled: on_issue_labelled,
    IssueUnlabelled: on_issue_unlabelled,
    IssueCommented: on_issue_commented,
    Pushed: on_pushed,
    PullRequestChanged: on_pull_request_changed,
    CheckRunAsked: on_check_run_asked,
    InstallationChanged: on_installation_changed,
    RepositoryChanged: on_repository_changed,
}

SAME_MOMENT = timedelta(minutes=1)
"""An issue opened with a label is delivered twice within it: nobody has asked twice."""

log = structlog.get_logger(__name__)


class Repository(IssueWriter, Questions, Protocol):
    """What dispatch needs of one repository: the handlers' questions, and a place to answer."""

    async def has_said(self, issue: int, tag: str) -> bool:
        """Whether a comment of ours on an issue bears this tag."""


class RequestQueue(Protocol):
    """What dispatch needs of the queue of requests."""

    async def enqueue(self, request: Request, *, delivery: str) -> bool:
        """Put a request on it; False where it is there, or was, and may not come again."""

    async def find_asking(self, request: Request) -> Asking | None:
        """Which delivery put the request with this key on it."""

    async def cancel(self, decision: CancelRequests) -> int:
        """Take off it what a decision means; how many requests those were."""

    async def is_being_cancelled(self, request: Request) -> bool:
        """Whether the request with this key on it was cancelled, and has not ended yet."""


async def dispatch(
    event: Event,
    context: HandlerContext,
    repository: Repository,
    queue: RequestQueue,
    answer: AnswerInquiry,
) -> Decision:
    """Decide on an event and carry the decision out; gives it, for the log and the tests.

    `answer` is asked what reading commands want to know. Doing it twice has the effect of doing
    it once. Raises `Transient` and `Gone` as GitHub does.
    """
    decision = await HANDLERS[type(event)](event, context, repository)
    wanted: Enqueue | None = None
    match decision:
        case Ignore(reason=reason):
            log.info("event_ignored", reason=reason)
        case Reply():
            await _reply(decision, repository)
        case Inquire():
            await _inquire(decision, context, repository, answer)
        case CancelRequests():
            nothing = await _cancel(decision, repository, queue)
            wanted = _beside(nothing, decision.then) if nothing else decision.then
        case Enqueue():
            wanted = decision
    if wanted is not None:
        await _enqueue_all(wanted, event, context, repository, queue)
        if wanted.inquire is not None:
            await _inquire(wanted.inquire, context, repository, answer)
    return decision


async def _cancel(
    decision: CancelRequests, repository: Repository, queue: RequestQueue
) -> Reply | None:
    """Cancel; gives what is to be said where something could not be."""
    count = await queue.cancel(decision)
    log.info("requests_cancelled", issue=decision.issue, by=decision.by, count=count)
    if count and decision.comment_id is not None:
        with suppress(Gone):  # the comment was deleted, and is obeyed all the same
            await repository.react(decision.issue, decision.comment_id, "+1")
    return decision.nothing_to_cancel if count < max(1, len(decision.runs)) else None


def _beside(said: Reply, rest: Enqueue) -> Enqueue:
    """What else a comment asks for, with one more thing to say to it: in one comment of ours."""
    if rest.inquire is not None:
        beside = _joined(said, rest.inquire.beside)
        return replace(rest, inquire=replace(rest.inquire, beside=beside))
    first = next(iter(rest.replies), None)
    return replace(rest, replies=(_joined(said, first), *rest.replies[1:]))


def _joined(said: Reply, other: Reply | None) -> Reply:
    if other is None:
        return said
    body = f"{said.body.strip()}\n\n---\n\n{other.body}"
    return replace(said, body=body, reaction_to=other.reaction_to)


async def _inquire(
    decision: Inquire, context: HandlerContext, repository: Repository, answer: AnswerInquiry
) -> None:
    """Answer all that a comment wants to know, and what else there is to say to it, at once.

    An answer that stands there already stays as it is: it was true when it was given.
    """
    if await repository.has_said(decision.issue, decision.tag):
        log.info("answered_before", tag=decision.tag)
        return
    with suppress(Gone):  # the comment was deleted, and is answered all the same
        await repository.react(decision.issue, decision.comment_id, "eyes")
    answers = [(one.name, await answer(one)) for one in decision.inquiries]
    beside = decision.beside
    bodies = list(_with_room(answers, context.mention))
    if beside is not None:
        bodies.append(beside.body)
    await _reply(
        Reply(
            issue=decision.issue,
            body="\n\n---\n\n".join(one.strip() for one in bodies),
            tag=decision.tag,
            reaction_to=beside.reaction_to if beside else None,
        ),
        repository,
    )


def _with_room(answers: Sequence[tuple[str, str]], mention: str) -> Iterator[str]:
    """The answers that one comment has room for, and in place of each other one a line.

    Any of them fits by itself.
    """
    room = CAP
    for name, text in answers:
        room -= size(text)
        yield text if room >= 0 else no_room(name, mention)


async def _enqueue_all(
    decision: Enqueue,
    event: Event,
    context: HandlerContext,
    repository: Repository,
    queue: RequestQueue,
) -> None:
    answers = list(decision.replies)
    for request in decision.requests:
        if not await _enqueue(request, event, queue):
            answers += await _asked_again(request, event, context, queue)
    for answer in answers:
        await _reply(answer, repository)


async def _enqueue(request: Request, event: Event, queue: RequestQueue) -> bool:
    is_new = await queue.enqueue(request, delivery=event.delivery)
    log.info("request_enqueued", key=request.key, is_new=is_new)
    return is_new


async def _asked_again(
    request: Request, event: Event, context: HandlerContext, queue: RequestQueue
) -> list[Reply]:
    """What to say about a request that was not taken: nothing, where only we see it twice."""
    nobody_waits = (Pushed, PullRequestChanged, InstallationChanged, RepositoryChanged)
    if isinstance(event, nobody_waits) or not request.issue:
        return []
    earlier = await queue.find_asking(request)
    if earlier is None or earlier.delivery == event.delivery:
        return []
    if await queue.is_being_cancelled(request):
        return []  # it is carried out once the cancelled one has ended
    if context.clock() - earlier.at < SAME_MOMENT:
        return []
    body = asked_before(context.mention, earlier.at)
    return [Reply(issue=event.issue, body=body, tag=f"again:{event.delivery}")]


async def _reply(reply: Reply, repository: Repository) -> None:
    await repository.comment(reply.issue, reply.body, tag=reply.tag)
    if reply.reaction_to is not None:
        await repository.react(reply.issue, reply.reaction_to, "confused")
    log.info("replied", tag=reply.tag)
