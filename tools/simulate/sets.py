"""Sets as the ledger would hold them, for the rule that gives a set its word."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from jobs.conclusions.sets import EvalSet, SetKey, SetRow
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import SetWord, conclude_set
from jobs.results import SAME_SCORE, RunRecord

USUAL = Thresholds()
"""The settings' own."""
BASELINE = 0.5
"""Score of the other arm."""
SIZE = 0.25
"""Of a difference."""


def conclude(differences: Sequence[float], names: Sequence[str], *, sure: bool = False) -> SetWord:
    """The word for a set with these differences, whose evals share what has the same name.

    `sure`: it was measured until sure, and may have been looked at after every eval. Only the
    directions decide, so sets that have the same ones, in whatever order, are concluded from once.
    """
    fixtures: dict[str, list[int]] = defaultdict(list)
    for difference, name in zip(differences, names, strict=True):
        fixtures[name].append((difference >= SAME_SCORE) - (difference <= -SAME_SCORE))
    return _conclude(tuple(sorted(tuple(sorted(one)) for one in fixtures.values())), sure=sure)


@cache
def _conclude(fixtures: tuple[tuple[int, ...], ...], *, sure: bool) -> SetWord:
    signs = [(sign, str(name)) for name, own in enumerate(fixtures) for sign in own]
    differences, names = [SIZE * sign for sign, _ in signs], [name for _, name in signs]
    return conclude_set(make_set(differences, names, sure=sure), USUAL).word


def make_set(
    differences: Sequence[float],
    names: Sequence[str],
    *,
    sure: bool = False,
    rounds: Sequence[Sequence[float]] = (),
) -> EvalSet:
    """A set; `rounds` are the differences of its A/A runs, each over all evals."""
    rows, *repeats = (
        tuple(
            SetRow(_record(number, name, sure=sure), BASELINE + difference, BASELINE)
            for number, (difference, name) in enumerate(zip(one, names, strict=True))
        )
        for one in (differences, *rounds)
    )
    return EvalSet(key=SetKey.of(rows[0].record), rows=rows, rounds=tuple(repeats))


@cache
def _record(number: int, fixture: str, *, sure: bool) -> RunRecord:
    """A run of the set; its score is told beside it."""
    return RunRecord(
        run=f"{number:012x}",
        repo="acme/skills",
        eval_id=f"eval-{number:03}",
        eval_digest="d" * 64,
        skill="skills/simulated",
        skill_sha="a" * 64,
        model="claude-sonnet-4-6",
        model_identity="claudesonnet46",
        launcher="api",
        mode="forced",
        vs="none",
        environment="",
        trials=1,
        judge="claude-opus-4-7",
        score={"with_skill": BASELINE, "without_skill": BASELINE},
        state="complete",
        finished_at=datetime(2026, 1, 1, tzinfo=UTC),
        fixture=fixture,
        sure=sure,
    )
