"""How a run's limits are shared out: the parts never add up to more than the whole."""

from datetime import timedelta
from decimal import Decimal

from config.settings import Settings
from jobs.sessions.run_limits import judge_limits, session_limits


def some_settings(**changes) -> Settings:
    return Settings(_env_file=None, **changes)


def test_two_sessions_and_two_readings_use_up_a_run_and_no_more():
    settings = some_settings(max_usd_per_run=Decimal("3.33"), max_tokens_per_run=99_999)
    parts = [session_limits(settings)] * 2 + [judge_limits(settings)] * 2
    assert sum(part.cost_usd for part in parts) == Decimal("3.33")
    assert 99_990 < sum(part.total_tokens for part in parts) <= 99_999


def test_a_session_gets_four_times_what_a_reading_gets():
    settings = some_settings()
    assert session_limits(settings).cost_usd == 4 * judge_limits(settings).cost_usd


def test_the_other_limits_are_the_settings_own():
    settings = some_settings(
        session_timeout=timedelta(minutes=2),
        session_idle_timeout=timedelta(seconds=7),
        session_max_turns=9,
        session_max_output_tokens=1234,
    )
    limits = session_limits(settings)
    assert (limits.wall_s, limits.idle_s) == (120, 7)
    assert (limits.turns, limits.output_tokens) == (9, 1234)


def test_trials_share_what_a_run_may_use():
    """However many there are, the sum of all parts is no more than one run's limit."""
    settings = some_settings(max_usd_per_run=Decimal(5), max_tokens_per_run=99_999)
    for trials in (1, 3, 20):
        parts = [session_limits(settings, trials), judge_limits(settings, trials)]
        assert sum(2 * trials * part.cost_usd for part in parts) <= Decimal("5.0000000001")
        assert sum(2 * trials * part.total_tokens for part in parts) <= 99_999
