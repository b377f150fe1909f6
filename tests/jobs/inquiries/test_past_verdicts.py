"""Which runs of an eval case are looked at, and what is left out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.store.ledger import RedisLedger
from jobs.inquiries.past_verdicts import find_past, to_faults
from jobs.planning.dedup import record_of
from jobs.results import RunResult
from jobs.values import EvalCase, VerdictWord
from jobs.weak_evals.canary_check import CanaryCheck, CanaryVerdict
from jobs.weak_evals.past_runs import MOST_RUNS, ResultReader, find_weak_evals
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
    words: Sequence[VerdictWord] = ("pass", "pass"),
    case: EvalCase = CASE,
    **changes: Any,
) -> RunResult:
    """A run whose first assertion got these words: with the skill, and without it."""
    having, lacking = words
    score = an_assertion_score(assertion=FIRST, with_skill=(having,), without_skill=(lacking,))
    spec = a_run_spec(run_id=f"{number:012x}", eval_case=case, **changes)
    return a_result(spec=spec, assertions=(score,))


async def faults_of(kept: Kept, *runs: RunResult) -> list[str]:
    for run in runs:
        await kept.keep(run)
    found = await find_past(CASE, a_repo(), cast("World", kept))
    return [one.what for one in to_faults(found) if one.where == FIRST.id]


async def test_lint_is_told_what_the_kept_runs_say(redis: Redis, tmp_path: Path) -> None:
    runs = [a_run(number) for number in range(3)]
    assert await faults_of(Kept(redis, tmp_path), *runs) == [
        "passed in both arms of all 3 past runs"
    ]


async def test_runs_of_what_is_not_merged_tell_nothing(redis: Redis, tmp_path: Path) -> None:
    runs = [a_run(number, pull=7) for number in range(3)]
    assert await faults_of(Kept(redis, tmp_path), *runs) == []


async def test_runs_of_another_version_of_the_case_tell_nothing(
    redis: Redis, tmp_path: Path
) -> None:
    older = an_eval_case(digest="0" * 64)
    runs = [a_run(number, case=older) for number in range(3)]
    assert await faults_of(Kept(redis, tmp_path), *runs) == []


async def test_what_was_swept_up_or_cannot_be_read_is_left_out(
    redis: Redis, tmp_path: Path
) -> None:
    kept = Kept(redis, tmp_path)
    await kept.ledger.note(record_of(a_run(1)))
    await kept.keep(a_run(2))
    await kept.ledger.note(record_of(a_run(3)))
    await kept.blobs.put(f"runs/{3:012x}/ended.json", b"{}")
    assert await faults_of(kept) == []


async def test_the_run_of_another_repository_under_the_same_id_is_not_read(
    redis: Redis, tmp_path: Path
) -> None:
    """One store serves all repositories, and a marker may name any run."""
    kept = Kept(redis, tmp_path)
    await kept.keep(a_run(1))
    await kept.keep(a_run(2))
    stranger = a_run(2, repo=a_repo(owner="strangers"))
    await kept.blobs.put(f"runs/{2:012x}/ended.json", stranger.model_dump_json().encode())
    assert await faults_of(kept) == []


async def test_only_the_newest_runs_are_looked_at(redis: Redis, tmp_path: Path) -> None:
    old = a_run(1, ("pass", "fail"))
    new = [a_run(number) for number in range(2, MOST_RUNS + 2)]
    assert await faults_of(Kept(redis, tmp_path), old, *new) == [
        "passed in both arms of all 10 past runs"
    ]


async def test_what_canaries_showed_is_told_before_there_are_two_runs(
    redis: Redis, tmp_path: Path
) -> None:
    kept = Kept(redis, tmp_path)
    said = CanaryVerdict(assertion=FIRST.id, canary="fluent", verdict="pass")
    check = CanaryCheck(judge="j", prompt_version="p", assertions=(FIRST.id,), satisfied=(said,))
    key = f"canaries/{CASE.digest}/newest.json"
    await kept.blobs.put(key, check.model_dump_json().encode())
    assert await faults_of(kept) == ["is satisfied by an answer that says nothing"]


async def test_the_weak_ones_among_eval_cases_are_found_in_their_last_version(
    redis: Redis, tmp_path: Path
) -> None:
    kept = Kept(redis, tmp_path)
    good = an_eval_case(id="good", digest="a" * 64)
    older = an_eval_case(digest="0" * 64)
    runs = [
        *(a_run(number, ("pass", "fail"), good) for number in range(2)),
        *(a_run(number, ("fail", "fail"), older) for number in range(2, 5)),
        *(a_run(number) for number in range(5, 7)),
    ]
    for run in runs:
        await kept.keep(run)
    records = [record_of(run) for run in runs]
    reader = ResultReader(kept.blobs)
    [weak] = await find_weak_evals(records, reader, ["good", CASE.id, CASE.id, "unknown"])
    assert (weak.eval_id, weak.runs, weak.assertions) == (CASE.id, 2, len(CASE.assertions))
    assert [one.what for one in weak.weaknesses if one.assertion == FIRST] == [
        "passed in both arms of all 2 past runs"
    ]
