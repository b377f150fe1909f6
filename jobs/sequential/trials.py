"""The trials of a run: as many as were wanted, or one by one until it is sure.

What decides is read from the trials themselves, each of which is stored when it ends. So whoever
carries a run on comes to the same decision as the worker before would have.
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from jobs.keeping import has_begun
from jobs.left_over import find_carried
from jobs.reading_keys import reading_keys
from jobs.results import SAME_SCORE
from jobs.sequential.stop import Stop
from jobs.statistics.sequential import decide
from jobs.steps import SessionKey, find_losses, get_ended_steps, trial_numbers
from jobs.trials import Trial, TrialRunner
from jobs.values import RunSpec, Usage
from jobs.world import RunWorld

Difference = float | None
"""Score of the arm under test minus that of the other; None where there is no score."""


async def run_trials(runner: TrialRunner) -> tuple[list[Trial], Stop | None]:
    """All trials of a run, one after the other; and why there were no more, where it was open."""
    spec = runner.spec
    if spec.until_sure != "trials":
        trials = [await runner.run(number) for number in trial_numbers(spec)]
        return await _mend(trials, runner), None
    trials = []
    while (stop := await find_stop(trials, spec, runner.world)) is None:
        trials += await _mend([await runner.run(len(trials) + 1)], runner)
    return trials, stop


async def _mend(trials: Sequence[Trial], runner: TrialRunner) -> list[Trial]:
    """The trials, those once more that a platform spoilt: a run counts only if all of them do.

    Where the others came first, a platform has had time to recover. A run of one trial has no
    others, and its session has been tried twice already.
    """
    if runner.spec.trials == 1:
        return list(trials)
    return [await runner.run(one.number) if one.is_lost else one for one in trials]


async def find_stop(trials: Sequence[Trial], spec: RunSpec, world: RunWorld) -> Stop | None:
    """Why no trial follows upon these; None where one does.

    That one has begun was decided by an earlier attempt: it is brought to its end, also where a
    reading that was lost then says something now.
    """
    if await _has_begun(len(trials) + 1, spec, world):
        return None
    stop = await asyncio.to_thread(judge_evidence, map(_difference, trials), spec.trials)
    if stop is not None:
        return stop
    if await _has_room(trials, spec, world):
        return None
    return _count(map(_difference, trials), spec.trials).model_copy(update={"why": "money"})


def judge_evidence(differences: Iterable[Difference], most: int) -> Stop | None:
    """Why trials with these differences are enough, of `most`; None where they are not."""
    told = list(differences)
    counted = _count(told, most)
    if None in told:
        return counted.model_copy(update={"why": "lost"})
    left = most - len(told)
    match decide(counted.wins, counted.losses, left=left):
        case "open":
            return None
        case "futile":
            return counted if left <= 0 else counted.model_copy(update={"why": "futile"})
        case sure:
            return counted.model_copy(update={"why": sure})


def judge_again(before: Stop, differences: Iterable[Difference]) -> Stop:
    """The same trials scored by another judge: none is added, and what they show may be less."""
    counted = _count(differences, before.most)
    decision = decide(counted.wins, counted.losses, left=0)
    if decision in {"higher", "lower"}:
        return counted.model_copy(update={"why": decision})
    return counted.model_copy(update={"why": "rejudged" if before.is_sure else before.why})


def _count(differences: Iterable[Difference], most: int) -> Stop:
    scored = [one for one in differences if one is not None]
    wins = sum(one > SAME_SCORE for one in scored)
    losses = sum(one < -SAME_SCORE for one in scored)
    return Stop(
        why="cap",
        wins=wins,
        ties=len(scored) - wins - losses,
        losses=losses,
        most=most,
    )


def _difference(trial: Trial) -> Difference:
    scored = trial.judged.scored
    return None if scored is None else scored.with_skill.score - scored.without_skill.score


async def _has_begun(number: int, spec: RunSpec, world: RunWorld) -> bool:
    """Whether an earlier attempt at the run has begun a trial."""
    sessions = [SessionKey(arm, number).step for arm in spec.arms]
    steps = [*sessions, *(key.step for key in reading_keys(spec, [number]))]
    return any([await has_begun(step, spec, world) for step in steps])


async def _has_room(trials: Sequence[Trial], spec: RunSpec, world: RunWorld) -> bool:
    """Whether another trial is sure to stay within what the run may cost and use."""
    settings = world.settings
    usages = [usage for trial in trials for usage in _usages(trial)]
    keys = [SessionKey(arm, trial.number) for trial in trials for arm in trial.works]
    carried = [await find_carried(key.step, spec, world) for key in keys]
    lost = await find_losses(get_ended_steps(keys, [one.judged for one in trials]), spec, world)
    spent = _sum_usd(usages) + lost.usd - sum(carried, Decimal(0))
    used = sum(one.total_tokens for one in usages)
    return (
        spent + settings.max_usd_per_run / spec.shares <= settings.max_usd_per_run
        and used + settings.max_tokens_per_run / spec.shares <= settings.max_tokens_per_run
    )


def _usages(trial: Trial) -> Iterator[Usage]:
    """What its own sessions and readings used."""
    yield from (one.usage for one in trial.sessions if not one.reused_from)
    yield from (one.usage for one in trial.judged.passes)
    yield from (one.usage for one in trial.judged.lost)


def _sum_usd(usages: Iterable[Usage]) -> Decimal:
    """What is known of their prices; tokens hold where none is."""
    return sum((one.cost_usd or Decimal(0) for one in usages), Decimal(0))
