"""Canaries are read once for a case, a judge and a wording, and block no result."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.conversation import ConversationSpec
from jobs.errors import OverBudget, Refused, Transient
from jobs.judging.judge import AgentJudge
from jobs.requests import Repo
from jobs.results import RunResult
from jobs.sandbox import SandboxMaker
from jobs.sessions.run_limits import judge_limits
from jobs.side_purse import MOST_BEGINNINGS
from jobs.values import SessionEnd
from jobs.weak_evals.canaries import (
    check_canaries,
    count_unread,
    find_newest_check,
    with_canaries,
)
from jobs.weak_evals.canary_check import CanaryCheck
from jobs.weak_evals.fakes import place_canaries
from jobs.world import RunWorld
from tests.builders import (
    a_judge_model,
    a_model,
    a_result,
    a_run_spec,
    a_session,
    an_eval_case,
    an_input_file,
    an_ungraded_result,
)
from tests.jobs.judging.scripted_agent import (
    FiveTools,
    FolderOnly,
    Reply,
    ScriptedAgent,
    an_answer,
    an_end,
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
        return (await with_canaries(asked, self.world)).canaries

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


async def test_a_case_that_no_canary_passes_is_told_so(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    check = await scene.check()
    assert check is not None
    assert (check.satisfied, check.problem, check.lets_one_pass) == ((), "", False)
    assert check.assertions == tuple(one.id for one in CASE.assertions)
    assert (check.usage.cost_usd, scene.paid) == (PRICE, [PRICE])
    assert list((tmp_path / "scratch").iterdir()) == []


async def test_an_assertion_that_a_canary_passes_is_named_with_the_canary(tmp_path: Path) -> None:
    check = await Scene(tmp_path, [FOOLED]).check()
    assert check is not None
    assert check.passed_assertions == ("A2",)
    [said] = check.satisfied_by("A2")
    assert (said.canary, said.verdict, said.reason) == ("fluent", "pass", "It says so.")
    assert not check.lets_one_pass


@pytest.mark.parametrize("fooled_by", ["fluent", "addressing"])
async def test_a_canary_that_passes_everything_is_noticed(tmp_path: Path, fooled_by: str) -> None:
    answer = says(lambda _, canary: "pass" if canary == fooled_by else "fail")
    check = await Scene(tmp_path, [answer]).check()
    assert check is not None
    assert check.lets_one_pass


async def test_two_canaries_that_pass_a_half_each_are_not_one_that_passes_all(
    tmp_path: Path,
) -> None:
    answer = says(lambda one, canary: "pass" if (one == "A1") == (canary == "fluent") else "fail")
    check = await Scene(tmp_path, [answer]).check()
    assert check is not None
    assert (len(check.passed_assertions), check.lets_one_pass) == (len(CASE.assertions), False)


async def test_what_is_half_satisfied_is_told_and_passes_nothing(tmp_path: Path) -> None:
    check = await Scene(tmp_path, [says(lambda *_: "partial")]).check()
    assert check is not None
    assert len(check.satisfied) == 2 * len(CASE.assertions)
    assert (check.passed_assertions, check.lets_one_pass) == ((), False)


async def test_the_judge_is_given_the_inputs_and_the_shape_of_any_reading(tmp_path: Path) -> None:
    case = an_eval_case(inputs=(an_input_file(alias="input/input_001.csv"),))
    scene = Scene(tmp_path, [ALL_FAIL])
    await scene.check(a_result(spec=a_run_spec(eval_case=case)))
    assert scene.sandbox.seen == [
        "candidate_1/response.md",
        "candidate_2/response.md",
        "input/input_001.csv",
    ]
    assert not any("canar" in name for name in scene.staged)


@pytest.mark.parametrize(
    "changes",
    [{}, {"model": a_model(sent="gpt-5", identity="gpt5")}, {"vs": "self"}, {"trials": 5}],
)
async def test_other_runs_of_the_case_share_the_reading(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    scene = Scene(tmp_path, [FOOLED])
    first = await scene.check()
    assert await scene.check(another_run(**changes)) == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


@pytest.mark.parametrize(
    "changes",
    [{"judge": a_judge_model(sent="other")}, {"eval_case": an_eval_case(digest="e" * 64)}],
)
async def test_another_judge_or_version_of_the_case_is_read_anew(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    await scene.check()
    await scene.check(another_run(**changes))
    assert len(scene.agent.asked) == 2


async def test_two_runs_at_once_pay_for_one_reading(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])
    one, other = await asyncio.gather(scene.check(), scene.check(another_run()))
    assert one == other
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_a_run_carried_out_again_is_told_the_same_and_pays_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED, ALL_FAIL])
    first = await scene.check()
    shutil.rmtree(tmp_path / "blobs" / "canaries")
    assert await scene.check() == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_a_reading_that_was_kept_and_not_told_is_found(tmp_path: Path) -> None:
    """The worker died between the two."""
    scene = Scene(tmp_path, [FOOLED])
    first = await scene.check()
    spec = a_run_spec()
    await scene.blobs.delete(f"runs/{spec.run_id}/canaries.json")
    scene.purse.taken = dict.fromkeys(scene.purse.taken, SHARE)
    assert await scene.check() == first
    assert (len(scene.agent.asked), scene.paid) == (1, [PRICE])


async def test_what_a_lost_worker_had_asked_is_counted_whole(tmp_path: Path) -> None:
    def die(_: ConversationSpec) -> str:
        raise Killed

    scene = Scene(tmp_path, [die, FOOLED])
    with pytest.raises(Killed):
        await scene.check()
    assert (await scene.check() or CanaryCheck(judge="", prompt_version="")).satisfied
    assert sorted(scene.paid) == [PRICE, SHARE]


async def test_a_reading_is_not_lost_for_ever(tmp_path: Path) -> None:
    def die(_: ConversationSpec) -> str:
        raise Killed

    scene = Scene(tmp_path, [die])
    for _ in range(MOST_BEGINNINGS):
        with pytest.raises(Killed):
            await scene.check()
    check = await scene.check()
    assert check is not None
    assert check.problem == "the reading was begun 3 times and never ended"
    assert len(scene.agent.asked) == MOST_BEGINNINGS


async def test_a_worker_that_is_told_to_leave_settles_what_it_knows(tmp_path: Path) -> None:
    def leave(_: ConversationSpec) -> str:
        raise asyncio.CancelledError

    scene = Scene(tmp_path, [leave, FOOLED])
    with pytest.raises(asyncio.CancelledError):
        await scene.check()
    assert scene.paid == [Decimal(0)]
    assert list((tmp_path / "scratch").iterdir()) == []
    assert await scene.check() is not None


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (an_end(end="rate_limited"), "kept refusing requests for their rate"),
        (an_end(end="refused"), "declined to answer"),
        ("No verdict of mine.", "gave no readable answer"),
    ],
)
async def test_a_judge_that_fails_is_no_verdict_on_the_case(
    tmp_path: Path, reply: Reply, problem: str
) -> None:
    scene = Scene(tmp_path, [reply])
    check = await scene.check()
    assert check is not None
    assert problem in check.problem
    assert (check.assertions, check.satisfied, check.lets_one_pass) == ((), (), False)
    assert sum(scene.paid) == PRICE * len(scene.agent.asked)
    assert await find_newest_check(CASE.digest, scene.blobs) is None


async def test_what_failed_for_one_run_is_read_for_the_next(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [an_end(end="error"), FOOLED])
    failed = await scene.check()
    assert await scene.check() == failed
    assert len(scene.agent.asked) == 1
    check = await scene.check(another_run())
    assert check is not None
    assert check.passed_assertions == ("A2",)
    assert await find_newest_check(CASE.digest, scene.blobs) == check


async def test_a_spent_day_leaves_the_case_unchecked(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED], Purse(per_day=Decimal("0.1")))
    check = await scene.check()
    assert check is not None
    assert check.problem == "today's money is spent"
    assert (scene.agent.asked, scene.paid) == ([], [])


async def test_inputs_that_are_gone_leave_the_case_unchecked(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def refuse(_: Path) -> None:
        raise Refused("`data.csv` is no file at commit 0123456789ab.")

    await check_canaries(a_result(), refuse, scene.hold, scene.world)
    found = (await with_canaries(a_result(), scene.world)).canaries
    assert found is not None
    assert found.problem == "`data.csv` is no file at commit 0123456789ab"
    assert (scene.agent.asked, scene.paid) == ([], [Decimal(0)])


async def test_a_defect_of_ours_costs_the_check_and_not_the_result(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def broken(_: Path) -> None:
        raise ValueError("ours")

    await check_canaries(a_result(), broken, scene.hold, scene.world)
    assert (await with_canaries(a_result(), scene.world)).canaries is None
    assert scene.paid == [Decimal(0)]


async def test_a_store_that_is_away_is_waited_for(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED])

    async def away(_: Path) -> None:
        raise Transient("the store is away")

    with pytest.raises(Transient):
        await check_canaries(a_result(), away, scene.hold, scene.world)


@pytest.mark.parametrize(
    "result",
    [
        an_ungraded_result(),
        a_result(
            sessions=tuple(
                a_session(arm, end=SessionEnd.NO_OUTPUT, outputs=()) for arm in a_run_spec().arms
            )
        ),
        a_result(spec=a_run_spec(canaries=False)),
    ],
)
async def test_nothing_is_asked_where_no_result_could_count(
    tmp_path: Path, result: RunResult
) -> None:
    scene = Scene(tmp_path, [FOOLED])
    assert await scene.check(result) is None
    assert (scene.agent.asked, scene.paid) == ([], [])


async def test_a_later_judging_is_told_of_its_own_judge(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [FOOLED, ALL_FAIL])
    await scene.check()
    spec = a_run_spec(judge=a_judge_model(sent="other"))
    check = await scene.check(a_result(spec=spec, judging="ba9876543210"))
    assert check is not None
    assert (check.judge, check.satisfied) == ("other", ())


async def test_readings_that_are_to_be_paid_are_counted_once_each(tmp_path: Path) -> None:
    scene = Scene(tmp_path, [ALL_FAIL])
    other_model = a_run_spec(run_id="0" * 12, model=a_model(sent="gpt-5"))
    other_case = a_run_spec(eval_case=an_eval_case(digest="e" * 64))
    off = a_run_spec(eval_case=an_eval_case(digest="f" * 64), canaries=False)
    specs = [a_run_spec(), other_model, other_case, off]
    assert await count_unread(specs, scene.blobs) == 2
    await scene.check()
    assert await count_unread(specs, scene.blobs) == 1
