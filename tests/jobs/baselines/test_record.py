"""What the ledger and the marker keep of a run that used another run's session."""

from jobs.planning.dedup import record_of
from jobs.planning.markers import find_markers, render_marker, to_json
from jobs.values import Arm
from tests.builders import a_result, a_session, a_usage


def test_the_marker_names_the_run_and_what_was_saved() -> None:
    """Tokens and time are those of the session, whoever paid for it."""
    reused = a_session(Arm.WITHOUT_SKILL, reused_from="b" * 12)
    record = record_of(a_result(sessions=(a_session(), reused)))
    assert record.baseline == ("b" * 12,)
    assert (record.cost_usd, record.baseline_usd, record.saved_usd) == (0.08, 0.02, 0.02)
    assert record.tokens == {"with_skill": 11_500, "without_skill": 11_500}
    assert find_markers(render_marker(record)).ours == (record,)


def test_a_run_of_its_own_names_none() -> None:
    record = record_of(a_result())
    assert record.baseline == ()
    assert (record.cost_usd, record.baseline_usd, record.saved_usd) == (0.1, 0.02, None)


def test_what_one_price_less_leaves_unknown_is_not_zero() -> None:
    unpriced = a_session(Arm.WITHOUT_SKILL, usage=a_usage(cost_usd=None))
    record = record_of(a_result(sessions=(a_session(), a_session(Arm.WITHOUT_SKILL), unpriced)))
    assert record.baseline_usd is None


def test_a_marker_of_before_says_that_both_arms_ran() -> None:
    record = record_of(a_result())
    older = record.model_dump(mode="json", exclude={"url", "baseline", "baseline_usd", "saved_usd"})
    text = render_marker(record)
    whole = text[text.index("{") : text.rindex("}") + 1]
    found = find_markers(text.replace(whole, to_json(older))).ours
    assert found == (record.model_copy(update={"baseline_usd": None}),)
