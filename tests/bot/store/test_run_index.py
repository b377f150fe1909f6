"""Any part of any list of runs is found in the index, and the index stands as the ledger does."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.store.ledger import RedisLedger
from bot.store.run_index import Choice, Part, RunIndex, find_place, runs_key
from jobs.results import RunRecord
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, put_records, some_records
from tests.builders import NOON, a_run_record

ALL = Choice()


@pytest.fixture
def index(redis: Redis) -> RunIndex:
    return RunIndex(redis)


async def walk(index: RunIndex, choice: Choice, most: int, repo: str = REPO) -> list[str]:
    """A whole list, part by part."""
    found: list[str] = []
    after = None
    while True:
        part = await index.part(repo, choice, after, most)
        found += part.runs
        if not part.next:
            assert part.total == len(found)
            return found
        assert len(part.runs) == most
        after = find_place(part.next)
        assert after is not None


def newest_first(records: Sequence[RunRecord]) -> list[str]:
    return [one.run for one in sorted(records, key=lambda one: one.ended_at, reverse=True)]


@pytest.mark.parametrize("most", [1, 7, 200])
@pytest.mark.parametrize(
    ("choice", "is_meant"),
    [
        (ALL, lambda _: True),
        (Choice(skill=SKILLS[2]), lambda one: one.skill == SKILLS[2]),
        (Choice(model=MODELS[1]), lambda one: one.model == MODELS[1]),
        (Choice(state="ungraded"), lambda one: one.state == "ungraded"),
        (
            Choice(SKILLS[3], MODELS[0], "complete"),
            lambda one: (one.skill, one.model, one.state) == (SKILLS[3], MODELS[0], "complete"),
        ),
        (Choice(skill="no/such"), lambda _: False),
        (Choice(model="none"), lambda _: False),
    ],
)
async def test_a_list_is_found_part_by_part(
    redis: Redis, index: RunIndex, choice: Choice, is_meant: Any, most: int
) -> None:
    records = some_records(150, until=NOON)
    await put_records(redis, records)
    assert await walk(index, choice, most) == newest_first(list(filter(is_meant, records)))


async def test_runs_that_do_not_say_when_they_ended_come_last_and_all_once(
    redis: Redis, index: RunIndex
) -> None:
    """Older records: thousands of them end at one and the same moment."""
    dated = a_run_record(run="d" * 12, repo=REPO)
    older = [a_run_record(run=f"{n:012}", repo=REPO, finished_at=None) for n in range(2_300)]
    await put_records(redis, [*older, dated])
    found = await walk(index, ALL, 100)
    assert found == [dated.run, *(one.run for one in reversed(older))]
    state = await index.state(REPO)
    assert state.skills == {dated.skill: dated.ended_at}


async def test_a_place_whose_run_is_no_more_still_leads_on(redis: Redis, index: RunIndex) -> None:
    records = some_records(9, until=NOON)
    await put_records(redis, records)
    first = await index.part(REPO, ALL, None, 4)
    await redis.zrem(runs_key(REPO, ALL), first.runs[-1])
    rest = await index.part(REPO, ALL, find_place(first.next), 9)
    assert list(rest.runs) == newest_first(records)[4:]


@pytest.mark.parametrize(
    "text", ["", "x", "1", "1.", ".a", "1.a b", "1.ä", "1.a\n", "9" * 30 + ".a"]
)
def test_what_names_no_place_is_none(text: str) -> None:
    assert find_place(text) is None


def test_a_place_is_found_in_its_own_text() -> None:
    place = find_place("-62135596800000.ab12")
    assert place is not None
    assert str(place) == "-62135596800000.ab12"


async def test_a_run_that_is_told_again_stands_in_its_new_list_alone(
    redis: Redis, index: RunIndex
) -> None:
    """As one that was judged again, and has a score now."""
    ledger = RedisLedger(redis)
    lost = a_run_record(repo=REPO, state="ungraded", score=None)
    await ledger.note(lost)
    later = lost.model_copy(
        update={"state": "complete", "score": {}, "finished_at": NOON + timedelta(hours=2)}
    )
    await ledger.record("k", later)
    for choice, runs in [
        (ALL, (lost.run,)),
        (Choice(state="ungraded"), ()),
        (Choice(lost.skill, state="complete"), (lost.run,)),
        (Choice(state="invalid"), ()),
    ]:
        assert await index.part(REPO, choice, None, 5) == Part(runs, len(runs), "")
    await ledger.note(later.model_copy(update={"invalid": True}))
    assert (await index.part(REPO, Choice(state="invalid"), None, 5)).total == 1
    assert (await index.part(REPO, Choice(state="complete"), None, 5)).total == 0


async def test_names_are_the_same_in_any_case(redis: Redis, index: RunIndex) -> None:
    ledger = RedisLedger(redis)
    await ledger.note(a_run_record(repo="Acme/Skills", run="a" * 12))
    await ledger.note(a_run_record(repo="acme/skills", run="b" * 12))
    assert list(await index.repos()) == ["acme/skills"]
    assert (await index.part("ACME/skills", ALL, None, 5)).total == 2


@pytest.mark.parametrize("skill", [".", "a:b", "a%3Ab", "ü/ß 🧮", 'q"u\\o', "a\nb", "*", " "])
async def test_odd_paths_are_lists_of_their_own(redis: Redis, index: RunIndex, skill: str) -> None:
    ledger = RedisLedger(redis)
    odd = a_run_record(repo=REPO, run="a" * 12, skill=skill, model="vendor/m:1%")
    await ledger.note(odd)
    await ledger.note(a_run_record(repo=REPO, run="b" * 12, skill="a", model="b:c"))
    assert (await index.part(REPO, Choice(skill), None, 5)).runs == (odd.run,)
    assert (await index.part(REPO, Choice(skill, "vendor/m:1%"), None, 5)).runs == (odd.run,)
    assert await index.models(REPO, skill) == ["vendor/m:1%"]
    assert await index.models(REPO) == ["b:c", "vendor/m:1%"]


async def test_versions_change_with_each_record_and_only_where_it_belongs(
    redis: Redis, index: RunIndex
) -> None:
    ledger = RedisLedger(redis)
    record = a_run_record(repo=REPO)
    assert await index.version(REPO) == ""
    seen = set()
    for _ in range(3):
        await ledger.note(record)
        seen |= {await index.version(REPO, record.skill)}
    assert len(seen) == 3
    before = await index.version(REPO)
    await ledger.note(record.model_copy(update={"skill": "other", "run": "c" * 12}))
    assert await index.version(REPO, record.skill) in seen
    assert await index.version(REPO) != before
    assert await index.version("acme/other") == ""


async def test_a_version_never_comes_again_in_an_emptied_redis(
    redis: Redis, index: RunIndex
) -> None:
    ledger = RedisLedger(redis)
    await ledger.note(a_run_record(repo=REPO))
    before = await index.version(REPO)
    await redis.flushall()
    await ledger.note(a_run_record(repo=REPO))
    assert await index.version(REPO) != before
