"""What is old and over goes; what is young, unfinished or irreplaceable stays."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.queues import enqueue
from bot.upkeep.sweep import Sweep
from jobs.keeping import request_folder
from jobs.late import LateRequest, late_key
from jobs.planning.plan import Plan
from jobs.requests import Request
from tests.builders import NOON, a_request, a_run_spec
from tests.stories.s3 import bucket

KEEP = timedelta(days=30)
REQUEST = a_request(key="label:acme/skills#7", asked_at=NOON)
RUN = "runs/0123456789ab"


class Store:
    """A blob store in a folder, whose blobs can be made to look old."""

    def __init__(self, folder: Path) -> None:
        self.blobs = Blobs(folder.as_uri())
        self._folder = folder

    async def put(self, key: str, content: bytes = b"x", *, age: timedelta) -> None:
        await self.blobs.put(key, content)
        at = (NOON - age).timestamp()
        os.utime(self._folder / key, (at, at))

    async def keys(self) -> set[str]:
        tops = ("requests", "runs", "archives", "late", "baselines")
        return {blob.key for top in tops for blob in [one async for one in self.blobs.walk(top)]}

    async def put_request(self, request: Request, *, age: timedelta) -> None:
        """A request with its plan and one run."""
        spec = a_run_spec(run_id=RUN.partition("/")[2])
        plan = Plan(request=request, commit="c" * 40, runs=(spec,), duplicates=(), refused=())
        folder = request_folder(request)
        await self.put(f"{folder}/plan.json", plan.model_dump_json().encode(), age=age)
        await self.put(f"{RUN}/with_skill-1.zip", age=age)
        await self.put(f"{RUN}/ended.json", age=age)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "blobs")


def sweep(store: Store, redis: Redis) -> Sweep:
    return Sweep(blobs=store.blobs, redis=redis, keep=KEEP, clock=lambda: NOON)


OLD, YOUNG = timedelta(days=31), timedelta(days=29)


async def test_what_ended_long_ago_is_deleted_and_what_is_young_is_not(
    store: Store, redis: Redis
) -> None:
    await store.put_request(REQUEST, age=OLD)
    await store.put("runs/ffffffffffff/ended.json", age=YOUNG)
    await sweep(store, redis).run()
    assert await store.keys() == {"runs/ffffffffffff/ended.json"}


async def test_a_folder_goes_as_a_whole_or_stays_as_a_whole(store: Store, redis: Redis) -> None:
    """A plan without the sessions it has paid for would pay for them again."""
    await store.put_request(REQUEST, age=OLD)
    await store.put(f"{RUN}/judge-2.json", age=YOUNG)
    await sweep(store, redis).run()
    assert await store.keys() == {
        *(f"{RUN}/{name}" for name in ("with_skill-1.zip", "ended.json", "judge-2.json"))
    }


async def test_nothing_of_a_request_that_waits_is_deleted(store: Store, redis: Redis) -> None:
    request = REQUEST.model_copy(update={"asked_at": NOON - timedelta(days=40)})
    await store.put_request(request, age=OLD)
    await enqueue(redis, request)
    before = await store.keys()
    await sweep(store, redis).run()
    assert await store.keys() == before
    await redis.flushall()
    await sweep(store, redis).run()
    assert await store.keys() == set()


async def test_nothing_of_a_request_that_is_kept_to_be_posted_is_deleted(
    store: Store, redis: Redis
) -> None:
    request = REQUEST.model_copy(update={"asked_at": NOON - timedelta(days=40)})
    await store.put_request(request, age=OLD)
    late = LateRequest(request=request, reason="away", since=NOON, tries=1, not_before=NOON)
    await store.put(late_key(request), late.model_dump_json().encode(), age=OLD)
    before = await store.keys()
    await sweep(store, redis).run()
    assert await store.keys() == before


async def test_archives_stay(store: Store, redis: Redis) -> None:
    """The only copy of what GitHub did not take."""
    await store.put("archives/skills-case-1.zip", age=OLD)
    await sweep(store, redis).run()
    assert await store.keys() == {"archives/skills-case-1.zip"}


async def test_an_empty_store_is_no_trouble(store: Store, redis: Redis) -> None:
    await sweep(store, redis).run()
    assert await store.keys() == set()


async def test_a_bucket_is_swept_as_a_folder_is(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can make a blob look old there: the clock goes on instead."""
    async with bucket() as s3:
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        blobs = Blobs(s3.address)
        for key in ("requests/a/plan.json", "runs/b/ended.json", "runs/b/1.zip", "archives/c.zip"):
            await blobs.put(key, b"x")
        for days, left in ((29, 4), (31, 1)):
            now = datetime.now(UTC) + timedelta(days=days)
            await Sweep(blobs=blobs, redis=redis, keep=KEEP, clock=lambda at=now: at).run()  # type: ignore[misc]
            assert (await s3.keys()).count("<Key>") == left
        assert "archives/c.zip" in await s3.keys()


def a_list(*kept: tuple[str, timedelta]) -> bytes:
    """The list of a folder of kept sessions: each with how long it may still be used."""
    sessions = [
        {
            "key": f"baselines/one/{name}.zip",
            "run": "a" * 12,
            "ended_at": (NOON - timedelta(days=40)).isoformat(),
            "until": (NOON + left).isoformat(),
        }
        for name, left in kept
    ]
    return json.dumps({"sessions": sessions}).encode()


async def test_kept_sessions_stay_as_long_as_they_may_be_used(store: Store, redis: Redis) -> None:
    """However old, and also those of a folder in which others have had their day."""
    day = timedelta(days=1)
    await store.put("baselines/one/usable.zip", age=timedelta(days=40))
    await store.put("baselines/one/over.zip", age=timedelta(days=40))
    await store.put("baselines/one/kept.json", a_list(("usable", day), ("over", -day)), age=OLD)
    await sweep(store, redis).run()
    assert await store.keys() == {"baselines/one/usable.zip", "baselines/one/kept.json"}


async def test_a_list_goes_with_the_last_of_its_sessions(store: Store, redis: Redis) -> None:
    await store.put("baselines/one/over.zip", age=OLD)
    await store.put("baselines/one/kept.json", a_list(("over", -timedelta(days=1))), age=OLD)
    await sweep(store, redis).run()
    assert await store.keys() == set()


async def test_a_session_that_is_about_to_be_listed_stays(store: Store, redis: Redis) -> None:
    """One that never was listed, its worker being lost in that moment, goes a day later."""
    await store.put("baselines/one/new.zip", age=timedelta(hours=1))
    await store.put("baselines/two/lost.zip", age=timedelta(days=2))
    await sweep(store, redis).run()
    assert await store.keys() == {"baselines/one/new.zip"}
