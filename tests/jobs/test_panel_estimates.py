"""What a panel is expected to cost, told from runs that had another number of judges."""

import pytest

from jobs.estimates import Ahead, Estimate, ahead_of_specs, estimate_run
from jobs.results import RunRecord
from tests.builders import a_judge_model, a_model, a_run_record, a_run_spec


def a_record(**changes) -> RunRecord:
    defaults = {
        "cost_usd": 1.0,
        "judging_usd": 0.2,
        "tokens": {"with_skill": 900, "without_skill": 100},
        "wall_s": {"with_skill": 60.0, "without_skill": 50.0},
    }
    return a_run_record(**(defaults | changes))


def estimate(record: RunRecord, **changes) -> Estimate:
    ahead = Ahead(eval_id=record.eval_id, model=record.model, **changes)
    return estimate_run(ahead, [record], None)


@pytest.mark.parametrize(
    ("judges", "trials", "usd"), [(1, 1, 1.0), (2, 1, 1.2), (3, 1, 1.4), (3, 2, 2.8)]
)
def test_every_judge_more_is_expected_to_cost_what_one_did(
    judges: int, trials: int, usd: float
) -> None:
    found = estimate(a_record(), judges=judges, trials=trials)
    assert found.usd is not None
    assert found.usd.median == pytest.approx(usd)
    assert found.tokens is not None
    assert found.tokens.median == 1_000 * trials  # those of the sessions


def test_a_panels_run_tells_what_one_judge_costs() -> None:
    found = estimate(a_record(judge="a,b", judging_usd=0.4))
    assert found.usd is not None
    assert found.usd.median == pytest.approx(0.8)


def test_where_the_judges_part_is_not_known_a_panels_price_is_not_either() -> None:
    older = a_record(judging_usd=None)
    assert estimate(older, judges=2).usd is None
    assert estimate(older, judges=2).unknown == 1
    assert estimate(older).usd is not None


def test_a_planned_panel_is_counted() -> None:
    spec = a_run_spec(judge=a_judge_model(), other_judges=(a_model(), a_model()))
    assert ahead_of_specs([spec])[0].judges == 3
