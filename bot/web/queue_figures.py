"""What one visitor sees of the queue, and what they may do about it."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from bot.queue_asking import can_be_retried
from bot.web.access import Visitor
from bot.web.queue_reading import Asking, Place, Reading
from jobs.content.markdown import plain_text
from jobs.dashboard.queue import FailedItem, QueuedItem, QueueFigures, RunLink
from jobs.failures import Failure
from jobs.inquiries.words import asked_plain
from jobs.live_sessions import RunNow
from jobs.requests import WEB, Repo

SIGNS = "\N{CROSS MARK}\N{WARNING SIGN}\N{VARIATION SELECTOR-16} "
"""What answers on issues begin with; the page has signs of its own."""


def make_figures(reading: Reading, visitor: Visitor) -> QueueFigures:
    """The queue as this visitor sees it."""
    askings = list(_without_parts(reading.askings))
    own = [one for one in askings if sees(visitor, one.request.repo, reading)]
    others = [one for one in askings if not sees(visitor, one.request.repo, reading)]
    items = [_queued(one, reading, visitor) for one in own]
    return QueueFigures(
        running=tuple(one for one in items if one.position == 0),
        waiting=tuple(one for one in items if one.position),
        failed=tuple(
            _failed(one, reading, visitor)
            for one in reading.failures
            if sees(visitor, one.request.repo, reading)
        ),
        other_running=sum(one.position == 0 for one in others),
        other_waiting=sum(one.position > 0 for one in others),
        unread=reading.unread,
        workers=reading.workers,
        events=reading.events,
        at=reading.at,
    )


def sees(visitor: Visitor, repo: Repo, reading: Reading) -> bool:
    """Whether a visitor sees the requests of a repository; those of pages are the operator's."""
    if repo == WEB:
        return visitor.is_operator
    return visitor.sees(_place(repo, reading).repo)


def may_cancel(visitor: Visitor, one: Asking, place: Place) -> bool:
    """As on the issue: with the role that it takes, and otherwise one's own."""
    request = one.request
    if request.repo == WEB or not request.issue or not visitor.sees(place.repo):
        return False
    is_theirs = visitor.is_known and request.asker.casefold() == visitor.login.casefold()
    return is_theirs or visitor.may_act(place.repo, place.rights.cancel)


def may_retry(visitor: Visitor, failure: Failure, place: Place) -> bool:
    """Whether it can be asked for again, and the visitor may start what costs money."""
    is_possible = can_be_retried(failure) and visitor.sees(place.repo)
    return is_possible and visitor.may_act(place.repo, place.rights.run)


def _place(repo: Repo, reading: Reading) -> Place:
    return reading.places[repo.full_name.lower()]


def _without_parts(askings: Iterable[Asking]) -> Iterable[Asking]:
    """Requests as whoever asked knows them: the parts of one run of a dataset are one."""
    runs: set[str | None] = set()
    for one in askings:
        if one.request.kind == "dataset_chunk":
            if one.request.run in runs:
                continue
            runs.add(one.request.run)
        yield one


def _queued(one: Asking, reading: Reading, visitor: Visitor) -> QueuedItem:
    request = one.request
    place = _place(request.repo, reading)
    is_ahead = one.expected_at is not None and one.expected_at > reading.at
    return QueuedItem(
        reference=one.reference,
        position=one.position,
        repo=request.repo.full_name,
        kind=request.kind,
        asked=asked_plain(request),
        issue=request.issue,
        is_pull_request=request.is_pull_request,
        origin=request.origin,
        asker=request.asker,
        asked_at=request.asked_at,
        expected_at=one.expected_at if is_ahead else None,
        is_retry=one.is_retry,
        runs=_runs(one, reading.live) if one.position == 0 else (),
        may_cancel=may_cancel(visitor, one, place) and not one.is_cancelled,
        is_cancelled=one.is_cancelled,
    )


def _runs(one: Asking, live: Sequence[RunNow]) -> tuple[RunLink, ...]:
    request = one.request
    here = (request.repo.full_name.casefold(), request.issue)
    return tuple(
        RunLink(
            run=run.head.run,
            title=f"{run.head.eval_id} · {run.head.skill} · {run.head.model}",
            doing=run.move.state,
        )
        for run in live
        if request.issue and (run.head.repo.casefold(), run.head.issue) == here
    )


def _failed(failure: Failure, reading: Reading, visitor: Visitor) -> FailedItem:
    request = failure.request
    was_retried = failure.id in reading.retried
    place = _place(request.repo, reading)
    return FailedItem(
        id=failure.id,
        reference=failure.reference,
        repo=request.repo.full_name,
        kind=request.kind,
        how=failure.how,
        asked=asked_plain(request),
        title=failure.title,
        run=failure.run,
        issue=request.issue,
        is_pull_request=request.is_pull_request,
        asker=request.asker,
        reason=_plain(failure.reason),
        failed_at=failure.at,
        may_retry=may_retry(visitor, failure, place) and not was_retried,
        was_retried=was_retried,
    )


@lru_cache(maxsize=512)
def _plain(reason: str) -> str:
    """What was told, without its markup; the same few are shown again and again."""
    return plain_text(reason).lstrip(SIGNS)
