"""Past runs tell which assertions tell nothing apart; few of them, or other cases, tell nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.store.ledger import RedisLedger
from jobs.inquiries.past_verdicts import find_past_faults
from jobs.planning.dedup import record_of
from jobs.results import RunResult
from jobs.values import EvalCase, VerdictWord
from jobs.world import World
from tests.builders import a_repo, a_result, a_run_spec, an_assertion_score, an_eval_case

CASE = an_eval_case()
FIRST = CASE.assertions[0]


class Kept:
    """The two ports that are read, on real stores."""

    def __init__(self, redis: Redis, folder: Path) -> None:
        self.ledger = RedisLedger(redis)
        self.blobs = Blobs(folder.as_uri())

    @property
    def runs(self) -> "Kept":
        return self

    async def keep(self, result: RunResult) -> None:
        await self.ledger.note(record_of(result))
        key = f"runs/{result.spec.run_id}/ended.json"
        await self.blobs.put(key, result.model_dump_json().encode())


def a_run(
    number: int,
    words: Sequence[VerdictWord],
    case: EvalCase = CASE,
    vs: str = "none",
    pull: int = 0,
    **changes: Any,
) -> RunResult:
    """A run whose first assertion got these words: with the skill, and without it."""
    having, lacking = words
    score = an_assertion_score(assertion=FIRST, with_skill=(having,), without_skill=(lacking,))
    spec = a_run_spec(run_id=f"{number:012x}", eval_case=case, vs=vs, pull=pull)
    return a_result(spec=spec, assertions=(score,), **changes)


async def told(redis: Redis, folder: Path, *runs: RunResult) -> list[str]:
    kept = Kept(redis, folder)
    for run in runs:
        await kept.keep(run)
    return [one.what for one in await find_past_faults(CASE, a_repo(), cast("World", kept))]


@pytest.mark.parametrize("word", ["pass", "fail"])
async def test_what_comes_out_the_same_every_time_is_told(
    redis: Redis, tmp_path: Path, word: VerdictWord
) -> None:
    runs = [a_run(number, (word, word)) for number in range(3)]
    assert await told(redis, tmp_path, *runs) == [f"{word}ed in both arms of all 3 past runs"]


async def test_what_differed_once_tells_something(redis: Redis, tmp_path: Path) -> None:
    runs = (a_run(1, ("pass", "pass")), a_run(2, ("pass", "fail")))
    assert await told(redis, tmp_path, *runs) == []


@pytest.mark.parametrize("vs", ["self", f"sha:{'b' * 64}"])
async def test_that_two_versions_pass_alike_says_nothing_against_an_assertion(
    redis: Redis, tmp_path: Path, vs: str
) -> None:
    runs = [a_run(number, ("pass", "pass"), vs=vs) for number in range(3)]
    assert await told(redis, tmp_path, *runs) == []


async def test_runs_of_what_is_not_merged_tell_nothing(redis: Redis, tmp_path: Path) -> None:
    runs = [a_run(number, ("pass", "pass"), pull=7) for number in range(3)]
    assert await told(redis, tmp_path, *runs) == []


async def test_one_run_tells_nothing(redis: Redis, tmp_path: Path) -> None:
    assert await told(redis, tmp_path, a_run(1, ("pass", "pass"))) == []


async def test_runs_of_another_version_of_the_case_tell_nothing(
    redis: Redis, tmp_path: Path
) -> None:
    older = an_eval_case(digest="0" * 64)
    runs = [a_run(number, ("pass", "pass"), older) for number in range(3)]
    assert await told(redis, tmp_path, *runs) == []


async def test_what_was_swept_up_or_cannot_be_read_is_left_out(
    redis: Redis, tmp_path: Path
) -> None:
    kept = Kept(redis, tmp_path)
    await kept.ledger.note(record_of(a_run(1, ("pass", "pass"))))
    await kept.keep(a_run(2, ("pass", "pass")))
    await kept.ledger.note(record_of(a_run(3, ("pass", "pass"))))
    await kept.blobs.put(f"runs/{3:012x}/ended.json", b"{}")
    assert await find_past_faults(CASE, a_repo(), cast("World", kept)) == []
