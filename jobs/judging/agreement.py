"""How far a judge agrees with itself, and whether it prefers what it is shown first.

Every output is read twice, once as `candidate_1` and once as `candidate_2`. A judge that looks at
the output alone says the same both times; one that prefers a place says the better of it where
it stands there. Both are counted from one table of pairs, which adds up over runs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import NamedTuple

from jobs.readings import WORTH, JudgeAgreement, JudgePass
from jobs.statistics.agreement import find_kappa
from jobs.values import CandidateName, VerdictWord

_ORDERS = ((1, 2), (2, 1))
_WORTHS = {str(word): worth for word, worth in WORTH.items()}


class PositionBias(NamedTuple):
    """By how much an output did better where it stood first."""

    points: float
    """Mean of what the verdict was worth standing first, less standing second: percentage
    points, from -100 to 100."""
    better: int
    """How often the verdict was the better one where the output stood first."""
    worse: int
    """How often it was the worse one there."""
    compared: int
    """Pairs in which both verdicts have a worth."""


def find_agreement(passes: Iterable[JudgePass]) -> JudgeAgreement | None:
    """The pairs of verdicts that each judge gave on the same output in both orders.

    None where no judge read a trial in both. A verdict that code gave without asking the judge is
    not the judge's, so an output that is empty is not among them.
    """
    by_trial: dict[tuple[int, int], dict[int, JudgePass]] = defaultdict(dict)
    for reading in passes:
        by_trial[reading.judge, reading.trial][reading.number] = reading
    pairs: Counter[str] = Counter()
    both = [readings for readings in by_trial.values() if len(readings) == len(_ORDERS)]
    for readings in both:
        for early, late in _ORDERS:
            # whom one reading shows first the other one shows second
            first = _find_words(readings[early], "candidate_1")
            second = _find_words(readings[late], "candidate_2")
            pairs.update(f"{first[one]}/{second[one]}" for one in first if one in second)
    return _count(pairs) if both else None


def add_agreements(agreements: Iterable[JudgeAgreement | None]) -> JudgeAgreement | None:
    """The counts of several runs together; None where none has any."""
    known = [one for one in agreements if one is not None]
    if not known:
        return None
    pairs: Counter[str] = Counter()
    for one in known:
        pairs.update(one.pairs)
    return _count(pairs)


def find_position_bias(agreement: JudgeAgreement) -> PositionBias | None:
    """What standing first was worth; None where no pair can be compared."""
    gains = [
        _WORTHS[first] - _WORTHS[second]
        for first, second in _list_pairs(agreement)
        if first in _WORTHS and second in _WORTHS
    ]
    if not gains:
        return None
    return PositionBias(
        points=100 * fmean(gains),
        better=sum(gain > 0 for gain in gains),
        worse=sum(gain < 0 for gain in gains),
        compared=len(gains),
    )


def find_swap_kappa(agreement: JudgeAgreement) -> float | None:
    """Cohen's kappa of the readings that showed an output first with those that showed it second.

    None where it has no value (`jobs.statistics.agreement`).
    """
    pairs = _list_pairs(agreement)
    return find_kappa([first for first, _ in pairs], [second for _, second in pairs])


def _count(pairs: Counter[str]) -> JudgeAgreement:
    return JudgeAgreement(pairs=dict(sorted(pairs.items())))


def _list_pairs(agreement: JudgeAgreement) -> list[tuple[str, str]]:
    """Each pair by itself: the verdict standing first, and the one standing second."""
    listed = []
    for pair, count in agreement.pairs.items():
        first, _, second = pair.partition("/")
        listed += [(first, second)] * count
    return listed


def _find_words(reading: JudgePass, name: CandidateName) -> dict[str, VerdictWord]:
    """What the judge itself said of a candidate, by assertion."""
    words: dict[str, VerdictWord] = {}
    for verdict in reading.verdicts:
        word = verdict.judge_said if verdict.by_machine else verdict.verdict
        if verdict.candidate == name and word is not None:
            words[verdict.assertion] = word
    return words
