"""A skill's sets of eval cases, from the record of finished runs.

A set is what may be counted together: one skill, in one version, on one model snapshot, scored by
one judge snapshot with one prompt, against one other arm, by one launcher, in one mode and
environment. Of each eval case its latest run with a score counts, if it is of the text and inputs
that the eval case has now. Nothing is pooled across sets: a new version begins a new one. Pure.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobs.calibration.series import series_key
from jobs.reporting.arm_words import get_scores
from jobs.results import RunRecord

SELF = "self"
"""The other arm of a run that holds a version against itself."""


class SetKey(NamedTuple):
    """What all runs of a set have in common."""

    skill: str
    """Its path."""
    sha: str
    vs: str
    launcher: str
    mode: str
    environment: str
    served: str
    """Snapshots of model and judge, and the digest of the prompt, as `series_key` has them."""
    judge_served: str
    judge_prompt: str

    @classmethod
    def of(cls, record: RunRecord) -> "SetKey":
        return cls(
            *(record.skill, record.skill_sha, record.vs, record.launcher, record.mode),
            *(record.environment, *series_key(record)),
        )


class SetRow(NamedTuple):
    """What an eval case says: its latest run with a score."""

    record: RunRecord
    tested: float
    other: float
    """Scores as fractions."""

    @property
    def difference(self) -> float:
        return self.tested - self.other

    @property
    def cluster(self) -> str:
        """What it shares with other eval cases: its input files, or nothing but itself."""
        return f"fixture {self.record.fixture}" if self.record.fixture else self.record.eval_id


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """A set, and what was held against itself under the same conditions."""

    key: SetKey
    rows: tuple[SetRow, ...]
    """One an eval case, by its id."""
    unscored: tuple[RunRecord, ...] = ()
    """Latest runs of eval cases that never came to a score under these conditions."""
    repeated: int = 0
    """Eval cases that were measured more than once under these conditions."""
    rounds: tuple[tuple[SetRow, ...], ...] = ()
    """A/A runs: the latest of each eval case, then the latest but one, and so on."""

    @property
    def newest(self) -> RunRecord:
        """The run of it that ended last."""
        return max((row.record for row in self.rows), key=lambda one: (one.ended_at, one.run))

    @property
    def is_sure(self) -> bool:
        """Whether any of it was measured until it was sure: then one may have looked often."""
        return any(row.record.sure for row in self.rows)


def find_sets(records: Sequence[RunRecord]) -> list[EvalSet]:
    """All sets in a repository's records, the one whose last run is the newest first.

    Records of runs that held a version against itself make no set, and those of which an answer
    that is nothing passes every assertion count nowhere. Those of eval cases for which the skill
    is to stay dormant count nowhere either: what they ask is not whether it helps. Leave pull
    requests out beforehand.
    """
    meant = [one for one in records if one.should_load]
    ordered = sorted(meant, key=lambda one: one.ended_at)  # what ended first at the beginning
    digests = {one.eval_id: one.eval_digest for one in ordered}
    current = [one for one in ordered if one.eval_digest == digests[one.eval_id]]
    lost = [(_conditions(one), one) for one in current if one.state != "complete"]
    by_key: dict[SetKey, list[SetRow]] = defaultdict(list)
    for record in current:
        scores = get_scores(record.score)
        if record.state == "complete" and scores is not None and not record.canary_passed:
            by_key[SetKey.of(record)].append(SetRow(record, *scores))
    sets = [
        EvalSet(
            key=key,
            rows=tuple(_latest(rows)),
            unscored=tuple(_find_unscored(rows, lost)),
            repeated=_count_repeated(rows),
            rounds=_find_rounds(by_key.get(key._replace(vs=SELF), ())),
        )
        for key, rows in by_key.items()
        if key.vs != SELF
    ]
    return sorted(sets, key=lambda one: (one.newest.ended_at, one.newest.run), reverse=True)


def keep_newest(sets: Iterable[EvalSet]) -> list[EvalSet]:
    """Of the sets under the same conditions, `sets` in order, those of the first version."""
    versions: dict[tuple[str, ...], str] = {}
    kept = []
    for one in sets:
        record, key = one.newest, one.key
        conditions = (key.skill, key.vs, key.launcher, key.mode, key.environment)
        if key.vs.startswith("sha:"):  # each version of the base belongs to one of the head
            conditions = (key.skill, "", key.launcher, key.mode, key.environment)
        version = versions.setdefault((*conditions, record.model_identity), key.sha)
        if version == key.sha:
            kept.append(one)
    return kept


def list_before(newest: EvalSet, sets: Iterable[EvalSet]) -> list[EvalSet]:
    """The sets of earlier versions under the very same conditions, `sets` in order."""
    return [
        one
        for one in sets
        if one.key._replace(sha=newest.key.sha) == newest.key != one.key
        and one.newest.ended_at <= newest.newest.ended_at
    ]


def find_earlier(newest: EvalSet, sets: Iterable[EvalSet]) -> EvalSet | None:
    """The last set of an earlier version under the very same conditions, where it is larger.

    So that what was known is not out of sight when the first eval case of a new version has run.
    """
    before = list_before(newest, sets)
    return next((one for one in before if len(one.rows) > len(newest.rows)), None)


def find_set_of(record: RunRecord, records: Sequence[RunRecord]) -> EvalSet | None:
    """The set that a run counts in, with it; None where it counts in none.

    `records` need not know the run yet.
    """
    others = [one for one in records if one.run != record.run]
    key = SetKey.of(record)
    return next(
        (
            one
            for one in find_sets([*others, record])
            if one.key == key and any(row.record.run == record.run for row in one.rows)
        ),
        None,
    )


def _latest(rows: Sequence[SetRow]) -> list[SetRow]:
    latest = {row.record.eval_id: row for row in rows}
    return [latest[name] for name in sorted(latest)]


def _count_repeated(rows: Sequence[SetRow]) -> int:
    """Eval cases with several runs; one that was judged again is still one run."""
    runs = {(row.record.eval_id, row.record.run) for row in rows}
    counts = Counter(eval_id for eval_id, _ in runs)
    return sum(count > 1 for count in counts.values())


def _find_rounds(rows: Sequence[SetRow]) -> tuple[tuple[SetRow, ...], ...]:
    """The A/A runs in rounds: the latest of each eval case, then the one before."""
    by_eval: Mapping[str, list[SetRow]] = defaultdict(list)
    for row in reversed(rows):
        by_eval[row.record.eval_id].append(row)
    most = max((len(own) for own in by_eval.values()), default=0)
    return tuple(
        tuple(by_eval[name][number] for name in sorted(by_eval) if number < len(by_eval[name]))
        for number in range(most)
    )


def _find_unscored(
    rows: Sequence[SetRow], lost: Sequence[tuple[tuple[str, ...], RunRecord]]
) -> list[RunRecord]:
    """Eval cases that were tried under the conditions of these rows and have no score.

    `lost` are all runs without one, with their conditions, what ended first at the beginning.
    Such a run knows no judge's snapshot, and perhaps no model's, so what was sent decides.
    """
    known = {row.record.eval_id for row in rows}
    conditions = {_conditions(row.record) for row in rows}
    missing = {
        one.eval_id: one for under, one in lost if under in conditions and one.eval_id not in known
    }
    return [missing[name] for name in sorted(missing)]


def _conditions(record: RunRecord) -> tuple[str, ...]:
    return (
        *(record.skill, record.skill_sha, record.vs, record.launcher, record.mode),
        *(record.environment, record.model_identity, record.judge),
    )
