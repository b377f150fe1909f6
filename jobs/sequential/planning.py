"""What until sure means for a plan: a cap on trials, or the order in which eval cases are taken."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from config.tiers import HowOften
from jobs.content.text import quoted
from jobs.errors import Refused
from jobs.planning.dedup import find_fixture, kept
from jobs.reporting import numbers
from jobs.requests import Request
from jobs.sequential.stop import FEWEST, Unit
from jobs.values import RunSpec

Group = tuple[str, str]
"""Path of a skill, and a model: what one set of eval cases is about."""


class Trials(NamedTuple):
    """How often an eval case is tried, as a run has it."""

    number: int
    until_sure: Unit | None


def plan_trials(how_often: HowOften, *, is_one_of_several: bool) -> Trials:
    """A fixed number, or a cap. Of several eval cases it is those that are added until sure.

    Raises `Refused` for a cap below which nobody can be sure.
    """
    if not how_often.until_sure:
        return Trials(how_often.trials, None)
    if is_one_of_several:
        return Trials(how_often.trials, "evals")
    if how_often.most_trials < FEWEST:
        raise Refused(
            f"{how_often.most_trials} trials can never be enough to be sure: it takes {FEWEST} at "
            f"least, all of which point the same way. Ask for `--trials {FEWEST}` or more beside "
            "`--until-sure`, or for a fixed number without it."
        )
    return Trials(how_often.most_trials, "trials")


def say_trials(request: Request, how_often: HowOften) -> Request:
    """The request as if it had said itself how often an eval case is tried."""
    often = how_often.most_trials if how_often.until_sure else how_often.trials
    return request.model_copy(update={"trials": often, "until_sure": how_often.until_sure})


def group_of(spec: RunSpec) -> Group:
    """The set that a run's eval case is one of."""
    return spec.skill.path, spec.model.sent


def cluster_of(spec: RunSpec) -> str:
    """What a run's eval case shares with others: its input files, or nothing but itself.

    As `jobs.conclusions.sets.SetRow.cluster` has it.
    """
    fixture = find_fixture(spec.eval_case)
    return f"fixture {fixture}" if fixture else kept(spec.eval_case.id)


def put_in_order(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """Runs in an order that nobody can choose: by digests of eval case and skill's version.

    Eval cases that share their input files, which are one observation, follow one another.
    """
    return sorted(specs, key=lambda spec: (_digest(cluster_of(spec), spec), _digest("", spec)))


def leave_too_few(
    runs: Sequence[RunSpec], known: Sequence[RunSpec]
) -> tuple[list[RunSpec], list[str]]:
    """The runs, those of a set that is too small for any certainty without it; and why.

    `known` are those whose results are there already.
    """
    sizes = Counter(
        group for group, _ in {(group_of(one), cluster_of(one)) for one in (*runs, *known)}
    )
    small = {
        group_of(spec): None
        for spec in runs
        if spec.until_sure == "evals" and sizes[group_of(spec)] < FEWEST
    }
    found = [
        spec.model_copy(update={"until_sure": None}) if group_of(spec) in small else spec
        for spec in runs
    ]
    notes = [
        f"{numbers.plural(sizes[skill, model], 'eval case')} of {quoted(skill)} on {quoted(model)} "
        f"can never be enough to be sure: it takes {FEWEST} at least, those with the same input "
        "files counted once. So all are measured."
        for skill, model in small
    ]
    return found, notes


def _digest(what: str, spec: RunSpec) -> str:
    named = f"{what or spec.eval_case.digest}|{spec.skill.sha}"
    return hashlib.sha256(named.encode("utf-8", "replace")).hexdigest()
