"""A comment that cancels and asks for more gets one answer of ours, whatever there is to say."""

import pytest

from tests.bot.test_dispatch import Queue, Repository, run
from tests.handlers.events import a_commented


@pytest.mark.parametrize(
    ("beside", "said_too", "reacted"),
    [
        ("status", "the answer to status", "eyes 101"),
        ("cancle", "Did you mean `cancel`?", "confused 101"),
        ("help", "| `@skillbench help", ""),
    ],
)
async def test_that_nothing_was_cancelled_is_said_beside_all_else(
    beside: str, said_too: str, reacted: str
) -> None:
    repository = Repository()
    body = f"@skillbench cancel\n@skillbench {beside}"
    for delivery in ("d-1", "d-2"):
        event = a_commented(body, delivery=delivery, comment_id=101)
        await run(event, repository, Queue(repository))
    [said] = repository.comments.values()
    assert "There is nothing to cancel" in said
    assert said_too in said
    assert not reacted or reacted in repository.did
    assert "+1 101" not in repository.did


async def test_where_something_was_cancelled_only_the_rest_is_said() -> None:
    repository = Repository()
    queue = Queue(repository)
    await run(a_commented(delivery="d-1"), repository, queue)
    body = "@skillbench cancel\n@skillbench status"
    await run(a_commented(body, delivery="d-2", comment_id=101), repository, queue)
    assert list(repository.comments.values()) == ["the answer to status"]
    assert "+1 101" in repository.did
