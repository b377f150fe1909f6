"""What each eval case says on each model, and which of it is old."""

from collections.abc import Iterable, Mapping, Sequence

from jobs.conclusions.sets import EvalSet
from jobs.dashboard.rows import make_run_row
from jobs.dashboard.values import HeatCell
from jobs.results import RunRecord


def find_scores(sets: Iterable[EvalSet]) -> dict[str, RunRecord]:
    """The newest run with a score of each eval case, on any model, of sets against no skill."""
    newest: dict[str, RunRecord] = {}
    for one in sets:
        for row in one.rows:
            known = newest.get(row.record.eval_id)
            if known is None or _order(known) < _order(row.record):
                newest[row.record.eval_id] = row.record
    return newest


def find_stale(scores: Mapping[str, RunRecord], sha: str) -> tuple[str, ...]:
    """Eval cases whose newest score is of another version than `sha`, by id."""
    return tuple(sorted(name for name, record in scores.items() if record.skill_sha != sha))


def make_cells(records: Sequence[RunRecord], models: Mapping[str, str], sha: str) -> list[HeatCell]:
    """A cell for each eval case on each model, of the latest run: by eval case, then by model.

    `records` are runs against no skill, the last to end at the end; of an eval case those of its
    present text and inputs. `sha` is the version that is no earlier one.
    """
    latest = {(one.eval_id, one.model_identity): one for one in records}
    cells = [_make_cell(one, models[one.model_identity], sha) for one in latest.values()]
    return sorted(cells, key=lambda one: (one.eval_id, one.model))


def _make_cell(record: RunRecord, model: str, sha: str) -> HeatCell:
    row = make_run_row(record)
    return HeatCell(
        eval_id=record.eval_id,
        model=model,
        difference=row.difference if row.counts else None,
        run=record.run,
        is_stale=record.skill_sha != sha,
    )


def _order(record: RunRecord) -> tuple[object, ...]:
    return record.ended_at, record.run
