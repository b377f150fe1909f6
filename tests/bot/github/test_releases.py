"""Archives go to the month's pre-release, once, and to a further part when it is full."""

import asyncio
from pathlib import Path

import httpx
import pytest

from demo.github.answers import Answer
from demo.github.state import Asset
from jobs.errors import Refused
from tests.bot.github.conftest import World

TAG = "benchmark-results-2026-05"
NAME = "0a1b2c3d4e5f-9c2f.zip"
UPLOAD = "POST */assets"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive.zip"
    path.write_bytes(b"PK" + b"x" * 3_000_000)
    return path


def assets_of(world: World, tag: str) -> list[Asset]:
    release = world.handle.release(tag)
    assert release is not None
    return release.assets


async def test_the_release_is_made_when_missing_and_holds_the_archive(world: World, archive: Path):
    address = await world.client.upload("2026-05", NAME, archive)
    release = world.handle.release(TAG)
    assert release is not None
    assert release.is_prerelease
    (asset,) = release.assets
    assert (asset.name, asset.content_type) == (NAME, "application/zip")
    async with httpx.AsyncClient(trust_env=False, follow_redirects=True) as anybody:
        assert (await anybody.get(address)).content == archive.read_bytes()


async def test_the_same_name_again_is_not_uploaded_again(world: World, archive: Path):
    first = await world.client.upload("2026-05", NAME, archive)
    again = await world.client.upload("2026-05", NAME, archive)
    assert first == again
    assert len(world.calls("POST /repos/acme/skills/releases/")) == 1


@pytest.mark.parametrize("after_effect", [True, False])
async def test_an_upload_whose_answer_is_lost_is_there_once(
    world: World, archive: Path, after_effect: bool
):
    world.gh.faults.answer(502, on=UPLOAD, after_effect=after_effect)
    address = await world.client.upload("2026-05", NAME, archive)
    assert len(assets_of(world, TAG)) == 1
    assert address.endswith(NAME)


async def test_a_release_that_was_made_but_not_answered_for_is_adopted(world: World, archive: Path):
    world.gh.faults.drop_connection(on="POST /repos/acme/skills/releases")
    await world.client.upload("2026-05", NAME, archive)
    assert [release.tag for release in world.handle.repository.releases] == [TAG]
    assert len(assets_of(world, TAG)) == 1


async def test_two_processes_make_one_release(world: World, archive: Path):
    other = (await world.another_app()).repository(world.repo)
    create = "POST /repos/acme/skills/releases"
    gates = [world.gh.faults.hold(on=create), world.gh.faults.hold(on=create)]
    uploads = [
        asyncio.create_task(world.client.upload("2026-05", "one.zip", archive)),
        asyncio.create_task(other.upload("2026-05", "two.zip", archive)),
    ]
    async with asyncio.timeout(10):
        for gate in gates:
            await gate.reached.wait()
        for gate in gates:
            gate.release.set()
        await asyncio.gather(*uploads)
    assert sorted(asset.name for asset in assets_of(world, TAG)) == ["one.zip", "two.zip"]


async def test_two_processes_upload_the_same_archive_once(world: World, archive: Path):
    await world.client.upload("2026-05", "first.zip", archive)
    other = (await world.another_app()).repository(world.repo)
    addresses = await asyncio.gather(
        world.client.upload("2026-05", NAME, archive), other.upload("2026-05", NAME, archive)
    )
    assert len(set(addresses)) == 1
    assert len(assets_of(world, TAG)) == 2


async def test_a_full_release_leads_to_the_next_part(world: World, archive: Path):
    await world.client.upload("2026-05", NAME, archive)
    (asset,) = assets_of(world, TAG)
    for number in range(1, 1000):
        copy = {"id": asset.id + number, "name": f"{number}.zip"}
        assets_of(world, TAG).append(Asset(**(vars(asset) | copy)))
    before = len(world.calls("POST"))
    address = await world.client.upload("2026-05", "next.zip", archive)
    assert [found.name for found in assets_of(world, f"{TAG}-2")] == ["next.zip"]
    assert f"{TAG}-2" in address
    assert len(world.calls("POST")) == before + 2  # a release and an upload, none in vain
    assert await world.client.upload("2026-05", NAME, archive) != address


async def test_a_release_that_fills_up_meanwhile_leads_to_the_next_part(
    world: World, archive: Path
):
    """The last place went between our look and our upload."""
    await world.client.upload("2026-05", NAME, archive)
    (asset,) = assets_of(world, TAG)
    gate = world.gh.faults.hold(on=UPLOAD)
    uploading = asyncio.create_task(world.client.upload("2026-05", "next.zip", archive))
    async with asyncio.timeout(10):
        await gate.reached.wait()
        for number in range(1, 1000):
            copy = {"id": asset.id + number, "name": f"{number}.zip"}
            assets_of(world, TAG).append(Asset(**(vars(asset) | copy)))
        gate.release.set()
        await uploading
    assert [found.name for found in assets_of(world, f"{TAG}-2")] == ["next.zip"]


async def test_what_a_broken_upload_left_behind_is_cleared_away(world: World, archive: Path):
    """GitHub keeps the name of an upload that broke off, in the state `starter`."""
    await world.client.upload("2026-05", NAME, archive)
    (asset,) = assets_of(world, TAG)
    release = world.calls("POST /repos/acme/skills/releases")[0].answer
    husk = world.calls("POST /repos/acme/skills/releases/")[0].answer | {"state": "starter"}
    world.answer_with(Answer(200, release | {"assets": [husk]}), on="GET */releases/tags/*")
    world.answer_with(Answer(200, [husk]), on=f"GET */releases/{release['id']}/assets")
    await world.client.upload("2026-05", NAME, archive)
    (anew,) = assets_of(world, TAG)
    assert anew.id != asset.id
    assert anew.content == archive.read_bytes()


async def test_an_immutable_release_leads_to_the_next_part(world: World, archive: Path):
    await world.client.upload("2026-05", NAME, archive)
    release = world.handle.release(TAG)
    assert release is not None
    release.is_immutable = True
    await world.client.upload("2026-05", "next.zip", archive)
    assert [found.name for found in assets_of(world, f"{TAG}-2")] == ["next.zip"]


async def test_where_every_release_is_immutable_one_is_made_and_no_more(
    world: World, archive: Path
):
    """A release that is born closed would be followed by another, and another."""
    world.handle.repository.releases_are_immutable = True
    for name in (NAME, "next.zip"):
        with pytest.raises(Refused, match="immutable from the start"):
            await world.client.upload("2026-05", name, archive)
    assert [release.tag for release in world.handle.repository.releases] == [TAG]


async def test_releases_that_become_immutable_end_with_one_empty_part(world: World, archive: Path):
    await world.client.upload("2026-05", NAME, archive)
    first = world.handle.release(TAG)
    assert first is not None
    first.is_immutable = world.handle.repository.releases_are_immutable = True
    for name in ("next.zip", "last.zip"):
        with pytest.raises(Refused, match="immutable from the start"):
            await world.client.upload("2026-05", name, archive)
    assert await world.client.upload("2026-05", NAME, archive)  # what is there is found
    tags = sorted(release.tag for release in world.handle.repository.releases)
    assert tags == [TAG, f"{TAG}-2"]


async def test_a_release_that_may_not_be_made_is_a_refusal(world: World, archive: Path):
    """A rule of the repository can forbid new tags."""
    world.gh.faults.answer(422, on="POST */releases", message="Cannot create ref by rule")
    with pytest.raises(Refused, match="Cannot create ref by rule"):
        await world.client.upload("2026-05", NAME, archive)


async def test_a_refusal_for_another_reason_is_not_taken_for_a_full_release(
    world: World, archive: Path
):
    world.gh.faults.answer(422, on=UPLOAD, message="No such luck")
    with pytest.raises(Refused, match="No such luck"):
        await world.client.upload("2026-05", NAME, archive)


@pytest.mark.parametrize(
    ("month", "name"),
    [
        ("2026-13", NAME),
        ("../x", NAME),
        ("2026-05", "a b.zip"),
        ("2026-05", "../x"),
        ("2026-05", ""),
    ],
)
async def test_names_that_could_not_be_found_again_are_refused(
    world: World, archive: Path, month: str, name: str
):
    with pytest.raises(ValueError, match=r"month|asset"):
        await world.client.upload(month, name, archive)
    assert not world.calls()
