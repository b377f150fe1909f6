"""When trials are enough: from the trials alone, from the money, the same after a crash."""

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.blobs import Blobs
from config.settings import Settings
from jobs.judging.score import Scored
from jobs.keeping import begin
from jobs.scoring import Judged
from jobs.sequential.stop import FEWEST, Stop
from jobs.sequential.trials import find_stop, judge_again, judge_evidence
from jobs.sessions.run_limits import judge_limits, session_limits
from jobs.statistics.sequential import find_fewest
from jobs.trials import ArmWork, Trial
from jobs.values import SKILL_OR_NONE, Arm, RunSpec
from jobs.world import RunWorld
from tests.builders import a_run_spec, a_session, a_usage, an_arm_score

WIN, TIE, LOSS = 0.5, 0.0, -0.25
OPEN_SPEC = a_run_spec(trials=20, until_sure="trials")
ARMS = {1: (3, 0), 0: (1, 1), -1: (0, 3)}
"""Passes of three in each arm, by the direction."""


def why(differences: list[float | None], most: int = 20) -> str | None:
    stop = judge_evidence(differences, most)
    return stop and stop.why


def a_trial(number: int, direction: int | None = 1, usd: str = "0.02") -> Trial:
    """Two sessions at a price each, and a score that points somewhere, or none."""
    usage = a_usage(cost_usd=Decimal(usd), input_tokens=10, output_tokens=0, cache_read_tokens=0)
    works = {
        arm: ArmWork(
            session=a_session(arm, trial=number, usage=usage), output=Path(), bundle=Path()
        )
        for arm in SKILL_OR_NONE
    }
    if direction is None:
        return Trial(number=number, works=works, judged=Judged(reason="the judge was away."))
    scores = [an_arm_score(passes, 0, 3 - passes) for passes in ARMS[direction]]
    scored = Scored(assertions=(), with_skill=scores[0], without_skill=scores[1], remarks=())
    return Trial(number=number, works=works, judged=Judged(scored=scored))


@pytest.fixture
def world(tmp_path: Path) -> RunWorld:
    async def reserve(*_: object) -> None:
        """There is money."""

    settings = Settings(_env_file=None, max_usd_per_run=Decimal(1))
    parts: dict[str, Any] = {"settings": settings, "blobs": Blobs(tmp_path.as_uri())}
    return cast("RunWorld", SimpleNamespace(**parts, budget=SimpleNamespace(reserve=reserve)))


def test_the_fewest_trials_are_those_of_the_rule() -> None:
    assert find_fewest() == FEWEST


@pytest.mark.parametrize(
    ("differences", "most", "expected"),
    [
        ([], 20, None),
        ([WIN] * 7, 20, None),
        ([WIN] * 8, 20, "higher"),
        ([LOSS] * 8, 20, "lower"),
        ([WIN, TIE] * 7, 20, None),
        ([WIN, TIE] * 8, 20, "higher"),
        ([TIE], 8, "futile"),
        ([WIN, LOSS] * 5, 20, "futile"),
        ([WIN] * 7 + [TIE], 8, "cap"),
        ([WIN, 1e-12, -1e-12], 9, "futile"),
        ([WIN, None], 20, "lost"),
    ],
)
def test_why_no_trial_follows(
    differences: list[float | None], most: int, expected: str | None
) -> None:
    assert why(differences, most) == expected


def test_a_stop_counts_what_it_rests_on() -> None:
    stop = judge_evidence([WIN] * 11 + [TIE, LOSS], 20)
    assert stop == Stop(why="higher", wins=11, ties=1, losses=1, most=20)
    assert stop.is_sure


def test_another_judge_may_take_certainty_away_and_give_it() -> None:
    sure = Stop(why="higher", wins=8, ties=0, losses=0, most=20)
    assert judge_again(sure, [WIN] * 7 + [TIE]).why == "rejudged"
    assert judge_again(sure, [LOSS] * 8).why == "lower"
    capped = Stop(why="cap", wins=9, ties=11, losses=0, most=20)
    assert judge_again(capped, [TIE] * 20).why == "cap"
    assert judge_again(capped, [WIN] * 20).why == "higher"


def test_a_run_is_divided_among_the_fewest_trials_that_can_be_enough() -> None:
    """So the cap may be high, and no session is cut short for it."""
    settings = Settings(_env_file=None)
    assert OPEN_SPEC.shares == FEWEST
    assert a_run_spec(trials=20).shares == a_run_spec(trials=20, until_sure="evals").shares == 20
    parts = [session_limits(settings, OPEN_SPEC.shares), judge_limits(settings, OPEN_SPEC.shares)]
    assert sum(2 * one.cost_usd for one in parts) * FEWEST == settings.max_usd_per_run


async def test_no_trial_begins_that_could_pass_the_limit_of_the_run(world: RunWorld) -> None:
    """One USD among eight: a trial may take 0.125, so the last one begins at 0.875 at most."""
    ties = [1, 0] * 10  # far from enough, and still within reach
    trials = [a_trial(number, ties[number], "0.05") for number in range(1, 10)]
    assert await find_stop(trials[:8], OPEN_SPEC, world) is None
    stop = await find_stop(trials, OPEN_SPEC, world)
    assert stop is not None
    assert (stop.why, stop.wins, stop.ties) == ("money", 4, 5)


async def test_tokens_are_held_as_well_where_no_price_is_known(world: RunWorld) -> None:
    most = world.settings.max_tokens_per_run
    free = a_usage(cost_usd=None, input_tokens=most, output_tokens=0)
    trial = a_trial(1)
    [work, other] = trial.works.values()
    session = work.session.model_copy(update={"usage": free})
    works = {Arm.WITH_SKILL: ArmWork(session=session, output=Path(), bundle=Path())}
    works[Arm.WITHOUT_SKILL] = other
    stop = await find_stop([Trial(number=1, works=works, judged=trial.judged)], OPEN_SPEC, world)
    assert stop is not None
    assert stop.why == "money"


async def test_what_another_run_has_paid_takes_no_room(world: RunWorld) -> None:
    trials = [a_trial(number, number % 2, "0.9") for number in range(1, 4)]
    for trial in trials:
        for arm, work in trial.works.items():
            session = work.session.model_copy(update={"reused_from": "b" * 12})
            cast("dict[Arm, ArmWork]", trial.works)[arm] = ArmWork(
                session=session, output=Path(), bundle=Path()
            )
    assert await find_stop(trials, OPEN_SPEC, world) is None


async def begin_with(spec: RunSpec, step: str, world: RunWorld) -> None:
    await begin(step, spec, Decimal("0.05"), world)


@pytest.mark.parametrize("step", ["with_skill-9", "without_skill-9", "pass-2-trial-9"])
async def test_a_trial_that_was_begun_goes_on_whatever_is_seen_now(
    world: RunWorld, step: str
) -> None:
    """An attempt before the crash decided so; a reading that was lost then may say more now."""
    trials = [a_trial(number) for number in range(1, 9)]
    stop = await find_stop(trials, OPEN_SPEC, world)
    assert stop is not None
    assert stop.why == "higher"
    await begin_with(OPEN_SPEC, step, world)
    assert await find_stop(trials, OPEN_SPEC, world) is None


async def test_an_attempt_that_was_lost_takes_room(world: RunWorld) -> None:
    """Its whole share is counted: nobody knows what it had spent."""
    trials = [a_trial(number, number % 2, "0.045") for number in range(1, 10)]
    assert await find_stop(trials, OPEN_SPEC, world) is None
    for step in ("with_skill-3", "with_skill-3", "without_skill-3", "without_skill-3"):
        await begin_with(OPEN_SPEC, step, world)
    stop = await find_stop(trials, OPEN_SPEC, world)
    assert stop is not None
    assert stop.why == "money"


async def test_a_trial_without_a_score_ends_the_run(world: RunWorld) -> None:
    """It has no number then, so that more trials would be paid for nothing."""
    stop = await find_stop([a_trial(1), a_trial(2, None)], OPEN_SPEC, world)
    assert stop is not None
    assert stop.why == "lost"
