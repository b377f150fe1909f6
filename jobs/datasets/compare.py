"""Two reports beside each other: the difference on the cases that both have graded, by tag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.errors import Refused
from jobs.statistics.intervals import Interval, find_mean_interval

ALL = "all cases"


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """What changed from the first report to the second, over pairs of one case."""

    name: str
    """The tag, or `all cases`."""
    cases: int
    first: float
    second: float
    """Mean scores over those cases."""
    better: int
    worse: int
    interval: Interval | None
    """95 %, of the mean difference; None where there are too few cases, or all differ alike."""

    @property
    def difference(self) -> float:
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Comparison:
    """All differences, and what could not be compared."""

    rows: tuple[PairedDifference, ...]
    only_first: int
    only_second: int
    """Cases that only one report holds."""
    ungraded: int
    """Cases of both that one of them has no grade for."""
    warnings: tuple[str, ...]


def compare_reports(first: Mapping[str, Any], second: Mapping[str, Any]) -> Comparison:
    """Compare two reports of one dataset. Raises `Refused` where they have no case in common."""
    left, right = _by_id(first), _by_id(second)
    both = [name for name in left if name in right]
    if not both:
        raise Refused("the two reports have no case in common")
    graded = [name for name in both if _score(left[name]) is not None]
    graded = [name for name in graded if _score(right[name]) is not None]
    groups: dict[str, list[str]] = {ALL: graded}
    for name in graded:
        for tag in left[name].get("tags") or ():
            groups.setdefault(str(tag), []).append(name)
    tags = sorted(tag for tag in groups if tag != ALL)
    rows = [_pair(tag, groups[tag], left, right) for tag in (ALL, *tags) if groups[tag]]
    return Comparison(
        rows=tuple(rows),
        only_first=len(left) - len(both),
        only_second=len(right) - len(both),
        ungraded=len(both) - len(graded),
        warnings=tuple(_find_warnings(first, second)),
    )


def _by_id(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    cases = report.get("cases")
    if not isinstance(cases, list) or not all(isinstance(one, dict) for one in cases):
        raise Refused("this is no report: it holds no list of cases")
    return {str(one.get("id")): one for one in cases}


def _score(case: Mapping[str, Any]) -> float | None:
    """A case's score as it goes into means; None where it is ungraded."""
    graded = case.get("eval")
    if not isinstance(graded, dict) or graded.get("result") == "error":
        return None
    for name in ("raw_score", "score"):
        value = graded.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
    return None


def _pair(
    name: str,
    ids: Sequence[str],
    left: Mapping[str, Mapping[str, Any]],
    right: Mapping[str, Mapping[str, Any]],
) -> PairedDifference:
    before = [_score(left[one]) or 0.0 for one in ids]
    after = [_score(right[one]) or 0.0 for one in ids]
    changes = [new - old for old, new in zip(before, after, strict=True)]
    return PairedDifference(
        name=name,
        cases=len(ids),
        first=sum(before) / len(ids),
        second=sum(after) / len(ids),
        better=sum(change > 0 for change in changes),
        worse=sum(change < 0 for change in changes),
        interval=find_mean_interval(changes),
    )


def _find_warnings(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """Why the two may not be comparable."""
    found = []
    for name, words in (("benchmark_name", "benchmarks"), ("dataset_name", "datasets")):
        if first.get(name) != second.get(name):
            found.append(f"they are of different {words}: {first.get(name)}, {second.get(name)}")
    digests = [_digest(report) for report in (first, second)]
    if None not in digests and digests[0] != digests[1]:
        found.append("the dataset's file was not the same for both")
    judges = [report.get("judges") for report in (first, second)]
    if None not in judges and judges[0] != judges[1]:
        found.append(f"they were judged by different models: {judges[0]}, {judges[1]}")
    return found


def _digest(report: Mapping[str, Any]) -> object:
    provenance = report.get("dataset_provenance")
    return provenance.get("sha256") if isinstance(provenance, dict) else None
