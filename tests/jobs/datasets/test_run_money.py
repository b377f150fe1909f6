"""Chunks share one run's money: none of it lies idle, and no more of it is ever taken."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from bot.blobs import Blobs
from jobs.datasets.purse import Purse
from jobs.datasets.run_money import ChunkMoney
from jobs.day_budget import Day
from jobs.errors import OverBudget
from jobs.requests import Repo
from jobs.values import Usage
from tests.jobs.datasets.given_results import a_result

CENT = Decimal("0.01")
REPO = Repo(owner="o", name="n", installation_id=1)


@dataclass
class DayMoney:
    """A day's money, by what it was set aside for."""

    per_day: Decimal = Decimal(100)
    taken: dict[str, Decimal] = field(default_factory=dict)
    is_dead: bool = False
    """Whether the worker dies when it sets something aside."""

    def within(self, _: Decimal | None) -> "DayMoney":
        return self

    async def day(self, _: Repo) -> Day:
        raise AssertionError("no chunk looks at the day")

    async def reserve(self, name: str, _: Repo, usd: Decimal) -> None:
        if self.is_dead:
            raise asyncio.CancelledError
        if name in self.taken:
            return
        if sum(self.taken.values()) + usd > self.per_day:
            raise OverBudget("the day is over its limit")
        self.taken[name] = usd

    async def settle(self, name: str, usd: Decimal) -> None:
        if name in self.taken:
            self.taken[name] = usd


@dataclass
class RunMoney:
    """The chunks of one run, which share a store and a day."""

    blobs: Blobs
    limit: Decimal
    chunks: int
    day: DayMoney = field(default_factory=DayMoney)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @asynccontextmanager
    async def hold(self, _: str) -> AsyncIterator[None]:
        async with self.lock:
            yield

    def chunk(self, number: int) -> ChunkMoney:
        return ChunkMoney(
            blobs=self.blobs,
            hold=self.hold,
            budget=self.day,
            repo=REPO,
            run_id="a" * 12,
            limit=self.limit,
            number=number,
            chunks=self.chunks,
        )


def a_run(folder: Path, limit: str, chunks: int = 3) -> RunMoney:
    return RunMoney(Blobs(folder.as_uri()), Decimal(limit), chunks)


async def run_cases(money: ChunkMoney, cases: int, usd: str, *, at_once: int = 1) -> int:
    """Run cases that cost so much; gives how many the money was enough for."""
    purse = Purse(await money.open(), expected=CENT, more=money.take)
    done = 0

    async def work(todo: list[int]) -> None:
        nonlocal done
        while todo:
            todo.pop()
            if not await purse.take():
                return
            await asyncio.sleep(0)
            done += 1
            usage = Usage(requests=1, cost_usd=Decimal(usd))
            await purse.settle(a_result(str(done), "pass", target_usage=usage))

    todo = list(range(cases))
    await asyncio.gather(*(work(todo) for _ in range(at_once)))
    await money.close(done * Decimal(usd))
    return done


async def test_a_dear_chunk_uses_what_the_others_left(tmp_path: Path) -> None:
    """Of 3 dollars each of three chunks would have one; the last needs more than two."""
    run = a_run(tmp_path, "3")
    assert await run_cases(run.chunk(0), 20, "0.01") == 20
    assert await run_cases(run.chunk(1), 20, "0.02") == 20
    assert await run_cases(run.chunk(2), 24, "0.1") == 24
    assert sum(run.day.taken.values()) == Decimal("3.0")


async def test_chunks_at_once_never_take_more_than_the_run_has(tmp_path: Path) -> None:
    run = a_run(tmp_path, "1.5")
    done = await asyncio.gather(
        *(run_cases(run.chunk(number), 50, "0.02", at_once=5) for number in range(3))
    )
    spent = sum(done) * Decimal("0.02")
    assert Decimal("1.2") < spent <= Decimal("1.5")
    assert sum(run.day.taken.values()) == spent


async def test_what_was_noted_by_a_worker_that_died_is_not_given_twice(tmp_path: Path) -> None:
    """It dies between noting what it takes and setting it aside for the day."""
    run = a_run(tmp_path, "1")
    run.day.is_dead = True
    with pytest.raises(asyncio.CancelledError):
        await run.chunk(0).take(Decimal("0.5"), Decimal("0.7"))
    run.day.is_dead = False
    assert await run.chunk(1).take(Decimal("0.4"), Decimal("0.4")) == 0
    assert await run.chunk(0).open() == Decimal("0.7")
    assert await run.chunk(0).open() == Decimal("0.7")
    assert run.day.taken == {f"{'a' * 12}-0-0": Decimal("0.7")}
    await run.chunk(0).close(Decimal("0.1"))
    await run.chunk(0).close(Decimal("0.1"))
    assert await run.chunk(1).take(Decimal("0.4"), Decimal(5)) == Decimal("0.9")


async def test_a_chunk_that_is_opened_again_counts_only_what_is_new_today(tmp_path: Path) -> None:
    run = a_run(tmp_path, "1")
    await run.chunk(0).take(CENT, Decimal("0.5"))
    await run.chunk(0).close(Decimal("0.3"))
    run.day.taken.clear()  # another day
    assert await run.chunk(0).open() == Decimal("0.3")
    assert await run.chunk(0).take(CENT, Decimal("0.4")) == Decimal("0.4")
    await run.chunk(0).close(Decimal("0.55"))
    assert list(run.day.taken.values()) == [Decimal("0.25")]


async def test_a_day_without_room_is_the_reason_and_takes_nothing_of_the_run(
    tmp_path: Path,
) -> None:
    run = a_run(tmp_path, "10")
    run.day.per_day = Decimal("0.2")
    money = run.chunk(0)
    assert await run_cases(money, 50, "0.01") == 20
    assert money.refusal == "the day is over its limit"
    run.day.per_day = Decimal(100)
    assert await run.chunk(1).take(Decimal("9.8"), Decimal("9.8")) == Decimal("9.8")


async def test_cases_that_cost_nothing_need_no_money(tmp_path: Path) -> None:
    assert await run_cases(a_run(tmp_path, "0.01").chunk(0), 30, "0") == 30
