"""Everything a page shows of one skill, from the record of its runs. Pure.

Loads statistics, which take a second to load: call it where that does not matter. No number is
made here that `jobs.conclusions` does not stand for; docs/dashboard.md says how each comes about.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import fsum
from typing import NamedTuple

from jobs.conclusions.sets import EvalSet, find_earlier, find_sets, keep_newest, list_before
from jobs.conclusions.thresholds import Thresholds
from jobs.dashboard.cells import find_scores, find_stale, make_cells
from jobs.dashboard.rows import find_end
from jobs.dashboard.sets import NO_SKILL, Concluder, find_change, make_points
from jobs.dashboard.values import SkillCard, SkillFigures, name_skill
from jobs.results import RunRecord, leave_out_pulls

WEEK = timedelta(days=7)
LEAST_SHARE = 0.5
MOST_SETS = 20
"""On a page, the newest; as many as a comment lists."""
MOST_POINTS = 60
"""Over versions, the newest: more cannot be told apart in a picture."""


class SkillRuns(NamedTuple):
    """What the ledger has of a skill, as far as it was read."""

    repo: str
    skill: str
    """Path of its folder."""
    records: Sequence[RunRecord]
    """The newest of its runs, in any order."""
    total: int
    """How many there are."""
    digests: Mapping[str, str] = {}
    """The text that eval cases have now, by its digest: another skill may have been measured with
    a newer one. Of those that are not in it the newest record tells."""


def make_skill_figures(runs: SkillRuns, limits: Thresholds, now: datetime) -> SkillFigures:
    """All figures of a skill but what is noted of assertions and triggers, at the moment `now`.

    Loads statistics. Runs of pull requests are spent money and nothing else.
    """
    read = sorted(runs.records, key=lambda one: (one.ended_at, one.run))
    standing = leave_out_pulls(read)
    models = {one.model_identity: one.model for one in read}
    concluder = Concluder(limits, models)
    current = _keep_current(standing, runs.digests)
    sets = find_sets(current)
    against_none = [one for one in sets if one.key.vs == NO_SKILL]
    card = _make_card(runs._replace(records=read), against_none, concluder, now)
    compared = [one for one in current if one.vs == NO_SKILL]
    newest = keep_newest(sets)[:MOST_SETS]
    return SkillFigures(
        card=card,
        sets=tuple(map(concluder.make_set, newest)),
        chance=concluder.say_chance(newest),
        versions=tuple(make_points(against_none[:MOST_POINTS], standing, concluder)),
        cells=tuple(make_cells(compared, models, card.sha)),
    )


def _keep_current(standing: Iterable[RunRecord], known: Mapping[str, str]) -> list[RunRecord]:
    """What was measured with the text and inputs that its eval case has now."""
    meant = [one for one in standing if one.should_load]
    digests = {one.eval_id: one.eval_digest for one in meant} | dict(known)
    return [one for one in meant if one.eval_digest == digests[one.eval_id]]


def choose_set(sets: Sequence[EvalSet]) -> EvalSet | None:
    """Which of a skill's sets against no skill, the newest first, stands for it: by size alone.

    Of the newest version's the newest that has at least `LEAST_SHARE` of the eval cases of the
    largest, so that what has only begun, or was tried once, does not take its place.
    """
    current = [one for one in sets if one.key.sha == sets[0].key.sha]
    largest = max((len(one.rows) for one in current), default=0)
    return next((one for one in current if len(one.rows) >= LEAST_SHARE * largest), None)


def _make_card(
    read: SkillRuns, sets: Sequence[EvalSet], concluder: Concluder, now: datetime
) -> SkillCard:
    """Of records in order of their end, and sets against no skill, the newest first."""
    newest = choose_set(sets)
    before = list_before(newest, sets) if newest else []
    earlier = find_earlier(newest, sets) if newest else None
    change, change_evals = find_change(newest, before) if newest else (None, 0)
    sha = newest.key.sha if newest else _find_sha(read.records)
    scores = find_scores(sets)
    spent, is_partial = _find_spend(read, now - WEEK)
    return SkillCard(
        repo=read.repo,
        skill=read.skill,
        name=name_skill(read.repo, read.skill),
        sha=sha,
        latest=concluder.make_set(newest) if newest else None,
        change=change,
        change_evals=change_evals,
        earlier=concluder.make_set(earlier) if earlier else None,
        models=len({one.newest.model_identity for one in sets}),
        evals=len(scores),
        stale=find_stale(scores, sha),
        runs=read.total,
        read=len(read.records),
        spend_week_usd=spent,
        is_spend_partial=is_partial,
        ended_at=find_end(read.records),
    )


def _find_sha(records: Sequence[RunRecord]) -> str:
    """Where nothing has a score: the version that was tried last, best one that is no proposal."""
    tried = leave_out_pulls(records) or records
    return tried[-1].skill_sha if tried else ""


def _find_spend(read: SkillRuns, since: datetime) -> tuple[float, bool]:
    """What runs since then are known to have cost, and whether that is not all."""
    recent = [one for one in read.records if one.ended_at >= since]
    known = [one.cost_usd for one in recent if one.cost_usd is not None]
    is_cut = len(read.records) < read.total and len(recent) == len(read.records)
    return fsum(known), is_cut or len(known) < len(recent)
