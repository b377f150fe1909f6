"""The ledger comes back from what the App itself has left on GitHub, and from nothing else."""

import io
import json
import zipfile

import pytest

from bot.blobs import Blobs
from bot.github.tags import render_tag
from bot.store.ledger import RedisLedger
from bot.store.run_index import Choice, RunIndex, runs_key
from bot.upkeep.rebuild import Rebuild, Rebuilt
from demo.github import RepositoryHandle
from demo.github.code_actions import CodeActions, ReleaseDraft, Upload
from jobs.calibration.people import RunVerdicts, find_verdicts, render_verdicts_marker
from jobs.dashboard.triggers import find_trigger_history
from jobs.planning.dedup import record_key
from jobs.planning.markers import render_marker
from jobs.results import RunRecord
from jobs.triggering.record import render_marker as render_trigger_marker
from tests.bot.upkeep.conftest import World
from tests.broken_zips import BROKEN_ZIPS
from tests.builders import a_repo, a_run_record
from tests.jobs.calibration.test_people import said
from tests.jobs.triggering.found import a_found

MONTH = "benchmark-results-2026-05"


def a_record(**changes: object) -> RunRecord:
    return a_run_record(**({"repo": "acme/skills"} | changes))


def report(
    world: World, record: RunRecord, *, issue: int = 7, by: str = "", before: str = ""
) -> str:
    """A report comment; gives its address."""
    body = f"{before}### Report\n\n{render_marker(record)}\n"
    comment = world.handle.comment(issue, by=by or world.gh.bot_login, body=body)
    return f"{world.handle.page(issue)}#issuecomment-{comment.id}"


def attach(world: World, name: str, content: bytes, *, by: str = "", tag: str = MONTH) -> None:
    """Attach a file to a release, as the App or somebody with write permission does."""
    account = world.gh.site.account(by or world.gh.bot_login)
    actions = CodeActions(world.gh.site)
    release = world.handle.release(tag)
    if release is None:
        draft = ReleaseDraft(
            tag=tag, target="main", name=tag, body="", is_draft=False, is_prerelease=True
        )
        release = actions.create_release(world.handle.repository, account, draft)
    upload = Upload(content=content, name=name, label=None, content_type="application/zip")
    actions.attach(release, account, upload)


def an_archive(record: RunRecord | None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        fields = record.model_dump(mode="json", exclude={"url"}) if record else None
        archive.writestr("result.json", json.dumps({"version": 1, "record": fields}))
    return packed.getvalue()


async def rebuild(world: World, handle: RepositoryHandle | None = None) -> Rebuilt:
    owner, _, name = (handle or world.handle).full_name.partition("/")
    place = await world.app.place(owner, name)
    repository = world.app.repository(place.repo)
    return await Rebuild(
        place, repository, RedisLedger(world.redis), Blobs(world.settings.blobs)
    ).run()


async def known(world: World, record: RunRecord) -> RunRecord | None:
    return await RedisLedger(world.redis).find(record_key(record))


async def test_a_report_of_ours_is_known_again_with_its_address(world: World) -> None:
    record = a_record()
    url = report(world, record)
    rebuilt = await rebuild(world)
    assert (rebuilt.from_comments, rebuilt.from_archives) == (1, 0)
    assert await known(world, record) == record.model_copy(update={"url": url})


async def test_doing_it_twice_changes_nothing(world: World) -> None:
    report(world, a_record())
    await rebuild(world)
    before = await world.redis.hgetall("skillbench:ledger")  # type: ignore[misc]
    await rebuild(world)
    assert await world.redis.hgetall("skillbench:ledger") == before  # type: ignore[misc]


async def test_nobody_else_can_put_a_run_into_the_ledger(world: World) -> None:
    """Not by a comment, not by a file on a release, whoever they are."""
    forged = a_record(run="aaaaaaaaaaaa")
    report(world, forged, by="mona")
    attach(world, "skills-case-count-aaaaaaaaaaaa-0123456789ab.zip", an_archive(forged), by="mona")
    rebuilt = await rebuild(world)
    assert (rebuilt.from_comments, rebuilt.from_archives) == (0, 0)
    assert await known(world, forged) is None


async def test_of_two_reports_with_one_key_the_newer_is_pointed_to(world: World) -> None:
    record = a_record()
    report(world, record)
    world.clock.now += 60
    url = report(world, record.model_copy(update={"run": "bbbbbbbbbbbb"}), issue=8)
    await rebuild(world)
    found = await known(world, record)
    assert found is not None
    assert found.url == url


@pytest.mark.parametrize("told_again", [False, True])
async def test_the_newest_judge_of_a_run_stays_its_judge(world: World, *, told_again: bool) -> None:
    """Also where the first report was changed since, as by a person's verdict."""
    first = a_record(judge="first")
    report(world, first)
    world.clock.now += 60
    urls = {}
    for name in ("second", "third"):
        judged = first.model_copy(update={"judge": name})
        urls[name] = report(world, judged, before=f"{render_tag(f'rejudged:{name}')}\n")
        world.clock.now += 60
    if told_again:
        report(world, first.model_copy(update={"people": {"pass/fail": 1}}))
    rebuilt = await rebuild(world)
    assert rebuilt.from_comments == 1
    found = await known(world, first)
    [listed] = await RedisLedger(world.redis).records("acme/skills")
    assert found is not None
    assert (found.judge, found.url) == ("third", urls["third"])
    assert listed == found


async def test_a_run_without_a_score_is_no_run_and_is_counted(world: World) -> None:
    ungraded = a_record(score=None, state="ungraded")
    report(world, ungraded)
    report(world, a_record(), issue=8, by="mona")
    world.handle.comment(7, by=world.gh.bot_login, body="<!-- skillbench:v9 {} -->")
    rebuilt = await rebuild(world)
    assert dict(rebuilt.skipped) == {"not graded": 1, "marker of another version": 1}
    assert await known(world, ungraded) is None


async def test_a_run_whose_report_could_not_be_posted_is_known_from_its_archive(
    world: World,
) -> None:
    told, untold = a_record(run="aaaaaaaaaaaa"), a_record(run="bbbbbbbbbbbb", eval_id="other")
    report(world, told)
    attach(world, "skills-case-count-aaaaaaaaaaaa-0123456789ab.zip", an_archive(told))
    attach(world, "skills-other-count-bbbbbbbbbbbb-0123456789ab.zip", an_archive(untold))
    rebuilt = await rebuild(world)
    assert (rebuilt.from_comments, rebuilt.from_archives) == (1, 1)
    found = await known(world, untold)
    assert found is not None
    assert found.url.endswith("bbbbbbbbbbbb-0123456789ab.zip")
    fetched = [sent for sent in world.gh.requests if "/releases/assets/" in sent.path]
    assert len(fetched) == 1, "what has a report is not fetched"


@pytest.mark.parametrize("content", [b"no zip", an_archive(None), b"", *BROKEN_ZIPS.values()])
async def test_an_archive_that_cannot_be_read_is_counted_and_holds_up_nothing(
    world: World, content: bytes
) -> None:
    attach(world, "skills-case-count-aaaaaaaaaaaa-0123456789ab.zip", content)
    report(world, a_record(run="cccccccccccc"))
    rebuilt = await rebuild(world)
    assert dict(rebuilt.skipped) == {"unreadable archive": 1}
    assert rebuilt.from_comments == 1


async def test_other_releases_are_not_looked_into(world: World) -> None:
    attach(world, "x-aaaaaaaaaaaa-0123456789ab.zip", an_archive(a_record()), tag="v1.0")
    assert (await rebuild(world)).from_archives == 0


async def test_a_repository_that_was_renamed_knows_its_runs_under_its_new_name(
    world: World,
) -> None:
    record = a_record()
    report(world, record)
    world.handle.rename("abilities")
    await rebuild(world)
    assert await known(world, record) is None
    assert await known(world, record.model_copy(update={"repo": "acme/abilities"})) is not None


async def test_what_the_old_name_of_a_repository_knew_is_the_new_ones(world: World) -> None:
    """Also a run whose report was deleted since, and nothing stays behind."""
    record, lost = a_record(), a_record(run="f" * 12)
    ledger = RedisLedger(world.redis)
    await ledger.note(record)
    await ledger.note(lost)
    report(world, record)
    world.handle.rename("abilities")
    await rebuild(world)
    await rebuild(world)
    found = {one.run for one in await ledger.records("acme/abilities")}
    assert found == {record.run, lost.run}
    assert await ledger.records("acme/skills") == []
    index = RunIndex(world.redis)
    assert await index.repos() == {"acme/abilities": "acme/abilities"}
    assert (await index.part("acme/abilities", Choice(), None, 9)).total == 2


async def test_a_rebuilt_ledger_is_indexed_whatever_stood_there(world: World) -> None:
    record = a_record()
    report(world, record)
    await world.redis.zadd(runs_key("acme/skills", Choice()), {"a ghost": 5})
    await rebuild(world)
    part = await RunIndex(world.redis).part("acme/skills", Choice(), None, 9)
    assert part.runs == (record.run,)


async def test_a_run_of_another_repository_stays_that_ones(world: World) -> None:
    """An issue that was moved here brings its reports along."""
    world.gh.add_repository("acme", "elsewhere")
    record = a_record(repo="acme/elsewhere")
    report(world, record)
    await rebuild(world)
    assert await known(world, record) is not None


async def test_what_people_said_is_put_back_from_the_report(world: World) -> None:
    """Both the count in the record and the words themselves, and only by our own comments."""
    record = a_record(people={"pass/fail": 1})
    verdicts = RunVerdicts(run=record.run, eval_id="e").joined([said()])
    hidden = f"{render_verdicts_marker(verdicts)}\n{render_marker(record)}"
    world.handle.comment(7, by="mona", body=hidden.replace(record.run, "aaaaaaaaaaaa"))
    world.handle.comment(7, by=world.gh.bot_login, body=hidden)
    blobs = Blobs(world.settings.blobs)
    assert (await rebuild(world)).verdicts == 1
    assert await find_verdicts(record.run, record.repo, blobs) == verdicts
    assert await find_verdicts("aaaaaaaaaaaa", record.repo, blobs) is None
    again = await known(world, record)
    assert again is not None
    assert again.people == {"pass/fail": 1}
    assert (await rebuild(world)).verdicts == 0


async def test_the_history_of_a_description_is_put_back_under_its_present_name(
    world: World,
) -> None:
    """By our own comments alone; of an older marker the comment says when it was."""
    record = a_found(repo=a_repo()).make_record()
    older = record.model_copy(update={"run": "bbbbbbbbbbbb", "ended_at": None})
    proposed = record.model_copy(update={"run": "cccccccccccc", "improved": True})
    forged = record.model_copy(update={"run": "dddddddddddd"})
    markers = "\n".join(map(render_trigger_marker, (record, older, proposed)))
    world.handle.comment(7, by="mona", body=render_trigger_marker(forged))
    comment = world.handle.comment(7, by=world.gh.bot_login, body=markers)
    world.handle.rename("abilities")
    for _ in range(2):
        rebuilt = await rebuild(world)
        assert rebuilt.measurements == 2
        assert rebuilt.skipped["of a proposed description"] == 1
    blobs = Blobs(world.settings.blobs)
    assert await find_trigger_history("acme/skills", record.skill, blobs) == ()
    points = await find_trigger_history("acme/abilities", record.skill, blobs)
    assert {one.run: one.ended_at is None for one in points} == {
        record.run: False,
        older.run: False,
    }
    assert all(one.url.endswith(f"issuecomment-{comment.id}") for one in points)
