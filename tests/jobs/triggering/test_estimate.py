"""What is told before anything is spent, and what then may be spent at most."""

from decimal import Decimal
from pathlib import Path

import pytest

from jobs.errors import OverBudget
from jobs.triggering.estimate import (
    Estimate,
    estimate_evaluation,
    estimate_optimization,
    make_purse,
)
from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.installed import Installed, Listed
from jobs.triggering.split import split_eval_set
from tests.builders import a_model
from tests.jobs.triggering.world import make_set

INSTALLED = Installed(folder=Path("skills"), skill=Listed("pdf", "Fills in forms."))
PRICED = a_model(sent="claude-sonnet-4-6")
UNPRICED = a_model(sent="scripted-demo")


def test_every_session_that_can_be_is_counted():
    eval_set = make_set(5, 5)
    once = estimate_evaluation(eval_set.queries, 3, INSTALLED, PRICED, "api")
    assert once.sessions == 10 * 3 + 4
    search = estimate_optimization(split_eval_set(eval_set), 3, 5, INSTALLED, PRICED, "api")
    assert search.sessions == (5 * 10 + 2 * 4) * 3 + 4
    assert search.usd is not None
    assert once.usd is not None
    assert search.usd > 4 * once.usd


def test_long_queries_and_a_heavy_launcher_cost_more():
    short = make_eval_set([("q", True)], "set").queries
    long = make_eval_set([("q" * 20_000, True)], "set").queries
    tokens = [
        estimate_evaluation(queries, 1, INSTALLED, PRICED, launcher).tokens
        for queries, launcher in ((short, "api"), (long, "api"), (long, "claude-code"))
    ]
    assert tokens == sorted(set(tokens))
    assert tokens[1] - tokens[0] >= 5_000 * 5


def test_a_price_that_is_not_known_is_not_zero():
    queries = make_set(1, 1).queries
    assert estimate_evaluation(queries, 1, INSTALLED, UNPRICED, "api").usd is None


@pytest.mark.parametrize("usd", [Decimal(6), None])
def test_more_than_the_limit_needs_a_yes_and_then_has_a_limit_of_its_own(usd: Decimal | None):
    estimate = Estimate(sessions=10, tokens=200_000, usd=usd)
    limits = {"max_usd": Decimal(5), "max_tokens": 100_000, "how": "`--yes`"}
    with pytest.raises(OverBudget, match=r"10 sessions.*Confirm it with `--yes`"):
        make_purse(estimate, confirmed=False, **limits)
    purse = make_purse(estimate, confirmed=True, **limits)
    assert purse.tokens == 600_000
    assert purse.usd == (Decimal(5) if usd is None else 3 * usd)


def test_less_than_the_limit_may_use_the_limit():
    estimate = Estimate(sessions=10, tokens=200_000, usd=Decimal(1))
    purse = make_purse(
        estimate, max_usd=Decimal(5), max_tokens=100_000, confirmed=False, how="`--yes`"
    )
    assert (purse.usd, purse.tokens) == (Decimal(5), 100_000)
