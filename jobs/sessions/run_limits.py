"""How a run's money and tokens are divided among its conversations, four in each trial.

The operator limits a run as a whole, and a conversation can only be stopped by a limit of
its own, so the shares are fixed beforehand and add up to the whole: whatever happens, a
run costs no more than it may. Both sessions get the same, so that no arm is cut short
because the other one was dear.
"""

from decimal import Decimal

from config.settings import Settings
from jobs.values import Limits

SESSION_SHARE = Decimal("0.4")
"""Of each arm's session: the work is where most of the tokens go."""
READING_SHARE = Decimal("0.1")
"""Of each of the judge's two passes; several judges divide it."""


def session_limits(settings: Settings, shares: int = 1) -> Limits:
    """What the session of one arm may use: 40 % of its trial, and the settings' `session_*`.

    Every trial of a run has the same part of what the run may use, one of `shares`
    (`RunSpec.shares`): as many as it has trials, or, where they are added until it is sure, as the
    fewest that can be enough.
    """
    return _limits(settings, SESSION_SHARE / shares)


def judge_limits(settings: Settings, shares: int = 1, judges: int = 1) -> Limits:
    """What one pass of a judge may use: 10 % of its trial, and the time of a session.

    A panel divides it, so that sessions are as long as with one judge, and no dearer.
    """
    return _limits(settings, READING_SHARE / shares / judges)


def _limits(settings: Settings, share: Decimal) -> Limits:
    return Limits(
        wall_s=settings.session_timeout.total_seconds(),
        idle_s=settings.session_idle_timeout.total_seconds(),
        turns=settings.session_max_turns,
        output_tokens=settings.session_max_output_tokens,
        total_tokens=int(settings.max_tokens_per_run * share),
        cost_usd=settings.max_usd_per_run * share,
    )
