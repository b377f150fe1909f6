"""How far a judge agrees with people: by how often, beyond chance, and to which side it errs.

Each judge by itself: verdicts of two series (`jobs.calibration.series`) are in no figure together.
A judge whose readings differ has given no verdict that anybody could rely on: that counts as not
agreeing with whoever it is held against.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from jobs.calibration.said import SPLIT, get_one_word
from jobs.readings import WORTH
from jobs.requests import Value
from jobs.statistics.agreement import find_kappa
from jobs.statistics.intervals import Interval, find_rate_interval
from jobs.values import VerdictWord

Series = tuple[str, str, str]
UNKNOWN_SERIES: Series = ("", "", "")
NO_GROUP = "(no group)"
ORDERED: tuple[VerdictWord, ...] = ("fail", "partial", "pass")
_WORTHS = {str(word): worth for word, worth in WORTH.items()}


class Pair(Value):
    """One thing that a person and a judge have both decided."""

    person: VerdictWord
    judge: tuple[VerdictWord, ...]
    """One word a reading, at least one."""
    group: str = ""
    """Title of the group that the assertion stands under."""
    series: Series = UNKNOWN_SERIES

    @property
    def judge_word(self) -> str:
        return get_one_word(self.judge)

    @property
    def lean(self) -> float | None:
        """By how much the judge gives more than the person, from -1 to 1; less is below zero.

        None where one of them could not verify it.
        """
        worths = [_WORTHS.get(word) for word in self.judge]
        person = _WORTHS.get(self.person)
        known = [worth for worth in worths if worth is not None]
        return None if person is None or not known else fmean(known) - person


class Rate(Value):
    """A share that was counted, with its 95 % interval (Wilson)."""

    count: int
    of: int
    interval: Interval | None = None
    """As fractions; None where nothing was counted."""


class Agreement(Value):
    """A judge held against people, over all or one group of the assertions."""

    compared: int
    agreed: Rate
    kappa: float | None
    """Cohen's, over all words that were used; None where it has no value."""
    weighted_kappa: float | None
    """The same for fail, partial and pass in their order, where to differ by one step counts half
    of a whole; over those pairs in which both gave one of the three."""
    weighted_over: int
    splits: int
    """Pairs in which the judge's readings differ."""
    lenient: Rate
    strict: Rate
    """Where the judge gives more, or less, than the person; of those that both could verify."""
    false_passes: Rate
    """Where the judge passes, of all that people fail."""
    false_fails: Rate
    """Where the judge fails, of all that people pass."""


class Calibration(Value):
    """One judge held against people."""

    series: Series
    """Tested model, judge and digest of the scoring prompt; empty where nobody says."""
    overall: Agreement
    confusion: dict[str, dict[str, int]]
    """How often the judge said the inner word where a person said the outer one."""
    groups: dict[str, Agreement]
    """By title; empty where the assertions stand in no groups."""


def calibrate(pairs: Iterable[Pair]) -> list[Calibration]:
    """Each judge's agreement with people, the one with most pairs first. Blocks: loads statistics.

    Where nobody says who judged, those pairs are one judge's.
    """
    by_series: dict[Series, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_series[pair.series].append(pair)
    found = [_calibrate(series, own) for series, own in by_series.items()]
    return sorted(found, key=lambda one: (-one.overall.compared, one.series))


def find_agreement_with_people(pairs: Sequence[Pair]) -> Agreement:
    """The figures over some pairs of one judge."""
    leans = [lean for pair in pairs if (lean := pair.lean) is not None]
    people, judges = [pair.person for pair in pairs], [pair.judge_word for pair in pairs]
    ordered = [
        (person, judge)
        for person, judge in zip(people, judges, strict=True)
        if person in ORDERED and judge in ORDERED
    ]
    met = Counter(zip(people, judges, strict=True))
    return Agreement(
        compared=len(pairs),
        agreed=_rate(sum(one == two for one, two in zip(people, judges, strict=True)), len(pairs)),
        kappa=find_kappa(people, judges),
        weighted_kappa=_find_weighted_kappa(ordered),
        weighted_over=len(ordered),
        splits=judges.count(SPLIT),
        lenient=_rate(sum(lean > 0 for lean in leans), len(leans)),
        strict=_rate(sum(lean < 0 for lean in leans), len(leans)),
        false_passes=_rate(met["fail", "pass"], people.count("fail")),
        false_fails=_rate(met["pass", "fail"], people.count("pass")),
    )


def _calibrate(series: Series, pairs: Sequence[Pair]) -> Calibration:
    groups: dict[str, list[Pair]] = defaultdict(list)
    confusion: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in pairs:
        groups[pair.group or NO_GROUP].append(pair)
        confusion[pair.person][pair.judge_word] += 1
    grouped = {} if set(groups) == {NO_GROUP} else groups
    return Calibration(
        series=series,
        overall=find_agreement_with_people(pairs),
        confusion={person: dict(row) for person, row in sorted(confusion.items())},
        groups={name: find_agreement_with_people(own) for name, own in sorted(grouped.items())},
    )


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, interval=find_rate_interval(count, of))


def _find_weighted_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's weighted kappa with linear weights; None where both use one word only.

    J. Cohen, *Weighted kappa*, Psychological Bulletin 70 (1968).
    """
    if len({word for pair in pairs for word in pair}) <= 1:
        return None
    from statsmodels.stats.inter_rater import (  # type: ignore[import-untyped] # noqa: PLC0415
        cohens_kappa,
    )

    table = [[pairs.count((one, two)) for two in ORDERED] for one in ORDERED]
    return float(cohens_kappa(table, wt="linear", return_results=False))
