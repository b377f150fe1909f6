"""What was measured of a description is found again by skill, over its versions."""

from datetime import timedelta
from pathlib import Path

from bot.blobs import Blobs
from jobs.dashboard.triggers import find_trigger_history
from jobs.triggering.found import Found
from jobs.triggering.history import HISTORY, note_measurement, read_measurements
from jobs.triggering.record import TriggerRecord
from tests.builders import NOON, a_repo, a_skill
from tests.jobs.triggering.found import a_found, a_trigger_run, an_optimization

REPO = "acme/skills"


def a_record(**changes: object) -> TriggerRecord:
    return a_found(repo=a_repo()).make_record().model_copy(update=changes)


async def noted(folder: Path, *records: TriggerRecord) -> Blobs:
    blobs = Blobs(folder.as_uri())
    for one in records:
        await note_measurement(one, blobs)
    return blobs


async def test_measurements_of_all_versions_are_found_the_oldest_first(tmp_path: Path) -> None:
    new = a_record(run="aaa", skill_sha="2" * 64, ended_at=NOON + timedelta(days=1))
    old = a_record(run="bbb", skill_sha="1" * 64, ended_at=NOON, url="https://x.example/1")
    blobs = await noted(tmp_path, new, old)
    first, second = await find_trigger_history(REPO, old.skill, blobs)
    assert (first.sha, first.run, first.ended_at) == ("1" * 64, "bbb", NOON)
    assert (first.precision, first.recall) == (1.0, 1.0)
    assert (first.queries, first.missing, first.url) == (2, 0, "https://x.example/1")
    assert second.sha == "2" * 64


async def test_the_same_measurement_noted_twice_is_one(tmp_path: Path) -> None:
    record = a_record()
    blobs = await noted(tmp_path, record, record.model_copy(update={"url": "https://x.example/2"}))
    [point] = await find_trigger_history(REPO, record.skill, blobs)
    assert point.url == "https://x.example/2"


async def test_one_of_which_nothing_was_seen_has_no_scores_and_counts_its_gaps(
    tmp_path: Path,
) -> None:
    gaps = a_found(((None,), (False,)), repo=a_repo()).make_history()
    blobs = await noted(tmp_path, gaps)
    [point] = await find_trigger_history(REPO, gaps.skill, blobs)
    assert (point.precision, point.recall) == (None, None)
    assert (point.queries, point.missing) == (2, 1)


async def test_another_skill_and_another_repository_have_histories_of_their_own(
    tmp_path: Path,
) -> None:
    record = a_record()
    blobs = await noted(tmp_path, record)
    assert await find_trigger_history(REPO, "another/skill", blobs) == ()
    assert await find_trigger_history("acme/other", record.skill, blobs) == ()
    assert len(await find_trigger_history("Acme/SKILLS", record.skill, blobs)) == 1


async def test_a_skill_with_a_path_too_long_for_a_marker_is_found_by_its_path(
    tmp_path: Path,
) -> None:
    path = "deep/" * 200 + "skill"
    run = a_trigger_run(skill=a_skill(path=path))
    blobs = await noted(tmp_path, a_found(repo=a_repo(), run=run).make_history())
    assert len(await find_trigger_history(REPO, path, blobs)) == 1


async def test_an_optimization_tells_of_the_description_that_the_version_has() -> None:
    """The first one was right in no session, the chosen one in all."""
    found = an_optimization("as it is", "better", right=(0, 3))
    assert found.make_record().scores["accuracy"] == 1.0
    assert found.make_history().scores["accuracy"] == 0.0
    assert found.make_history().ended_at == found.ended_at


async def test_what_is_no_record_of_ours_is_passed_over(tmp_path: Path) -> None:
    record = a_record()
    blobs = await noted(tmp_path, record, record.model_copy(update={"run": "../../runs/x"}))
    [stored] = [blob async for blob in blobs.walk(HISTORY)]
    await blobs.put(f"{stored.key.rpartition('/')[0]}/tomorrow.json", b'{"of": "tomorrow"}')
    await blobs.put(f"{stored.key.rpartition('/')[0]}/broken.json", b"\xff{")
    assert await read_measurements(REPO, record.skill, blobs) == [record]


async def test_a_record_that_does_not_say_when_it_ended_comes_first(tmp_path: Path) -> None:
    older = a_record(run="zzz", ended_at=None)
    blobs = await noted(tmp_path, a_record(run="aaa"), older)
    first, second = await find_trigger_history(REPO, older.skill, blobs)
    assert (first.run, first.ended_at, second.ended_at) == ("zzz", None, NOON)


def test_a_marker_tells_when_it_ended() -> None:
    found: Found = a_found()
    assert found.make_record().ended_at == found.ended_at
