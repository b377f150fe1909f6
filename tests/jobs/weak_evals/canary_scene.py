"""A world in which canaries are read by a judge that says what a test wants."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from bot.blobs import Blobs
from config.settings import Settings
from jobs.errors import OverBudget
from jobs.judging.judge import AgentJudge
from jobs.requests import Repo
from jobs.results import RunResult
from jobs.sandbox import SandboxMaker
from jobs.sessions.run_limits import judge_limits
from jobs.weak_evals.canaries import (
    check_canaries,
    with_canaries,
)
from jobs.weak_evals.canary_check import CanaryCheck
from jobs.weak_evals.fakes import place_canaries
from jobs.world import RunWorld
from tests.builders import (
    a_result,
    a_run_spec,
    an_eval_case,
)
from tests.jobs.judging.scripted_agent import (
    FiveTools,
    FolderOnly,
    Reply,
    ScriptedAgent,
    an_answer,
    entries_for,
)

CASE = an_eval_case()
SETTINGS = Settings(_env_file=None)
SHARE = judge_limits(SETTINGS).cost_usd
PRICE = Decimal("0.01")
"""Of one answer of the scripted agent."""


class Killed(BaseException):
    """The worker is gone: nothing is caught, nothing is noted."""


def says(decide: Callable[[str, str], str]) -> str:
    """A judge's answer, by assertion and by which canary it is about."""
    named: dict[str, str] = dict(place_canaries(CASE).items())
    return an_answer(entries_for(CASE.assertions, lambda one, name: decide(one, named[name])))


ALL_FAIL = says(lambda *_: "fail")
FOOLED = says(lambda one, canary: "pass" if (one, canary) == ("A2", "fluent") else "fail")


@dataclass
class Purse:
    """A day's money, by what it was set aside for."""

    per_day: Decimal = Decimal(50)
    taken: dict[str, Decimal] = field(default_factory=dict)

    async def reserve(self, run_id: str, _: Repo, usd: Decimal) -> None:
        if sum(self.taken.values()) + usd > self.per_day:
            raise OverBudget("today's money is spent.")
        self.taken[run_id] = usd

    async def settle(self, run_id: str, usd: Decimal) -> None:
        self.taken[run_id] = usd


@dataclass
class Scene:
    """What a check needs of the world."""

    folder: Path
    replies: Sequence[Reply]
    purse: Purse = field(default_factory=Purse)
    staged: list[str] = field(default_factory=list)
    holds: dict[str, asyncio.Lock] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.agent = ScriptedAgent(self.replies)
        self.sandbox = FolderOnly()
        self.blobs = Blobs((self.folder / "blobs").as_uri())
        self.world = cast(
            "RunWorld",
            SimpleNamespace(
                blobs=self.blobs,
                budget=self.purse,
                judge=AgentJudge(
                    self.agent, cast("SandboxMaker", self.sandbox), lambda _: FiveTools()
                ),
                settings=SETTINGS,
                scratch=self.folder / "scratch",
            ),
        )

    async def check(self, result: RunResult | None = None) -> CanaryCheck | None:
        asked = result or a_result()
        await check_canaries(asked, self.stage, self.hold, self.world)
        return (await with_canaries(asked, self.world.blobs)).canaries

    async def stage(self, folder: Path) -> None:
        self.staged.append(folder.name)
        (folder / "input").mkdir()
        (folder / "input" / "input_001.csv").write_text("a,b\n1,2\n")

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncIterator[None]:
        async with self.holds.setdefault(key, asyncio.Lock()):
            yield

    @property
    def paid(self) -> list[Decimal]:
        return list(self.purse.taken.values())


def another_run(**changes: object) -> RunResult:
    return a_result(spec=a_run_spec(run_id="0123456789ab", **changes))
