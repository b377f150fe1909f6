"""Two reports beside each other: the difference on the cases that both have graded, by tag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.errors import Refused
from jobs.statistics.intervals import Interval, find_mean_interval

ALL = "all cases"
Pair = tuple[float, float]
"""The scores of one case in the first report and in the second."""


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


LARGEST_SCORE = 1_000_000
"""Scores lie about between -1 and 1; a raw one may be lower, where more can be lost than won."""


def compare_reports(first: Mapping[str, Any], second: Mapping[str, Any]) -> Comparison:
    """Compare two reports of one dataset. Raises `Refused` where they have no case in common."""
    left, right = _by_id(first), _by_id(second)
    both = [name for name in left if name in right]
    if not both:
        raise Refused("the two reports have no case in common")
    scores = {name: (_score(left[name]), _score(right[name])) for name in both}
    pairs = {
        name: (before, after)
        for name, (before, after) in scores.items()
        if before is not None and after is not None
    }
    by_tag: dict[str, list[Pair]] = {}
    for name, pair in pairs.items():
        tags = left[name].get("tags")
        for tag in dict.fromkeys(map(str, tags if isinstance(tags, list) else ())):
            by_tag.setdefault(tag, []).append(pair)
    rows = [_compare(ALL, list(pairs.values()))] if pairs else []
    rows += [_compare(tag, by_tag[tag]) for tag in sorted(by_tag)]
    return Comparison(
        rows=tuple(rows),
        only_first=len(left) - len(both),
        only_second=len(right) - len(both),
        ungraded=len(both) - len(pairs),
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
            if not abs(value) <= LARGEST_SCORE:  # also what is no number at all
                which = str(case.get("id"))[:100]
                raise Refused(f"the case `{which}` has a score that no report of a run holds")
            return float(value)
    return None


def _compare(name: str, pairs: Sequence[Pair]) -> PairedDifference:
    changes = [after - before for before, after in pairs]
    return PairedDifference(
        name=name,
        cases=len(pairs),
        first=sum(before for before, _ in pairs) / len(pairs),
        second=sum(after for _, after in pairs) / len(pairs),
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
    if None in digests:
        found.append("at least one report does not say which file its dataset was")
    elif digests[0] != digests[1]:
        found.append("the dataset's file was not the same for both")
    for name, words in (("judges", "judged"), ("user_model", "talked to")):
        models = [_models(report.get(name)) for report in (first, second)]
        if name in first and name in second and models[0] != models[1]:
            found.append(f"they were {words} by different models: {models[0]}; {models[1]}")
    for place, report in (("first", first), ("second", second)):
        if (state := report.get("state", "complete")) != "complete":
            found.append(f"the {place} is not complete: {state}")
        cases = report["cases"]
        if (twice := len(cases) - len(_by_id(report))) > 0:
            found.append(f"the {place} holds {twice} ids twice; the last of each counts")
    return found


def _models(named: object) -> str:
    names = [str(one) for one in named] if isinstance(named, list) else [str(named or "")]
    return ", ".join(name for name in names if name) or "none"


def _digest(report: Mapping[str, Any]) -> object:
    provenance = report.get("dataset_provenance")
    return provenance.get("sha256") if isinstance(provenance, dict) else None
