"""A ledger that is older than its index is indexed once, by however many at once."""

import asyncio
import json

import pytest
from redis.asyncio import Redis

from bot.store.index_upkeep import LOOKED, RUNS, IndexUpkeep
from bot.store.ledger import RedisLedger
from bot.store.run_index import INDEX, STATES, Choice, RunIndex
from jobs.results import RunRecord
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, put_records, some_records
from tests.builders import NOON, a_run_record

ALL = Choice()


@pytest.fixture
def upkeep(redis: Redis) -> IndexUpkeep:
    return IndexUpkeep(redis)


async def read_index(redis: Redis) -> dict[str, object]:
    """All that stands in the index, but versions."""
    found: dict[str, object] = {}
    async for key in redis.scan_iter(f"{INDEX}*"):
        name = key.decode()
        if name == LOOKED or name.startswith(f"{INDEX}versions:"):
            continue
        kind = (await redis.type(key)).decode()
        if kind == "zset":
            found[name] = await redis.zrange(key, 0, -1, withscores=True)
        else:
            read = "HGETALL" if kind == "hash" else "SMEMBERS"
            found[name] = await redis.execute_command(read, key)
    return found


async def forget_index(redis: Redis) -> None:
    """Leave the ledger as a version without an index has it."""
    async for key in redis.scan_iter(f"{INDEX}*"):
        await redis.delete(key)


async def test_an_older_ledger_is_indexed_as_if_it_had_been_from_the_first(
    redis: Redis, upkeep: IndexUpkeep
) -> None:
    await put_records(redis, some_records(700, until=NOON))
    await RedisLedger(redis).note(a_run_record(repo="Other/One"))
    right = await read_index(redis)
    await forget_index(redis)
    await upkeep.find_repos()
    assert await read_index(redis) == right
    assert await RunIndex(redis).version(REPO, SKILLS[0])


async def test_two_that_index_at_once_and_a_worker_that_records_meanwhile_agree(
    redis: Redis, redis_url: str
) -> None:
    records = some_records(1_500, until=NOON)
    await put_records(redis, records)
    right = await read_index(redis)
    lost = [one for one in records if one.state == "ungraded"]
    for one in lost:
        graded = one.model_copy(update={"state": "complete", "score": {}})
        await redis.execute_command("HSET", RUNS + REPO, one.run, graded.model_dump_json())
    await forget_index(redis)
    async with Redis.from_url(redis_url) as first, Redis.from_url(redis_url) as second:
        await asyncio.gather(
            IndexUpkeep(first).make(REPO), IndexUpkeep(second).make(REPO), put_records(redis, lost)
        )
    assert await read_index(redis) == right


async def test_many_that_look_at_once_make_it_once(redis: Redis, upkeep: IndexUpkeep) -> None:
    await put_records(redis, some_records(400, until=NOON))
    await forget_index(redis)
    index = RunIndex(redis)
    seen = set()

    async def look() -> None:
        await upkeep.ensure([REPO])
        seen.add(await index.version(REPO))

    await asyncio.gather(*(look() for _ in range(10)))
    assert len(seen) == 1


async def test_what_an_older_worker_wrote_is_found_by_the_count(
    redis: Redis, upkeep: IndexUpkeep
) -> None:
    await put_records(redis, some_records(3, until=NOON))
    record = a_run_record(repo=REPO, run="e" * 12)
    await redis.execute_command("HSET", RUNS + REPO, record.run, record.model_dump_json())
    await upkeep.ensure([REPO])
    part = await RunIndex(redis).part(REPO, Choice(record.skill), None, 5)
    assert record.run in part.runs


class _Overtaken(IndexUpkeep):
    """While it reads the ledger first, an older worker writes one more run."""

    def __init__(self, redis: Redis, late: RunRecord) -> None:
        super().__init__(redis)
        self._late: RunRecord | None = late

    async def _add_all(self, repo: str) -> set[str]:
        skills = await super()._add_all(repo)
        late, self._late = self._late, None
        if late is not None:
            await _keep(self._redis, late)
        return skills


async def _keep(redis: Redis, record: RunRecord) -> None:
    await redis.execute_command(
        "HSET", f"{RUNS}{record.repo}", record.run, record.model_dump_json()
    )


async def test_what_an_older_worker_writes_just_then_is_not_lost_for_an_hour(redis: Redis) -> None:
    first, late = some_records(2, until=NOON)
    await _keep(redis, first)
    await _Overtaken(redis, late).ensure([REPO])
    assert (await RunIndex(redis).part(REPO, ALL, None, 9)).total == 2


async def test_runs_that_are_no_more_leave_no_ghost(redis: Redis, upkeep: IndexUpkeep) -> None:
    records = some_records(40, until=NOON)
    await put_records(redis, records)
    await redis.execute_command(
        "HDEL", RUNS + REPO, *(one.run for one in records if one.skill == SKILLS[1])
    )
    await upkeep.ensure([REPO])
    index = RunIndex(redis)
    state = await index.state(REPO)
    assert set(state.skills) == set(SKILLS) - {SKILLS[1]}
    assert (await index.part(REPO, ALL, None, 50)).total == 30
    for skill in ("", SKILLS[1]):
        parts = [
            await index.part(REPO, Choice(skill, model, end), None, 50)
            for model in MODELS
            for end in STATES
        ]
        assert sum(part.total for part in parts) == (0 if skill else 30)
    await redis.delete(RUNS + REPO)
    await upkeep.ensure([REPO])
    assert await index.repos() == {}


async def test_records_that_nobody_can_read_are_looked_at_once(
    redis: Redis, upkeep: IndexUpkeep
) -> None:
    good = a_run_record(repo=REPO, run="a" * 12)
    odd = {
        "b": b"{", "c": b"\xff", "d": b"[]", "e": json.dumps({"run": "e"}).encode(), "f": b""
    }  # fmt: skip
    for run, text in {**odd, good.run: good.model_dump_json()}.items():
        await redis.execute_command("HSET", RUNS + REPO, run, text)
    index = RunIndex(redis)
    await upkeep.ensure([REPO])
    version = await index.version(REPO)
    await upkeep.ensure([REPO])
    assert await index.version(REPO) == version
    assert (await index.part(REPO, ALL, None, 5)).runs == (good.run,)
    await redis.execute_command(
        "HSET", RUNS + REPO, "g" * 12, good.model_copy(update={"run": "g" * 12}).model_dump_json()
    )
    await upkeep.ensure([REPO])
    assert (await index.part(REPO, ALL, None, 5)).total == 2


async def test_it_is_looked_for_repositories_now_and_then_and_by_one_alone(
    redis: Redis, upkeep: IndexUpkeep
) -> None:
    await upkeep.find_repos()
    record = a_run_record(repo=REPO)
    await redis.execute_command("HSET", RUNS + REPO, record.run, record.model_dump_json())
    await upkeep.find_repos()
    assert await RunIndex(redis).repos() == {}
    await redis.delete(LOOKED)  # an hour later
    await upkeep.find_repos()
    assert await RunIndex(redis).repos() == {REPO: REPO}
