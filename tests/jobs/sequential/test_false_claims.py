"""Without a true difference little is claimed, whenever one stops: the rule as runs apply it."""

from random import Random

import pytest

from jobs.conclusions.sets import SetRow
from jobs.results import RunRecord
from jobs.sequential.evals import judge_rows
from jobs.sequential.trials import judge_evidence
from jobs.statistics.sequential import ALPHA
from tests.builders import a_run_record

SETS = 2_000


def noise(random: Random, tie_rate: float) -> float:
    """A difference of scores that is skewed in size, and as often above nothing as below."""
    if random.random() < tie_rate:
        return 0.0
    return random.choice((-1, 1)) * round(random.betavariate(1, 3), 2)


@pytest.mark.parametrize("tie_rate", [0.0, 0.3])
def test_trials_of_a_skill_that_does_nothing_are_rarely_sure(tie_rate: float) -> None:
    random = Random(61_130)
    claimed = sum(_is_claimed_by_trials(random, tie_rate) for _ in range(SETS))
    assert 0 < claimed <= ALPHA * SETS


def _is_claimed_by_trials(random: Random, tie_rate: float) -> bool:
    differences: list[float | None] = []
    while (stop := judge_evidence(differences, 20)) is None:
        differences.append(noise(random, tie_rate))
    return stop.is_sure


@pytest.mark.parametrize("mates", [1, 3])
def test_eval_cases_of_a_skill_that_does_nothing_are_rarely_sure(mates: int) -> None:
    """Also where eval cases share their input files, and with them their direction."""
    random = Random(7)
    records = [
        [a_run_record(run=f"{place}-{mate}", fixture=f"f{place}") for mate in range(mates)]
        for place in range(20)
    ]
    claimed = sum(_is_claimed_by_evals(random, records) for _ in range(SETS))
    assert 0 < claimed <= ALPHA * SETS


def _is_claimed_by_evals(random: Random, records: list[list[RunRecord]]) -> bool:
    rows: list[SetRow] = []
    for place, mates in enumerate(records):
        shared = noise(random, 0.1)
        rows += [SetRow(record, 0.5 + shared / 2, 0.5 - shared / 2) for record in mates]
        look = judge_rows(rows, len(records) - place - 1)
        if look.decision != "open":
            return look.decision != "futile"
    return False
