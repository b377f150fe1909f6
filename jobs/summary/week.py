"""What a week of a repository brought, from its ledger. Pure: records in, values out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from jobs.calibration.series import series_key
from jobs.results import SAME_SCORE, RunRecord, leave_out_pulls
from jobs.summary.measured import Measured, find_measurements

LENGTH = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What one eval case says of a skill on a model, this week and before."""

    now: Measured
    before: Measured | None
    """The latest run with a score before the week that it can be held against; None: there is
    none."""
    is_other: bool = False
    """Whether there are earlier ones, but of another judge, scoring prompt, snapshot, text of the
    eval case or way of running."""

    @property
    def change(self) -> float:
        """By how much the difference between the arms has changed; 0 for a first run."""
        return 0.0 if self.before is None else self.now.difference - self.before.difference

    @property
    def is_up(self) -> bool:
        return self.change > SAME_SCORE

    @property
    def is_down(self) -> bool:
        return self.change < -SAME_SCORE


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """A week's runs."""

    begin: datetime
    end: datetime
    runs: int
    """Everything that ended, scored or not, with whatever it was compared."""
    unscored: int
    moved: tuple[Moved, ...]
    usd: Decimal
    """What the runs cost, as far as it is known."""
    unpriced: int
    """Runs of which it is not."""
    stale: tuple[Measured, ...]
    """Latest results that rest on an earlier version of their skill."""

    @property
    def name(self) -> str:
        """`2026-W48`: the week of the last full day in it."""
        year, week, _ = (self.end - timedelta(days=1)).isocalendar()
        return f"{year}-W{week:02d}"


def find_week(records: Sequence[RunRecord], shas: Mapping[str, str], end: datetime) -> Week:
    """The week that ends then; `shas` are the skills' SHAs now, by path."""
    begin = end - LENGTH
    within = [record for record in records if begin <= record.ended_at < end]
    records = leave_out_pulls(records)
    before = [record for record in records if record.ended_at < begin]
    known = [record.cost_usd for record in within if record.cost_usd is not None]
    moved: list[Moved] = []
    stale: list[Measured] = []
    for skill in sorted({record.skill for record in records}):
        rows = find_measurements(leave_out_pulls(within), skill).rows
        moved += [_find_moved(row, before) for row in rows]
        if sha := shas.get(skill):
            rows = find_measurements(records, skill).rows
            stale += [row for row in rows if row.record.skill_sha != sha]
    return Week(
        begin=begin,
        end=end,
        runs=len(within),
        unscored=sum(record.state != "complete" for record in within),
        moved=tuple(moved),
        usd=sum((Decimal(str(usd)) for usd in known), Decimal(0)),
        unpriced=len(within) - len(known),
        stale=tuple(stale),
    )


def _find_moved(now: Measured, before: Sequence[RunRecord]) -> Moved:
    """One eval case against its latest run before that answers the same question."""
    known = [one for one in before if _what(one) == _what(now.record)]
    alike = [one for one in known if _series(one) == _series(now.record)]
    earlier = find_measurements(alike, now.record.skill).rows
    return Moved(
        now=now,
        before=earlier[0] if earlier else None,
        is_other=not earlier and bool(find_measurements(known, now.record.skill).rows),
    )


def _what(record: RunRecord) -> tuple[str, ...]:
    return record.eval_id, record.model_identity


def _series(record: RunRecord) -> tuple[str, ...]:
    """What must be alike for two scores to be held against each other."""
    conditions = (record.launcher, record.mode, record.environment)
    return (record.eval_digest, *conditions, *series_key(record))
