"""A decision is carried out once, in order, and nothing is asked that need not be."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import get_args

import pytest

from bot.dispatch import HANDLERS, dispatch
from bot.queues import Asking
from handlers.decisions import CancelRequests, Enqueue, Ignore, Reply
from handlers.events import Event
from jobs.errors import Transient
from jobs.ports import Comment
from jobs.requests import Inquiry, Request
from tests.builders import NOON, a_comment
from tests.handlers.events import OURSELVES, Role, a_commented, a_context, a_labelled, an_unlabelled


@dataclass
class Repository(Role):
    """Notes what is done to it; comments are kept by their tag, as GitHub's are."""

    role: str = "write"
    asked: list[str] = field(default_factory=list)
    comments: dict[str, str] = field(default_factory=dict)
    did: list[str] = field(default_factory=list)

    async def comment(self, issue: int, body: str, *, tag: str) -> Comment:
        self.did.append(f"comment {issue}")
        self.comments[tag] = body
        return a_comment(body=body)

    async def has_said(self, _: int, tag: str) -> bool:
        return tag in self.comments

    async def edit_comment(
        self, comment_id: int, body: str, *, tag: str, droppable: bool = False
    ) -> None:
        del droppable
        self.did.append(f"edit {comment_id}")

    async def minimise(self, comment_id: int) -> bool:
        self.did.append(f"minimise {comment_id}")
        return True

    async def react(self, issue: int, comment_id: int | None, reaction: str) -> None:
        self.did.append(f"{reaction} {comment_id}")

    async def change_labels(self, issue: int, **_: object) -> None:
        self.did.append(f"labels {issue}")


class Queue:
    """Takes each key once, and knows who brought it."""

    def __init__(self, repository: Repository) -> None:
        self.askings: dict[str, Asking] = {}
        self.cancelled: set[str] = set()
        self._repository = repository

    @property
    def keys(self) -> list[str]:
        return list(self.askings)

    async def enqueue(self, request: Request, *, delivery: str) -> bool:
        self._repository.did.append("enqueue")
        is_new = request.key not in self.askings
        if is_new:
            self.askings[request.key] = Asking(delivery, NOON)
        return is_new

    async def find_asking(self, request: Request) -> Asking | None:
        return self.askings.get(request.key)

    async def cancel(self, decision: CancelRequests) -> int:
        self._repository.did.append("cancel")
        meant = [key for key in self.askings if key not in self.cancelled]
        self.cancelled |= set(meant)
        return len(meant)

    async def is_being_cancelled(self, request: Request) -> bool:
        return request.key in self.cancelled


async def run(
    event: Event, repository: Repository, queue: Queue, *, after: timedelta = timedelta()
) -> object:
    context = a_context(clock=lambda: NOON + after)
    return await dispatch(event, context, repository, queue, answer)


async def answer(inquiry: Inquiry) -> str:
    return f"the answer to {inquiry.name}\n"


async def long_answer(inquiry: Inquiry) -> str:
    return f"{inquiry.name} {'x' * 40_000}\n"


@pytest.fixture
def repository() -> Repository:
    return Repository()


@pytest.fixture
def queue(repository: Repository) -> Queue:
    return Queue(repository)


def test_every_event_has_its_handler() -> None:
    assert set(HANDLERS) == set(get_args(Event))


async def test_a_label_is_enqueued_and_nothing_is_said(
    repository: Repository, queue: Queue
) -> None:
    assert isinstance(await run(a_labelled(), repository, queue), Enqueue)
    assert queue.keys == ["label:acme/skills#21"]
    assert repository.did == ["enqueue"]


async def test_answers_that_one_comment_has_no_room_for_are_named(
    repository: Repository, queue: Queue
) -> None:
    event = a_commented("@skillbench results\n@skillbench status\n@skillbench pign")
    await dispatch(event, a_context(), repository, queue, long_answer)
    [said] = repository.comments.values()
    assert said.startswith("results xxx")
    assert "`status` has no room in this comment" in said
    assert "`pign`" in said
    assert len(said) < 50_000


async def test_questions_are_answered_together_in_one_comment_after_a_look(
    repository: Repository, queue: Queue
) -> None:
    body = "@skillbench status\n@skillbench ping\n@skillbench pign"
    for delivery in ("d-1", "d-2"):
        await run(a_commented(body, delivery=delivery), repository, queue)
    [said] = repository.comments.values()
    assert said.startswith("the answer to status\n\n---\n\nthe answer to ping\n\n---\n\n")
    assert "`pign`" in said
    assert repository.did == ["eyes 100", "comment 21", "confused 100"], "and nothing twice"


async def test_questions_are_answered_once_the_requests_beside_them_are_queued(
    repository: Repository, queue: Queue
) -> None:
    body = "@skillbench status\n@skillbench run\n@skillbench cancel"
    await run(a_commented(body), repository, queue)
    did = [one for one in repository.did if one != "comment 21"]
    assert did == ["cancel", "enqueue", "eyes 100"]


async def test_our_own_comment_touches_nothing(repository: Repository, queue: Queue) -> None:
    event = a_commented("Try @skillbench run claude-sonnet", sender=OURSELVES)
    assert isinstance(await run(event, repository, queue), Ignore)
    assert repository.did == []
    assert repository.asked == []


async def test_a_misunderstood_command_gets_its_answer_and_a_confused_face(
    repository: Repository, queue: Queue
) -> None:
    assert isinstance(await run(a_commented("@skillbench rum"), repository, queue), Reply)
    assert repository.did == ["comment 21", "confused 100"]


async def test_help_gets_no_face(repository: Repository, queue: Queue) -> None:
    await run(a_commented("@skillbench help"), repository, queue)
    assert repository.did == ["comment 21"]


async def test_requests_are_enqueued_before_anything_is_said(
    repository: Repository, queue: Queue
) -> None:
    """Saying it can fail; the work must not depend on it."""
    await run(a_commented("@skillbench rum\n@skillbench run claude-sonnet"), repository, queue)
    assert repository.did == ["enqueue", "comment 21", "confused 100"]


async def test_the_same_event_twice_has_the_effect_of_once(
    repository: Repository, queue: Queue
) -> None:
    for delivery in ("d-1", "d-2"):
        body = "@skillbench rum\n@skillbench run claude-sonnet"
        await run(a_commented(body, delivery=delivery), repository, queue)
    assert len(queue.keys) == 1
    assert len(repository.comments) == 1


async def test_whoever_asks_again_for_what_is_on_its_way_is_told(
    repository: Repository, queue: Queue
) -> None:
    """The label was taken off and put on once more while its run goes on."""
    await run(a_labelled(delivery="d-1"), repository, queue)
    await run(a_labelled(delivery="d-2"), repository, queue, after=timedelta(minutes=5))
    [(tag, said)] = repository.comments.items()
    assert tag == "again:d-2"
    assert "2026-05-04 at 12:00 UTC" in said
    assert len(queue.keys) == 1


async def test_an_edit_back_to_an_earlier_command_is_told_too(
    repository: Repository, queue: Queue
) -> None:
    first, second = "@skillbench run claude-sonnet", "@skillbench run claude-opus"
    await run(a_commented(first, delivery="d-1"), repository, queue)
    later = timedelta(minutes=5)
    edit = a_commented(second, body_before=first, delivery="d-2")
    await run(edit, repository, queue, after=later)
    assert repository.comments == {}
    back = a_commented(first, body_before=second, delivery="d-3")
    await run(back, repository, queue, after=2 * later)
    assert list(repository.comments) == ["again:d-3"]
    assert len(queue.keys) == 2


@pytest.mark.parametrize(
    ("delivery", "after"),
    [
        ("d-1", timedelta(minutes=5)),  # the event is handled again after trouble
        ("d-2", timedelta(seconds=2)),  # opened and labelled are two deliveries of one wish
    ],
)
async def test_what_only_we_see_twice_is_not_spoken_of(
    repository: Repository, queue: Queue, delivery: str, after: timedelta
) -> None:
    await run(a_labelled(delivery="d-1"), repository, queue)
    await run(a_labelled(delivery=delivery), repository, queue, after=after)
    assert repository.comments == {}


async def test_trouble_with_github_comes_out_as_it_is(repository: Repository, queue: Queue) -> None:
    """The worker tries again."""

    async def fail(login: str) -> str:
        raise Transient("down")

    repository.permission = fail  # type: ignore[method-assign]
    with pytest.raises(Transient):
        await run(a_commented(), repository, queue)
    assert queue.keys == []


async def test_a_cancel_takes_requests_back_and_is_acknowledged(
    repository: Repository, queue: Queue
) -> None:
    await run(a_commented(delivery="d-1"), repository, queue)
    await run(a_commented("@skillbench cancel", delivery="d-2", comment_id=101), repository, queue)
    assert repository.did == ["enqueue", "cancel", "+1 101"]
    assert repository.comments == {}


async def test_who_cancels_nothing_is_told_so_once(repository: Repository, queue: Queue) -> None:
    for delivery in ("d-1", "d-2"):
        await run(a_commented("@skillbench cancel", delivery=delivery), repository, queue)
    [body] = repository.comments.values()
    assert "nothing to cancel" in body


async def test_who_names_a_run_too_many_is_told_so_beside_what_was_cancelled(
    repository: Repository, queue: Queue
) -> None:
    await run(a_commented(delivery="d-1"), repository, queue)
    body = "@skillbench cancel 0a1b2c3d4e5f\n@skillbench cancel ffffffffffff"
    await run(a_commented(body, delivery="d-2", comment_id=101), repository, queue)
    [said] = repository.comments.values()
    assert said.startswith("Not all of the runs `0a1b2c3d4e5f`, `ffffffffffff` could be cancelled")
    assert "+1 101" in repository.did


async def test_a_label_that_is_gone_cancels_without_a_word(
    repository: Repository, queue: Queue
) -> None:
    """The request's own comment says it; without a request there is nothing to say."""
    await run(an_unlabelled(), repository, queue)
    assert repository.did == ["cancel"]


async def test_who_cancels_and_asks_anew_in_one_comment_gets_both(
    repository: Repository, queue: Queue
) -> None:
    """The cancel comes first, wherever it stands: it is never for what the comment asks."""
    body = "@skillbench run claude-opus\n@skillbench cancel"
    await run(a_commented(delivery="d-1"), repository, queue)
    await run(a_commented(body, delivery="d-2", comment_id=101), repository, queue)
    assert repository.did == ["enqueue", "cancel", "+1 101", "enqueue"]


async def test_asking_again_for_what_is_being_cancelled_is_no_repetition(
    repository: Repository, queue: Queue
) -> None:
    """It is carried out when the cancelled one has ended, so there is nothing to explain."""
    later = timedelta(minutes=10)
    await run(a_labelled(delivery="d-1"), repository, queue)
    await run(an_unlabelled(delivery="d-2"), repository, queue, after=later)
    await run(a_labelled(delivery="d-3"), repository, queue, after=later)
    assert repository.comments == {}
