"""Which pushes are worth a look at the skills."""

from typing import Any

import pytest

from handlers.decisions import Enqueue, Ignore
from handlers.pushed import on_pushed
from tests.handlers.events import (
    OTHER_BOT,
    OURSELVES,
    Role,
    a_context,
    a_pushed,
    a_repository,
)


async def test_a_push_that_may_have_changed_a_description_is_handed_on() -> None:
    anybody = Role()
    decision = await on_pushed(a_pushed(), a_context(), anybody)
    assert isinstance(decision, Enqueue)
    assert [one.kind for one in decision.requests] == ["changed_skills", "trigger"]
    for request in decision.requests:
        assert (request.origin, request.issue) == ("push", 0)
        assert (request.before, request.after, request.asker) == ("b" * 40, "a" * 40, "mona")
    assert anybody.asked == [], "the repository's own file decides"


async def test_without_its_skill_file_a_skill_may_have_changed_but_no_description() -> None:
    decision = await on_pushed(a_pushed(touches_skills=False), a_context(), Role())
    assert isinstance(decision, Enqueue)
    assert [one.kind for one in decision.requests] == ["changed_skills"]


async def test_a_merge_by_a_bot_counts() -> None:
    assert isinstance(await on_pushed(a_pushed(sender=OTHER_BOT), a_context(), Role()), Enqueue)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"sender": OURSELVES}, "our own doing"),
        ({"repository": a_repository(owner="stranger")}, "do not name stranger"),
        ({"before": None}, "new"),
    ],
)
async def test_other_pushes_are_passed_over(changes: dict[str, Any], reason: str) -> None:
    decision = await on_pushed(a_pushed(**changes), a_context(), Role())
    assert isinstance(decision, Ignore)
    assert reason in decision.reason


async def test_going_back_and_forth_asks_each_time() -> None:
    """The same way once more, too: what it led to may have been superseded. A delivery that
    comes again is no push of its own, and neither is a description that was looked at.
    """
    keys: dict[str, list[str]] = {"changed_skills": [], "trigger": []}
    ways = (("a", "b"), ("b", "a"), ("a", "b"), ("c", "b"))
    for number, (before, after) in enumerate((*ways, ways[-1])):
        delivery = f"push-{min(number, 3)}"
        event = a_pushed(delivery=delivery, before=before * 40, after=after * 40)
        decision = await on_pushed(event, a_context(), Role())
        assert isinstance(decision, Enqueue)
        for request in decision.requests:
            keys[request.kind].append(request.key)
    assert len(set(keys["changed_skills"])) == 4
    assert len(set(keys["trigger"])) == 3


async def test_the_longest_names_make_a_key_that_can_be_kept() -> None:
    repository = a_repository(owner="o" * 39, name="n" * 100)
    context = a_context(allowed_owners=("*",))
    event = a_pushed(delivery="d" * 72, repository=repository, before="b" * 64, after="a" * 64)
    assert isinstance(await on_pushed(event, context, Role()), Enqueue)


async def test_whoever_may_run_can_ask_for_an_earlier_push_again() -> None:
    """Each time somebody asks is an asking of its own."""
    keys = []
    for delivery in ("d" * 72, "e" * 72):
        event = a_pushed(
            delivery=delivery,
            repository=a_repository(owner="o" * 39, name="n" * 100),
            asked_again=True,
            touches_skills=False,
        )
        decision = await on_pushed(event, a_context(allowed_owners=("*",)), Role("write"))
        assert isinstance(decision, Enqueue)
        (request,) = decision.requests
        assert (request.kind, request.after) == ("changed_skills", "a" * 40)
        keys.append(request.key)
    assert len(set(keys)) == 2


async def test_the_check_of_the_file_is_done_again_each_time_and_asks_for_nothing_else() -> None:
    keys = []
    for delivery in ("d" * 72, "e" * 72):
        event = a_pushed(delivery=delivery, before=None, asked_again=True, touches_config=True)
        decision = await on_pushed(event, a_context(), Role("read"))
        assert isinstance(decision, Enqueue)
        (request,) = decision.requests
        assert (request.kind, request.after) == ("repo_check", "a" * 40)
        keys.append(request.key)
    assert len(set(keys)) == 2


async def test_whoever_may_only_read_asks_for_nothing_again() -> None:
    decision = await on_pushed(a_pushed(asked_again=True), a_context(), Role("read"))
    assert isinstance(decision, Ignore)


async def test_a_push_that_may_touch_the_repositorys_file_has_it_checked():
    decision = await on_pushed(a_pushed(touches_config=True), a_context(), Role())
    assert isinstance(decision, Enqueue)
    [check] = [one for one in decision.requests if one.kind == "repo_check"]
    assert (check.after, check.issue, check.origin) == ("a" * 40, 0, "push")
    other = await on_pushed(a_pushed(), a_context(), Role())
    assert isinstance(other, Enqueue)
    assert "repo_check" not in {one.kind for one in other.requests}
