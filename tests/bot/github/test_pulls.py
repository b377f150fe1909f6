"""One changed file becomes one pull request, whatever is lost, repeated or in the way."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.github.failures import Forbidden
from bot.github.pulls import make_branch_name
from demo.github.answers import Answer
from demo.github.commits import Entry
from demo.github.pull_actions import PullActions
from jobs.errors import Gone, Refused, Transient
from jobs.proposals import PullRequest
from tests.bot.github.conftest import World

PATH = "skills/zähler/SKILL.md"
BEFORE = b"---\r\nname: count\r\n---\r\nCount.\r\n"
AFTER = b"\xef\xbb\xbf---\r\nname: count\r\ndescription: Z\xc3\xa4hlt.\r\n---\r\nCount.\r\n\x00\xff"
STEM = "skillbench/zähler description"
TAG = "pull:1"
POST_REF = "POST */git/refs"
POST_PULL = "POST */pulls"


@pytest.fixture
def base(world: World, tmp_path: Path) -> str:
    """A commit with the skill, its file marked as a program, and a file at the root."""
    for path, content in ((PATH, BEFORE), ("SKILL.md", BEFORE), ("other.txt", b"stays")):
        file = tmp_path / "base" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (tmp_path / "base" / PATH).chmod(0o755)
    (tmp_path / "base" / "link.md").symlink_to("SKILL.md")
    return world.handle.push(tmp_path / "base", by="mona")


async def propose(world: World, base: str, /, **changes: Any) -> PullRequest:
    parts: dict[str, Any] = {"branch": STEM, "base": base, "path": PATH, "content": AFTER}
    words = {"title": "Better description", "body": "It triggers more often.", "tag": TAG}
    return await world.client.propose(**(parts | words | changes))


def branch_of(world: World, pull: PullRequest) -> str:
    return world.handle.repository.pulls[pull.number].head


def branches(world: World) -> list[str]:
    return [name for name in world.handle.repository.branches if name != "main"]


def assert_is_there_once(world: World, pull: PullRequest) -> None:
    assert list(world.handle.repository.pulls) == [pull.number]
    assert branches(world) == [branch_of(world, pull)]


async def test_it_changes_one_file_and_keeps_its_bytes_and_its_mode(world: World, base: str):
    pull = await propose(world, base)
    assert pull.is_open
    assert pull.url == world.handle.page(pull.number).replace("issues", "pull")
    repository = world.handle.repository
    commit = repository.commits[repository.branches[branch_of(world, pull)]]
    assert commit.parents == (base,)
    changed = commit.changed_since(repository.commits[base])
    assert changed == {"added": [], "removed": [], "modified": [PATH]}
    assert commit.entries[PATH] == Entry("100755", AFTER)
    issue = world.handle.issue(pull.number)
    assert issue.title == commit.message == "Better description"
    assert issue.body.endswith("\nIt triggers more often.")
    assert issue.author.login == world.gh.bot_login
    assert repository.pulls[pull.number].base == "main"
    assert repository.branches["main"] == base


async def test_a_file_at_the_root_can_be_changed(world: World, base: str):
    pull = await propose(world, base, path="SKILL.md")
    repository = world.handle.repository
    commit = repository.commits[repository.branches[branch_of(world, pull)]]
    assert commit.entries["SKILL.md"] == Entry("100644", AFTER)


async def test_proposing_it_again_finds_it_and_writes_nothing(world: World, base: str):
    first = await propose(world, base)
    writes = len(world.calls("POST"))
    assert await propose(world, base) == first
    assert len(world.calls("POST")) == writes
    assert not world.calls("PATCH")


async def test_a_new_text_brings_the_open_one_up_to_date(world: World, base: str):
    first = await propose(world, base)
    again = await propose(world, base, title="Clearer", body="With figures.")
    assert again == first
    issue = world.handle.issue(first.number)
    assert (issue.title, issue.body.split("\n")[-1]) == ("Clearer", "With figures.")


@pytest.mark.parametrize(
    "step", ["POST */git/blobs", "POST */git/trees", "POST */git/commits", POST_REF, POST_PULL]
)
@pytest.mark.parametrize("after_effect", [True, False])
async def test_a_write_whose_answer_is_lost_takes_effect_once(
    world: World, base: str, step: str, after_effect: bool
):
    world.gh.faults.drop_connection(on=step, after_effect=after_effect)
    assert_is_there_once(world, await propose(world, base))


@pytest.mark.parametrize("step", ["POST */git/commits", POST_REF, POST_PULL])
async def test_a_process_that_dies_before_a_step_is_succeeded_by_one_that_goes_on(
    world: World, base: str, step: str
):
    gate = world.gh.faults.hold(on=step)
    dying = asyncio.create_task(propose(world, base))
    async with asyncio.timeout(10):
        await gate.reached.wait()
    dying.cancel()
    await asyncio.wait([dying])
    world.gh.faults.clear()
    assert_is_there_once(world, await propose(world, base))


async def test_two_processes_propose_the_same_thing_once(world: World, base: str):
    other = (await world.another_app()).repository(world.repo)
    gates = [world.gh.faults.hold(on=POST_REF), world.gh.faults.hold(on=POST_REF)]
    pulls = [
        asyncio.create_task(
            client.propose(
                branch=STEM, base=base, path=PATH, content=AFTER, title="T", body="", tag=TAG
            )
        )
        for client in (world.client, other)
    ]
    async with asyncio.timeout(10):
        for gate in gates:
            await gate.reached.wait()
        for gate in gates:
            gate.release.set()
        one, two = await asyncio.gather(*pulls)
    assert one == two
    assert_is_there_once(world, one)


async def test_one_that_github_does_not_list_yet_is_waited_for(world: World, base: str):
    """A list can lag behind: GitHub says that it exists, and does not show it."""
    await propose(world, base)
    for _ in range(3):
        world.answer_with(Answer(200, []), on="GET */pulls")
    with pytest.raises(Transient, match="not listed yet"):
        await propose(world, base)
    assert (await propose(world, base)).is_open


@pytest.mark.parametrize("is_merged", [True, False])
async def test_what_people_closed_or_merged_is_left_as_it_is(
    world: World, base: str, is_merged: bool
):
    first = await propose(world, base)
    issue, mona = world.handle.issue(first.number), world.gh.site.account("mona")
    if is_merged:
        PullActions(world.gh.site).merge(world.handle.repository, issue, mona)
    else:
        world.handle.close(first.number, by="mona")
    del world.handle.repository.branches[branch_of(world, first)]
    again = await propose(world, base, body="Other words.")
    assert again == first.model_copy(update={"is_open": False})
    assert "Other words." not in issue.body
    assert not branches(world)


async def test_a_branch_of_that_name_with_other_content_is_never_overwritten(
    world: World, base: str, tmp_path: Path
):
    name = make_branch_name(STEM, base=base, path=PATH, content=AFTER)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "notes.txt").write_text("people work here")
    theirs = world.handle.push(tmp_path / "theirs", by="mona", branch=name)
    with pytest.raises(Refused, match=f"`{name}` .* holds something else"):
        await propose(world, base)
    assert world.handle.repository.branches[name] == theirs
    assert not world.handle.repository.pulls


async def test_what_people_add_to_our_branch_stays(world: World, base: str, tmp_path: Path):
    first = await propose(world, base)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "x.txt").write_text("more")
    theirs = world.handle.push(
        tmp_path / "more", by="mona", branch=branch_of(world, first), message="Mine"
    )
    assert await propose(world, base) == first
    assert world.handle.repository.branches[branch_of(world, first)] == theirs


async def test_somebody_elses_pull_request_from_our_branch_keeps_its_words(world: World, base: str):
    first = await propose(world, base)
    issue = world.handle.issue(first.number)
    issue.author = world.gh.site.account("mona")
    again = await propose(world, base, title="Other")
    assert (again.number, issue.title) == (first.number, "Better description")


@pytest.mark.parametrize(
    ("lacking", "named"), [("contents", "Contents: write"), ("pull_requests", "Pull requests")]
)
async def test_a_missing_permission_is_named(world: World, base: str, lacking: str, named: str):
    world.gh.site.state.app.permissions[lacking] = "read"
    with pytest.raises(Refused, match=rf"grant it the repository permission \*{named}"):
        await propose(world, base)


async def test_the_branch_that_waits_is_named_where_only_the_pull_request_is_refused(
    world: World, base: str
):
    world.gh.site.state.app.permissions["pull_requests"] = "read"
    with pytest.raises(Refused) as refused:
        await propose(world, base)
    assert f"`{branches(world)[0]}`" in str(refused.value)


async def test_a_protected_name_is_refused_with_githubs_reason(world: World, base: str):
    name = make_branch_name(STEM, base=base, path=PATH, content=AFTER)
    world.handle.repository.protected_branches.add(name)
    with pytest.raises(Refused, match=r"rule violations .* rules for branches"):
        await propose(world, base)


async def test_a_branch_named_like_our_folder_is_in_the_way(world: World, base: str):
    world.handle.repository.branches["skillbench"] = base
    with pytest.raises(Refused, match="Reference update failed"):
        await propose(world, base)


async def test_a_403_that_is_no_missing_permission_means_that_the_place_is_gone(
    world: World, base: str
):
    world.handle.archive()
    with pytest.raises(Gone) as gone:
        await propose(world, base)
    assert isinstance(gone.value, Forbidden)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"path": "skills/gone/SKILL.md"}, "is not in the commit"),
        ({"path": "skills/zähler"}, "is no file"),
        ({"path": "link.md"}, "is no file"),
        ({"path": "other.txt/SKILL.md"}, "is not in the commit"),
        ({"content": BEFORE}, "like that already"),
        ({"base": "0" * 40}, "not there any more"),
    ],
)
async def test_what_cannot_be_proposed_is_refused_with_the_reason(
    world: World, base: str, changes: dict[str, Any], reason: str
):
    with pytest.raises(Refused, match=reason):
        await propose(world, base, **changes)
    assert not branches(world)


@pytest.mark.parametrize("changes", [{"title": ""}, {"title": "x" * 257}, {"body": "x" * 65_536}])
async def test_texts_that_github_would_not_take_are_a_defect(
    world: World, base: str, changes: dict[str, Any]
):
    with pytest.raises(ValueError, match="characters"):
        await propose(world, base, **changes)
    assert not world.calls("POST")


async def test_a_renamed_repository_is_followed(world: World, base: str):
    repo = world.repo
    world.handle.rename("better-skills")
    pull = await world.app.repository(repo).propose(
        branch=STEM, base=base, path=PATH, content=AFTER, title="T", body="", tag=TAG
    )
    assert_is_there_once(world, pull)


@pytest.mark.parametrize(
    ("stem", "readable"),
    [
        ("skillbench/csv-profile", "skillbench/csv-profile"),
        ("skillbench/zähler .lock~^:", "skillbench/z-hler-lock"),
        ("//..//", "change"),
        ("-rf", "rf"),
        ("a" * 300, "a" * 100),
    ],
)
def test_a_branch_is_named_so_that_git_takes_it(stem: str, readable: str):
    name = make_branch_name(stem, base="b", path="p", content=b"c")
    assert name.rpartition("-")[0] == readable
    assert name != make_branch_name(stem + "x", base="b", path="p", content=b"c")
    assert name != make_branch_name(stem, base="b", path="p", content=b"d")
    assert name != make_branch_name(stem, base="c", path="p", content=b"c")
