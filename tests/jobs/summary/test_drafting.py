"""The judge is asked for patterns once, and paid for once, whatever ends the worker."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.conversation import ConversationEnd, ConversationSpec
from jobs.errors import OverBudget, Refused
from jobs.requests import Repo, Request
from jobs.sessions.run_limits import judge_limits
from jobs.summary.drafting import MOST_BEGINNINGS, draft_patterns
from jobs.summary.patterns import ASKS, Drafted
from jobs.summary.verdicts import Findings, Unmet
from jobs.values import Model
from jobs.world import World
from tests.builders import NOON, a_judge_model, a_request, a_usage

UNMET = Unmet(assertion="Total", with_skill=("fail",), without_skill=("pass",), said="No total.")
FINDINGS = (Findings(eval_id="e1", model="m", unmet=(UNMET,)),)
PATTERN = {
    "title": "T",
    "affected": ["e1"],
    "root_cause": "R",
    "fix": "F",
    "priority": "P1",
}
GOOD = json.dumps({"patterns": [PATTERN]})
PRICE = Decimal("0.02")
SETTINGS = Settings(_env_file=None)


@dataclass
class Purse:
    """A day's money, by what it was set aside for."""

    per_day: Decimal = Decimal(50)
    taken: dict[str, Decimal] = field(default_factory=dict)

    async def reserve(self, run_id: str, _: Repo, usd: Decimal) -> None:
        taken = {run_id: usd} | self.taken
        if sum(taken.values()) > self.per_day:
            raise OverBudget("today's money is spent")
        self.taken = taken

    async def settle(self, run_id: str, usd: Decimal) -> None:
        self.taken[run_id] = usd


@dataclass
class Judge:
    """Answers what it is told, in turn; a callable may end the worker instead."""

    answers: list[str | Callable[[], object]]
    asked: list[ConversationSpec] = field(default_factory=list)

    async def converse(self, spec: ConversationSpec, _: object) -> ConversationEnd:
        self.asked.append(spec)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        text = answer if isinstance(answer, str) else ""
        if not isinstance(answer, str):
            answer()
        end: Any = "refused" if text == "REFUSED" else "completed"
        return ConversationEnd(
            end=end,
            last_text=text,
            turns=1,
            tool_calls=0,
            failed_tool_calls=0,
            retries=0,
            usage=a_usage(cost_usd=PRICE),
            served_models=("judge",),
        )


class Catalog:
    async def resolve(self, asked: str) -> Model:
        if asked == "nobody":
            raise Refused("no provider knows `nobody`")
        return a_judge_model()


@dataclass
class Scene:
    """What an asking needs of the world."""

    folder: Path
    judge: Judge
    purse: Purse = field(default_factory=Purse)
    holds: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def draft(self, request: Request | None = None, judge: str = "claude-opus") -> Drafted:
        runs = SimpleNamespace(
            catalog=Catalog(),
            judge=SimpleNamespace(agent=self.judge),
            blobs=Blobs(f"file://{self.folder}/blobs"),
            budget=self.purse,
            settings=SETTINGS,
            scratch=self.folder / "scratch",
        )
        world = cast("World", SimpleNamespace(runs=runs, ledger=self))
        return await draft_patterns("s", FINDINGS, request or a_request(), judge, world)

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        """The ledger's part: one asking at a time for one question."""
        async with self.holds.setdefault(key, asyncio.Lock()):
            yield

    @property
    def paid(self) -> list[Decimal]:
        return list(self.purse.taken.values())


def a_later_request() -> Request:
    return a_request(key="later", asked_at=NOON.replace(day=11))


def lose_worker() -> object:
    raise RuntimeError("killed")


def stop_worker() -> object:
    raise asyncio.CancelledError


async def test_the_answer_is_kept_and_settled(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([GOOD]))
    first = await scene.draft()
    assert [one.title for one in first.patterns] == ["T"]
    assert scene.paid == [PRICE]
    assert await scene.draft() == first
    later = await scene.draft(a_later_request())
    assert (later.patterns, later.usage.requests) == (first.patterns, 0)
    assert len(scene.judge.asked) == 1
    assert scene.paid == [PRICE]


async def test_two_that_ask_the_same_at_once_pay_for_one_answer(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([GOOD]))
    one, two = await asyncio.gather(scene.draft(), scene.draft(a_later_request()))
    assert one.patterns == two.patterns
    assert len(scene.judge.asked) == 1
    assert scene.paid == [PRICE]


async def test_what_a_lost_worker_had_asked_is_counted_whole(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([lose_worker, GOOD]))
    with pytest.raises(RuntimeError):
        await scene.draft()
    assert (await scene.draft()).patterns
    assert sorted(scene.paid) == [PRICE, judge_limits(SETTINGS).cost_usd]


async def test_a_worker_that_is_told_to_leave_settles_what_it_knows(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([stop_worker, GOOD]))
    with pytest.raises(asyncio.CancelledError):
        await scene.draft()
    assert scene.paid == [Decimal(0)]
    assert (await scene.draft()).patterns
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_workers_are_not_lost_for_ever(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([lose_worker]))
    for _ in range(MOST_BEGINNINGS):
        with pytest.raises(RuntimeError):
            await scene.draft()
    assert "lost each time" in (await scene.draft()).problem
    assert len(scene.judge.asked) == MOST_BEGINNINGS


async def test_bad_answers_are_asked_again_so_often_and_fail_for_this_request(
    tmp_path: Path,
) -> None:
    scene = Scene(tmp_path, Judge(["no", "{}", "[]", GOOD]))
    failed = await scene.draft()
    assert (failed.patterns, failed.asked) == ((), True)
    assert "could be used" in failed.problem
    assert len(scene.judge.asked) == ASKS
    assert [len(one.earlier) for one in scene.judge.asked] == [0, 1, 2]
    assert scene.paid == [PRICE * ASKS]
    assert await scene.draft() == failed
    assert len(scene.judge.asked) == ASKS
    assert (await scene.draft(a_later_request())).patterns


async def test_what_is_left_of_the_money_bounds_each_answer(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge(["no", "{}", GOOD]))
    await scene.draft()
    most = judge_limits(SETTINGS).cost_usd
    limits = [one.limits.cost_usd for one in scene.judge.asked]
    assert limits == [most, most - PRICE, most - 2 * PRICE]


@pytest.mark.parametrize(
    ("answers", "per_day", "judge", "problem"),
    [
        (["REFUSED"], 50, "claude-opus", "gave no answer (refused)"),
        ([GOOD], 0, "claude-opus", "today's money is spent"),
        ([GOOD], 50, "nobody", "no provider knows `nobody`"),
    ],
)
async def test_whatever_goes_wrong_is_told_and_raises_nothing(
    tmp_path: Path, answers: list[Any], per_day: int, judge: str, problem: str
) -> None:
    scene = Scene(tmp_path, Judge(answers), Purse(Decimal(per_day)))
    drafted = await scene.draft(judge=judge)
    assert drafted.patterns == ()
    assert problem in drafted.problem


async def test_without_a_failure_nobody_is_asked(tmp_path: Path) -> None:
    scene = Scene(tmp_path, Judge([GOOD]))
    world = cast("World", SimpleNamespace())
    whole = (Findings(eval_id="e1", model="m"),)
    assert await draft_patterns("s", whole, a_request(), "x", world) == Drafted()
    assert scene.judge.asked == []
