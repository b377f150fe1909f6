"""A judge over all the runs of one series: does it keep its word, and do people agree with it?

The runs of two series are in no figure together (`jobs.calibration.series`). Verdicts of one run
hang together, so what has an interval over verdicts alone (Wilson's) may be less sure than it
looks; kappa and the bias have theirs over runs, drawn again with replacement.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import cast

from jobs.calibration.agreement import Pair, Rate, Series
from jobs.calibration.said import SPLIT
from jobs.calibration.series import series_key
from jobs.judging.agreement import add_agreements, find_position_bias, find_swap_kappa
from jobs.readings import JudgeAgreement
from jobs.requests import Value
from jobs.results import RunRecord
from jobs.statistics.intervals import CONFIDENCE, FEWEST_FOR_MEAN, Interval, find_rate_interval

RESAMPLES = 499
SEED = 20_260_301
"""Fixed, so that the same runs give the same interval."""


class JudgeHistory(Value):
    """One judge of one tested model under one wording, over the runs that it has scored."""

    series: Series
    judge: str
    """As it was asked for in the latest run."""
    model: str
    runs: int
    """With a score."""
    last: datetime | None
    """When the latest of them ended; None where no record says."""
    swapped: Rate
    """Verdicts that stayed the same when the outputs changed places, of all that were given in
    both orders."""
    kappa: float | None = None
    kappa_interval: Interval | None = None
    """None for fewer than ten runs."""
    bias: float | None = None
    """Percentage points that standing first is worth; None where nothing can be compared."""
    bias_interval: Interval | None = None
    people: Rate
    """Verdicts on which the judge agrees with people, of all that people gave in comments."""


def find_histories(records: Iterable[RunRecord]) -> list[JudgeHistory]:
    """Each series with at least one run that was read in both orders or by people, the one with
    the latest run first. Blocks: loads statistics.
    """
    by_series: dict[Series, list[RunRecord]] = defaultdict(list)
    for record in records:
        if record.score is not None:
            by_series[series_key(record)].append(record)
    found = [
        _sum_up(series, own)
        for series, own in by_series.items()
        if any(one.agreement or one.people for one in own)
    ]
    return sorted(found, key=lambda one: (str(one.last or ""), one.series), reverse=True)


def pairs_of(record: RunRecord) -> list[Pair]:
    """What people said of a run, as pairs; without groups, which a record does not keep."""
    pairs = []
    for met, count in record.people.items():
        person, _, judge = met.partition("/")
        words = ("pass", "fail") if judge == SPLIT else (judge,)
        one = Pair.model_validate({"person": person, "judge": words, "series": series_key(record)})
        pairs += [one] * count
    return pairs


def _sum_up(series: Series, records: Sequence[RunRecord]) -> JudgeHistory:
    agreements = [one.agreement for one in records if one.agreement is not None]
    total = add_agreements(agreements)
    latest = max(records, key=lambda one: (one.ended_at, one.run))
    met = [pair for record in records for pair in pairs_of(record)]
    agreed = sum(pair.person == pair.judge_word for pair in met)
    return JudgeHistory(
        series=series,
        judge=latest.judge,
        model=latest.model,
        runs=len(records),
        last=latest.finished_at,
        swapped=_rate(total.agreed, total.verdicts) if total else _rate(0, 0),
        kappa=find_swap_kappa(total) if total else None,
        kappa_interval=_find_interval(agreements, find_swap_kappa),
        bias=_find_points(total) if total else None,
        bias_interval=_find_interval(agreements, _find_points),
        people=_rate(agreed, len(met)),
    )


def _rate(count: int, of: int) -> Rate:
    return Rate(count=count, of=of, interval=find_rate_interval(count, of))


def _find_points(agreement: JudgeAgreement) -> float | None:
    bias = find_position_bias(agreement)
    return None if bias is None else bias.points


def _find_interval(
    agreements: Sequence[JudgeAgreement], find: Callable[[JudgeAgreement], float | None]
) -> Interval | None:
    """A percentile bootstrap over runs; None for few runs, and where they do not differ.

    B. Efron and R. Tibshirani, *An Introduction to the Bootstrap*, chapter 13.
    """
    if len(agreements) < FEWEST_FOR_MEAN:
        return None
    import numpy as np  # noqa: PLC0415

    chance = np.random.default_rng(SEED)
    values = []
    for drawn in chance.integers(0, len(agreements), size=(RESAMPLES, len(agreements))):
        total = add_agreements(agreements[index] for index in drawn)
        value = find(cast("JudgeAgreement", total))
        if value is not None:
            values.append(value)
    if len(values) < RESAMPLES or min(values) == max(values):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, (tail, 1 - tail))
    return Interval(float(low), float(high))
