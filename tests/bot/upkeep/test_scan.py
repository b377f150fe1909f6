"""What an outage left behind is taken up: labels, and commands that nobody heard."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.github.tags import with_tag
from bot.queues import REQUESTS, RequestQueue
from handlers.questions import HandlerContext
from jobs.living_comment import comment_tag
from tests.bot.upkeep.conftest import World
from tests.bot.upkeep.scanning import COMMAND, LABEL, a_request, requests, scan


async def test_a_label_that_nobody_heard_of_is_asked_in_the_name_of_who_put_it_there(
    world: World,
) -> None:
    world.pass_time(timedelta(minutes=5))
    labelled_at = world.now()
    world.handle.label(7, LABEL, by="mona")
    world.pass_time(timedelta(days=5))
    await scan(world)
    [request] = await requests(world)
    assert (request.key, request.asker, request.issue) == ("label:acme/skills#7", "mona", 7)
    assert request.asked_at == labelled_at
    assert world.handle.comments(7) == []


async def test_a_scan_after_a_scan_takes_nothing_up_twice(world: World) -> None:
    """Not even after a request that was given up: it must not come back for ever."""
    world.handle.label(7, LABEL, by="mona")
    world.handle.comment(8, by="mona", body=COMMAND)
    await scan(world)
    assert len(await requests(world)) == 2
    await world.redis.delete(REQUESTS)
    await scan(world)
    assert await requests(world) == []


async def test_a_label_put_on_anew_is_asked_anew(world: World) -> None:
    world.handle.label(7, LABEL, by="mona")
    await scan(world)
    await world.redis.delete(REQUESTS)
    world.handle.unlabel(7, LABEL, by="mona")
    world.pass_time(timedelta(minutes=5))
    world.handle.label(7, LABEL, by="mona")
    await scan(world)
    assert len(await requests(world)) == 1


async def test_what_waits_or_runs_is_left_alone_without_a_question(world: World) -> None:
    world.handle.label(7, LABEL, by="mona")
    request = a_request(world)
    await RequestQueue(world.redis).enqueue(request, delivery="d-1")
    await scan(world)
    assert await requests(world) == [request]
    assert not any(sent.path.endswith("/events") for sent in world.gh.requests)


async def test_who_may_not_spend_is_told_so_once(world: World) -> None:
    """The same answer as to the event, found again by the next scan."""
    world.gh.add_person("rudi", {"acme/skills": "triage"})
    world.handle.label(7, LABEL, by="rudi")
    await scan(world)
    await world.redis.flushall()
    await scan(world)
    assert await requests(world) == []
    [refusal] = world.handle.comments(7)
    assert "write permission" in refusal


async def test_where_github_does_not_tell_who_labelled_nothing_is_spent(world: World) -> None:
    world.handle.label(7, LABEL, by="mona")
    world.handle.issue(7).events.clear()
    await scan(world)
    assert await requests(world) == []


async def test_a_command_that_nothing_answers_is_answered(world: World) -> None:
    world.pass_time(timedelta(minutes=1))
    comment = world.handle.comment(8, by="mona", body=COMMAND)
    world.handle.comment(8, by="mona", body="> @skillbench run quoted")
    world.handle.comment(8, by="mona", body="@skillbench cancel")
    world.pass_time(timedelta(days=5))
    await scan(world)
    [request] = await requests(world)
    assert request.comment_id == comment.id
    assert request.asked_at == comment.created_at
    assert request.models == ("claude-sonnet",)


@pytest.mark.parametrize("ending", ["", "end:"])
async def test_a_command_that_was_answered_is_not_answered_again(world: World, ending: str) -> None:
    """Redis was emptied; what stands on the issue is enough."""
    world.pass_time(timedelta(minutes=1))
    world.handle.comment(8, by="mona", body=COMMAND)
    await scan(world)
    [request] = await requests(world)
    text = with_tag("### Finished: 1 report", f"{ending}{comment_tag(request)}")
    world.handle.comment(8, by=world.gh.bot_login, body=text)
    await world.redis.flushall()
    await scan(world)
    assert await requests(world) == []


async def test_somebody_who_imitates_our_answer_answers_nothing(world: World) -> None:
    world.pass_time(timedelta(minutes=1))
    world.handle.comment(8, by="mona", body=COMMAND)
    await scan(world)
    [request] = await requests(world)
    text = with_tag("### Finished: 1 report", comment_tag(request))
    world.handle.comment(8, by="mona", body=text)
    await world.redis.flushall()
    await scan(world)
    assert await requests(world) == [request]


async def test_suspended_unserved_and_read_only_places_are_passed_over(world: World) -> None:
    """One that is suspended takes nobody else down with it."""
    places = {}
    for owner in ("asleep", "stranger", "acme"):
        places[owner] = world.gh.add_repository(owner, f"{owner}-more")
        world.gh.add_person(f"{owner}-person", {f"{owner}/{owner}-more": "write"})
        places[owner].open_issue(author="mona", title="T", body="b", number=1)
        places[owner].label(1, LABEL, by=f"{owner}-person")
    world.gh.suspend("asleep")
    places["acme"].archive()
    world.handle.label(7, LABEL, by="mona")
    context = HandlerContext(allowed_owners=("acme", "asleep"), clock=world.now)

    async def find_context() -> HandlerContext:
        return context

    await scan(world, find_context=find_context)
    assert [request.key for request in await requests(world)] == ["label:acme/skills#7"]
    assert places["stranger"].comments(1) == []


async def test_one_issue_that_is_gone_holds_up_no_other(world: World) -> None:
    for number in (7, 8):
        world.handle.label(number, LABEL, by="mona")
    world.gh.faults.answer(404, on="GET /repos/acme/skills/issues/8/events", times=None)
    await scan(world)
    assert [request.issue for request in await requests(world)] == [7]


async def test_a_repository_that_shows_a_defect_of_ours_hides_no_other(world: World) -> None:
    """It would do so every six hours, for ever."""
    more = world.gh.add_repository("acme", "more")
    world.gh.add_person("mona", {"acme/more": "write"})
    more.open_issue(author="mona", title="T", body="b", number=1)
    for handle, issue in ((world.handle, 7), (more, 1)):
        handle.label(issue, LABEL, by="mona")
    world.gh.faults.answer(200, on="GET /repos/acme/skills/issues/7/events", message="no list")
    await scan(world)
    assert [request.key for request in await requests(world)] == ["label:acme/more#1"]


async def test_trouble_in_one_installation_leaves_the_others_and_is_made_up_for(
    world: World,
) -> None:
    other = world.gh.add_repository("zeta", "skills")
    world.gh.add_person("zoe", {"zeta/skills": "write"})
    other.open_issue(author="zoe", title="T", body="b", number=1)
    for handle, issue, person in ((world.handle, 7, "mona"), (other, 1, "zoe")):
        handle.label(issue, LABEL, by=person)
    context = HandlerContext(allowed_owners=("*",), clock=world.now)

    async def find_context() -> HandlerContext:
        return context

    world.gh.faults.answer(502, on="GET /repos/acme/skills/issues", times=5)
    await scan(world, find_context=find_context)
    assert [request.key for request in await requests(world)] == ["label:zeta/skills#1"]
    await scan(world, find_context=find_context)
    assert len(await requests(world)) == 2


async def test_what_was_written_before_we_were_installed_is_nobodys_request(world: World) -> None:
    """A repository may be full of commands to an earlier bot of the same name."""
    world.handle.comment(8, by="mona", body=COMMAND)
    [installation] = world.gh.site.state.installations
    world.pass_time(timedelta(days=1))
    installation.created_at = world.now()
    await scan(world)
    assert await requests(world) == []


async def test_a_later_scan_reads_only_what_is_new(world: World) -> None:
    [installation] = world.gh.site.state.installations
    installation.created_at -= timedelta(days=90)
    await scan(world)
    world.pass_time(timedelta(hours=6))
    await scan(world)
    asked = [sent for sent in world.gh.requests if sent.path.endswith("/issues/comments")]
    assert asked[0].query["since"] < asked[1].query["since"]


async def test_a_question_that_nobody_heard_is_answered_once_and_stays_answered(
    world: World,
) -> None:
    """Whoever asked waits; an answer that stands there was true when it was given."""
    world.pass_time(timedelta(minutes=1))
    world.handle.comment(8, by="mona", body="@skillbench status")
    await scan(world)
    assert "the answer to status" in world.handle.comments(8)[-1]
    said = world.handle.comments(8)
    await world.redis.flushall()
    await scan(world)
    assert world.handle.comments(8) == said
    assert await requests(world) == []


async def test_a_mention_of_the_repositorys_own_is_heard_late_too(
    world: World, tmp_path: Path
) -> None:
    folder = tmp_path / "pushed" / ".github"
    folder.mkdir(parents=True)
    (folder / "skillbench.yml").write_text("mention: '@bench'\n", encoding="utf-8")
    world.handle.push(folder.parent, by="mona")
    world.pass_time(timedelta(minutes=1))
    world.handle.comment(8, by="mona", body="@bench run claude-sonnet")
    await scan(world)
    [request] = await requests(world)
    assert request.models == ("claude-sonnet",)
