"""Rates, verdicts and scores: what was not seen is in none of them."""

from decimal import Decimal

import pytest

from jobs.triggering.eval_set import Query
from jobs.triggering.observations import Observation, QueryResult
from jobs.triggering.scores import Scores, score_queries, sum_usage
from jobs.values import Usage


def result(*fired: bool | None, should_trigger: bool = True, threshold: float = 0.5) -> QueryResult:
    query = Query(id="Q1", text="merge these", should_trigger=should_trigger)
    seen = [Observation(query_id="Q1", number=n, fired=one) for n, one in enumerate(fired, 1)]
    return QueryResult(query=query, observations=tuple(seen), threshold=threshold)


def test_a_session_that_broke_takes_no_part_in_the_rate():
    found = result(True, None, None)
    assert (found.rate, found.seen, found.verdict) == (1.0, 1, "pass")


def test_a_query_of_which_nothing_was_seen_is_missing_not_failed():
    found = result(None, None, None)
    assert (found.rate, found.predicted, found.verdict) == (None, None, "missing")


@pytest.mark.parametrize(
    ("fired", "should_trigger", "threshold", "verdict"),
    [
        ((True, False), True, 0.5, "pass"),
        ((True, False), False, 0.5, "fail"),
        ((True, False, False), True, 0.5, "fail"),
        ((True, False, False), False, 0.5, "pass"),
        ((True, False, False), True, 0.3, "pass"),
    ],
)
def test_the_threshold_belongs_to_fired(
    fired: tuple[bool, ...], should_trigger: bool, threshold: float, verdict: str
):
    found = result(*fired, should_trigger=should_trigger, threshold=threshold)
    assert found.verdict == verdict


def test_scores_follow_from_the_confusion_matrix():
    scores = score_queries(
        [
            *[result(True)] * 3,
            result(False),
            result(True, should_trigger=False),
            *[result(False, should_trigger=False)] * 4,
            result(None),
        ]
    )
    assert scores == Scores(
        true_positives=3, false_positives=1, false_negatives=1, true_negatives=4, missing=1
    )
    assert (scores.precision, scores.recall, scores.f1) == (0.75, 0.75, 0.75)
    assert scores.accuracy == pytest.approx(7 / 9)


def test_a_ratio_over_nothing_is_unknown():
    scores = score_queries([result(False, should_trigger=False)])
    assert (scores.precision, scores.recall, scores.f1) == (None, None, None)
    assert scores.accuracy == 1


def test_other_skills_are_counted_by_the_session():
    query = Query(id="Q1", text="merge these", should_trigger=True)
    seen = [
        Observation(query_id="Q1", number=1, fired=False, others=("docx",)),
        Observation(query_id="Q1", number=2, fired=True, others=("xlsx", "docx")),
    ]
    found = QueryResult(query=query, observations=tuple(seen))
    assert list(found.others.items()) == [("docx", 2), ("xlsx", 1)]


def test_the_cost_is_unknown_as_soon_as_one_session_has_no_price():
    def spent(usd: Decimal | None) -> QueryResult:
        usage = Usage(requests=1, input_tokens=10, cost_usd=usd)
        one = Observation(query_id="Q1", number=1, fired=True, usage=usage)
        return result().model_copy(update={"observations": (one,)})

    assert sum_usage([spent(Decimal("0.1")), spent(Decimal("0.2"))]).cost_usd == Decimal("0.3")
    assert sum_usage([spent(Decimal("0.1")), spent(None)]).cost_usd is None
    assert sum_usage([spent(Decimal("0.1")), result(None)]).cost_usd == Decimal("0.1")
