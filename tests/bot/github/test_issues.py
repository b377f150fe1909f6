"""Issues as they stand now, and the ways in which an issue can be gone."""

from datetime import datetime, timedelta

import pytest

from bot.github.failures import Forbidden
from config.repo_sections import Labels
from demo.github.answers import Answer
from jobs.errors import Gone
from jobs.labels import done_label
from tests.bot.github.conftest import World

DONE = done_label(Labels())
ISSUE = "GET /repos/acme/skills/issues/7"
LIST = f"{ISSUE}/comments"


async def test_an_issue_is_read_whole(world: World):
    world.handle.label(7, "needs-benchmark", by="mona")
    issue = await world.client.issue(7)
    assert (issue.number, issue.title, issue.body) == (7, "Case 7", "Count.")
    assert (issue.author, issue.labels) == ("mona", ("needs-benchmark",))
    assert (issue.is_open, issue.is_locked, issue.is_pull_request) == (True, False, False)
    assert issue.url == world.handle.page(7)


async def test_a_label_counts_as_it_was_when_it_is_asked_about(world: World):
    """GitHub may answer with what it knew a moment ago; that proves nothing."""
    world.handle.label(7, "Needs-Benchmark", by="mona")
    await world.client.issue(7)
    changed = datetime.fromisoformat(world.calls(ISSUE)[-1].answer["updated_at"])
    later = changed + timedelta(seconds=1)
    assert await world.client.is_labelled(7, "needs-benchmark", since=changed)
    assert not await world.client.is_labelled(7, "needs-benchmark", since=later)
    assert not await world.client.is_labelled(7, "bug", since=changed)
    world.handle.delete_issue(7, by="mona")
    assert not await world.client.is_labelled(7, "needs-benchmark", since=changed)


async def test_what_was_opened_again_counts_as_it_was_when_it_is_asked_about(world: World):
    await world.client.issue(7)
    changed = datetime.fromisoformat(world.calls(ISSUE)[-1].answer["updated_at"])
    assert await world.client.is_open(7, since=changed)
    assert not await world.client.is_open(7, since=changed + timedelta(seconds=1))
    world.handle.close(7, by="mona")
    assert not await world.client.is_open(7, since=changed)
    world.handle.delete_issue(7, by="mona")
    assert not await world.client.is_open(7, since=changed)


async def test_a_pull_request_says_that_it_is_one(world: World):
    world.handle.open_issue(author="mona", title="Change", body="", number=9, is_pull_request=True)
    assert (await world.client.issue(9)).is_pull_request


async def test_an_empty_body_and_a_deleted_author_are_no_trouble(world: World):
    await world.client.issue(7)
    body = world.calls(ISSUE)[0].answer | {"body": None, "user": None}
    world.answer_with(Answer(200, body), on=ISSUE)
    found = await world.client.issue(7)
    assert (found.body, found.author) == ("", "ghost")


async def test_an_answer_that_is_no_json_is_asked_for_again(world: World):
    world.answer_with(Answer(200, raw=b"<html>Please sign in</html>"), on=ISSUE)
    assert (await world.client.issue(7)).title == "Case 7"


async def test_the_bot_is_known_by_its_account_where_github_names_no_app(world: World):
    await world.client.comment(7, "Ours", tag="t")
    world.gh.add_bot("renovate[bot]")
    world.handle.comment(7, by="renovate[bot]", body="Theirs")
    await world.client.comments(7)
    rows = [row | {"performed_via_github_app": None} for row in world.calls(LIST)[-1].answer]
    rows[1]["user"] |= {"login": world.gh.bot_login}  # a name proves nothing
    world.answer_with(Answer(200, rows), on="GET */issues/7/comments")
    comments = await world.client.comments(7)
    assert [comment.by_this_app for comment in comments] == [True, False]


async def test_what_a_person_wrote_through_the_app_is_not_the_apps_own(world: World):
    await world.client.comment(7, "Ours", tag="t")
    (row,) = world.calls(LIST)[-1].answer
    person = row | {"user": row["user"] | {"type": "User", "id": 1, "login": "mona"}}
    world.answer_with(Answer(200, [person]), on="GET */issues/7/comments")
    assert not (await world.client.comments(7))[0].by_this_app


async def test_comments_come_oldest_first_with_who_wrote_them(world: World):
    world.gh.add_bot("renovate[bot]")
    world.handle.comment(7, by="mona", body="One")
    await world.client.comment(7, "Two", tag="t")
    world.handle.comment(7, by="renovate[bot]", body="Three")
    comments = await world.client.comments(7)
    assert [comment.by_this_app for comment in comments] == [False, True, False]
    assert [comment.author for comment in comments] == ["mona", "skillbench[bot]", "renovate[bot]"]


async def test_one_issue_that_is_missing_troubles_no_other(world: World):
    assert (await world.client.issue(7)).number == 7
    with pytest.raises(Gone, match="issues/404"):
        await world.client.issue(404)
    assert (await world.client.issue(8)).number == 8


async def test_a_deleted_issue_is_gone_for_every_call(world: World):
    world.handle.delete_issue(7, by="mona")
    client = world.client
    for call in (
        client.issue(7),
        client.comments(7),
        client.comment(7, "Report", tag="t"),
        client.react(7, None, "eyes"),
        client.change_labels(7, add=[DONE]),
        client.change_labels(7, remove=["needs-benchmark"]),
    ):
        with pytest.raises(Gone):
            await call
    assert len(world.calls()) < 20


async def test_a_transferred_issue_is_gone_and_says_where_to(world: World):
    other = world.gh.add_repository("acme", "other")
    world.handle.transfer_issue(7, other, by="mona")
    client = world.client
    for call in (
        client.issue(7),
        client.comments(7),
        client.comment(7, "Report", tag="t"),
        client.react(7, None, "eyes"),
        client.change_labels(7, add=[DONE]),
    ):
        with pytest.raises(Gone, match="issue moved to acme/other#1"):
            await call
    assert other.comments(1) == []
    assert other.labels(1) == []


async def test_an_issue_transferred_to_where_we_cannot_see_is_gone(world: World):
    other = world.gh.add_repository("private-inc", "other", private=True, installed=False)
    world.handle.transfer_issue(7, other, by="mona")
    with pytest.raises(Gone, match="moved"):
        await world.client.comment(7, "Report", tag="t")


async def test_a_renamed_repository_is_followed(world: World):
    """GitHub redirects the old name to an address by id, and the issue names the new one."""
    new = world.handle.repository
    old_repo, new.name = world.repo, "renamed"
    world.gh.faults.answer(
        301,
        on="GET /repos/acme/skills/issues/7",
        headers={"location": f"{world.settings.github_api_url}/repos/acme/renamed/issues/7"},
    )
    world.gh.faults.answer(
        301,
        on="GET /repos/acme/skills",
        headers={"location": f"{world.settings.github_api_url}/repos/acme/renamed"},
    )
    issue = await world.app.repository(old_repo).issue(7)
    assert issue.title == "Case 7"


async def test_a_write_under_the_old_name_is_repeated_as_it_was(world: World):
    """A redirected POST must stay a POST, with its body."""
    old_repo, world.handle.repository.name = world.repo, "renamed"
    for method, path, status in (
        ("POST", "/issues/7/reactions", 307),
        ("GET", "/issues/7", 301),
        ("GET", "", 301),
    ):
        location = f"{world.settings.github_api_url}/repos/acme/renamed{path}"
        world.gh.faults.answer(
            status, on=f"{method} /repos/acme/skills{path}", headers={"location": location}
        )
    await world.app.repository(old_repo).react(7, None, "eyes")
    assert [r.content for r in world.handle.issue(7).reactions] == ["eyes"]


@pytest.mark.parametrize(
    "location", ["https://elsewhere.example/x", "//elsewhere.example", "http://["]
)
async def test_a_redirect_out_of_the_api_is_not_followed(world: World, location: str):
    world.gh.faults.answer(302, on=ISSUE, headers={"location": location})
    with pytest.raises(Gone, match="redirected"):
        await world.client.issue(7)


async def test_redirects_in_a_circle_end(world: World):
    location = f"{world.settings.github_api_url}/repos/acme/skills/issues/7"
    world.gh.faults.answer(302, on=ISSUE, times=None, headers={"location": location})
    with pytest.raises(Gone, match="without end"):
        await world.client.issue(7)


async def test_a_locked_issue_says_why_we_cannot_answer(world: World):
    world.handle.lock(7, by="mona")
    with pytest.raises(Forbidden, match="locked"):
        await world.client.comment(7, "Report", tag="t")


async def test_a_reaction_twice_is_one(world: World):
    comment = world.handle.comment(7, by="mona", body="@skillbench run")
    world.gh.faults.drop_connection(on="POST *reactions")
    await world.client.react(7, comment.id, "eyes")
    await world.client.react(7, comment.id, "eyes")
    await world.client.react(7, None, "rocket")
    assert [reaction.content for reaction in comment.reactions] == ["eyes"]
    assert [reaction.content for reaction in world.handle.issue(7).reactions] == ["rocket"]


async def test_a_deleted_comment_is_no_longer_reacted_to_and_a_deleted_issue_is_gone(world: World):
    comment = world.handle.comment(7, by="mona", body="@skillbench run")
    world.handle.delete_comment(comment.id, by="mona")
    await world.client.react(7, comment.id, "eyes")
    world.handle.delete_issue(7, by="mona")
    with pytest.raises(Gone, match="not there any more"):
        await world.client.react(7, comment.id, "eyes")
