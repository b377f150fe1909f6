"""What a run has cost so far is told as far as it is known: in the comment and on the pages."""

from decimal import Decimal

import pytest

from bot.web.runs import of_live
from jobs.datasets.live import LiveRun
from jobs.datasets.progress import render_progress
from tests.bot.web_pages.seeded import a_plan
from tests.jobs.datasets.given import NOON


@pytest.mark.parametrize(
    ("cost", "unpriced", "in_comment", "on_page"),
    [
        ("0", 0, "0.00 USD", "$0.00"),
        ("1.25", 0, "1.25 USD", "$1.25"),
        ("1.25", 1, "at least 1.25 USD", "at least $1.25"),
        ("0", 1, "not known", "unknown"),
    ],
)
def test_a_cost_that_is_not_known_is_no_zero(
    cost: str, unpriced: int, in_comment: str, on_page: str
) -> None:
    run = LiveRun(
        run_id="aaaaaaaaaaaa",
        benchmark="demo",
        dataset="sample",
        target_type="llm_api",
        asker="maria",
        started_at=NOON,
        state="running",
        total=2,
        done=1,
        graded=1,
        ungraded=0,
        average=0.5,
        cost_usd=Decimal(cost),
        unpriced=unpriced,
    )
    plan = a_plan("aaaaaaaaaaaa", ["one", "two"])
    comment = render_progress(plan, run, mention="@skillbench", expected="a guess")
    assert f"| 50% | 1 | 0 | {in_comment} | a guess |" in comment
    assert of_live(run).cost == on_page


def test_before_anything_is_known_of_a_run_nothing_is_said_of_its_cost() -> None:
    plan = a_plan("aaaaaaaaaaaa", ["one", "two"])
    comment = render_progress(plan, None, mention="@skillbench", expected="a guess")
    assert "| none yet | 0 | 0 | none yet | a guess |" in comment
