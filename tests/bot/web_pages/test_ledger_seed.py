"""What pages are tried with is what workers leave."""

from pathlib import Path

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.store.ledger import RedisLedger
from jobs.results import RunResult
from tests.bot.web_pages.ledger_seed import REPO, put_ended_run, put_records, some_records


async def test_records_are_found_by_their_repository(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as redis:
        await put_records(redis, some_records(30))
        found = await RedisLedger(redis).records(REPO)
    assert len({one.run for one in found}) == 30
    assert {one.state for one in found} == {"complete", "ungraded"}


async def test_an_ended_run_is_kept_with_its_files(tmp_path: Path) -> None:
    blobs = Blobs((tmp_path / "blobs").as_uri())
    await put_ended_run(blobs, tmp_path / "made", run_id="5e1f00d5a1ad", trials=2)
    stored = await blobs.get("runs/5e1f00d5a1ad/ended.json")
    result = RunResult.model_validate_json(stored or b"")
    assert len(result.sessions) == 4
    assert await blobs.exists("runs/5e1f00d5a1ad/ended/with_skill-2.zip")
