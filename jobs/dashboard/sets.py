"""Sets of eval cases, and versions of a skill, as they are shown.

What belongs together, which run of an eval case counts, the word and the interval: all of it is
what `jobs.conclusions` says. Here it is only put into the values of a page.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import fmean

from jobs.conclusions.sets import EvalSet, SetKey
from jobs.conclusions.thresholds import Thresholds
from jobs.conclusions.verdict import SetVerdict, conclude_set
from jobs.conclusions.words import Concluded, say_multiplicity, say_repeated, say_test
from jobs.dashboard.values import SetFigures, VersionPoint, Whiskers
from jobs.results import LONG_AGO, RunRecord
from jobs.values import Arm

NO_SKILL = "none"
"""The other arm of a run against no skill."""


class Concluder:
    """Sets with their verdicts, each found once. Loads statistics."""

    def __init__(self, limits: Thresholds, models: Mapping[str, str]) -> None:
        """`models`: the name by which each model is shown, by its identity."""
        self._limits = limits
        self._models = models
        self._known: dict[SetKey, SetVerdict] = {}

    def make_set(self, found: EvalSet) -> SetFigures:
        """A set as it is shown."""
        verdict, newest = self._conclude(found), found.newest
        return SetFigures(
            **self._tell_conditions(found),
            vs=found.key.vs,
            word=verdict.word,
            reason=verdict.reason,
            method="; ".join(filter(None, [say_test(verdict, self._limits), say_repeated(found)])),
            evals=verdict.evals,
            wins=verdict.signs.wins,
            ties=verdict.signs.ties,
            losses=verdict.signs.losses,
            with_skill=fmean(row.tested for row in found.rows),
            without_skill=fmean(row.other for row in found.rows),
            whiskers=_make_whiskers(verdict),
            ended_at=newest.finished_at,
        )

    def make_point(self, found: EvalSet, first_at: datetime | None) -> VersionPoint:
        """A set against no skill as a point over versions."""
        verdict, newest = self._conclude(found), found.newest
        records = [row.record for row in found.rows]
        return VersionPoint(
            **self._tell_conditions(found),
            series=_name_series(found.key),
            commit=newest.commit,
            first_at=first_at,
            ended_at=newest.finished_at,
            evals=verdict.evals,
            with_skill=fmean(row.tested for row in found.rows),
            without_skill=fmean(row.other for row in found.rows),
            whiskers=_make_whiskers(verdict),
            tokens_with=_mean_tokens(records, Arm.WITH_SKILL),
            tokens_without=_mean_tokens(records, Arm.WITHOUT_SKILL),
            cost_usd=mean_known(one.cost_usd for one in records),
            word=verdict.word,
        )

    def say_chance(self, sets: Sequence[EvalSet]) -> str:
        """What it means that the verdicts on these stand side by side; empty for one."""
        told = [Concluded(one, self._conclude(one)) for one in sets]
        return say_multiplicity(told, self._limits).replace("*helps*", "helps")

    def _tell_conditions(self, found: EvalSet) -> dict[str, str]:
        """The fields of `Conditions`."""
        key, newest = found.key, found.newest
        return {
            "sha": key.sha,
            "model": self._models[newest.model_identity],
            "served": newest.served,
            "judge": newest.judge_served or newest.judge,
            "judge_prompt": key.judge_prompt,
            "launcher": key.launcher,
            "mode": key.mode,
            "environment": key.environment,
        }

    def _conclude(self, found: EvalSet) -> SetVerdict:
        if found.key not in self._known:
            self._known[found.key] = conclude_set(found, self._limits, counts_needed=False)
        return self._known[found.key]


def make_points(
    sets: Sequence[EvalSet], records: Iterable[RunRecord], concluder: Concluder
) -> list[VersionPoint]:
    """A point for each of these sets against no skill, by when its version was first measured.

    `records`, what ended first at the beginning, tell when that was.
    """
    first: dict[str, datetime | None] = {}
    for record in records:
        first.setdefault(record.skill_sha, record.finished_at)
    points = [concluder.make_point(one, first[one.key.sha]) for one in sets]
    return sorted(
        points, key=lambda one: (one.first_at or LONG_AGO, one.sha, one.model, one.series)
    )


def find_change(newest: EvalSet, before: Sequence[EvalSet]) -> tuple[float | None, int]:
    """What a version changed: mean difference now minus then, and over how many eval cases.

    Only over eval cases that both sets have, so that a version of which one easy eval case was
    measured seems no better than one of which all were. `before` are sets of earlier versions,
    the last first; the first that shares an eval case is the one that is compared with.
    """
    now = {row.record.eval_id: row.difference for row in newest.rows}
    for one in before:
        steps = [
            now[row.record.eval_id] - row.difference
            for row in one.rows
            if row.record.eval_id in now
        ]
        if steps:
            return fmean(steps), len(steps)
    return None, 0


def mean_known(values: Iterable[float | None]) -> float | None:
    """The mean of what is known; None where nothing is."""
    known = [one for one in values if one is not None]
    return fmean(known) if known else None


def _make_whiskers(verdict: SetVerdict) -> Whiskers:
    low, high = verdict.interval or (None, None)
    return Whiskers(difference=verdict.difference, low=low, high=high)


def _mean_tokens(records: Iterable[RunRecord], arm: Arm) -> float | None:
    """Tokens of an arm's session: the mean over runs, each the mean over its trials."""
    return mean_known(
        one.tokens[arm] / one.trials if one.tokens and arm in one.tokens and one.trials else None
        for one in records
    )


def _name_series(key: SetKey) -> str:
    """A short name for what a set has in common with those of other versions."""
    conditions = "\0".join(key._replace(sha=""))
    return hashlib.sha256(conditions.encode()).hexdigest()[:12]
