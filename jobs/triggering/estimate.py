"""What an evaluation or an optimization will take, told before anything is spent.

Counts sessions exactly, at the most that can happen; tokens and money are rough, from what a
session of each launcher sends and writes when it does little more than decide.
"""

from collections.abc import Sequence
from decimal import Decimal

from jobs.errors import OverBudget
from jobs.models.door import Tokens
from jobs.models.prices import find_price
from jobs.requests import Value
from jobs.triggering.controls import TRIES
from jobs.triggering.eval_set import Query
from jobs.triggering.installed import Installed
from jobs.triggering.purse import Purse
from jobs.triggering.split import Split
from jobs.values import Launcher, Model

_CHARACTERS_PER_TOKEN = 4
_TURNS = 3
"""A session that decides early takes one, one that does the work takes more."""
_SYSTEM_TOKENS: dict[Launcher, int] = {"claude-code": 12_000, "api": 1_500}
"""System prompt and tools as sent: measured for Claude Code 2.1 with six tools, rounded up."""
_ANSWER_TOKENS = 400
_CONTROLS = 2 * TRIES
_OF_ESTIMATE = 3
"""A measurement that was confirmed may cost this many times what was expected; no more."""
_PROPOSAL = Tokens(input=8_000, output=500)


class Estimate(Value):
    """The most sessions there can be, and roughly what they will use."""

    sessions: int
    tokens: int
    usd: Decimal | None
    """None where the model's price is not known."""


def estimate_evaluation(
    queries: Sequence[Query],
    runs_per_query: int,
    installed: Installed,
    model: Model,
    launcher: Launcher,
) -> Estimate:
    """One evaluation with its controls. Reads the price list, so it blocks."""
    sent = _count_sent(queries, installed, launcher)
    return _estimate(len(queries) * runs_per_query + _CONTROLS, sent, model, launcher)


def estimate_optimization(  # noqa: PLR0913, PLR0917 -- a table of what the price depends on
    split: Split,
    runs_per_query: int,
    max_iterations: int,
    installed: Installed,
    model: Model,
    launcher: Launcher,
) -> Estimate:
    """All iterations, the asking between them, the last comparison. Blocks, as above."""
    queries = [*split.train, *split.test]
    sessions = max_iterations * len(queries) + 2 * len(split.test)
    sent = _count_sent(queries, installed, launcher)
    found = _estimate(sessions * runs_per_query + _CONTROLS, sent, model, launcher)
    asked = max_iterations - 1
    price = find_price(model.sent, model.provider, _PROPOSAL)
    return Estimate(
        sessions=found.sessions,
        tokens=found.tokens + asked * (_PROPOSAL.input + _PROPOSAL.output),
        usd=None if found.usd is None or price is None else found.usd + asked * price,
    )


def make_purse(
    estimate: Estimate, *, max_usd: Decimal, max_tokens: int, confirmed: bool, how: str
) -> Purse:
    """The purse for a measurement that is expected to use `estimate`.

    What is expected to go over the limits must be confirmed, by `how`; then it may use
    `_OF_ESTIMATE` times of what is expected. Raises `OverBudget` with the numbers.
    """
    over = estimate.usd > max_usd if estimate.usd is not None else estimate.tokens > max_tokens
    if not over:
        return Purse(usd=max_usd, tokens=max_tokens)
    if confirmed:
        usd = max_usd if estimate.usd is None else _OF_ESTIMATE * estimate.usd
        return Purse(usd=usd, tokens=_OF_ESTIMATE * estimate.tokens)
    limit = f"{max_usd:.2f} USD" if estimate.usd is not None else f"{max_tokens:,} tokens"
    raise OverBudget(
        f"this takes {describe(estimate)}, more than the limit of {limit}. Confirm it with {how}, "
        "or ask for less: fewer queries, runs per query or iterations."
    )


def describe(estimate: Estimate) -> str:
    """An estimate for people."""
    money = f"about {estimate.usd:.2f} USD" if estimate.usd is not None else "at a price not known"
    return f"at most {estimate.sessions:,} sessions, about {estimate.tokens:,} tokens, {money}"


def _count_sent(queries: Sequence[Query], installed: Installed, launcher: Launcher) -> int:
    """Tokens that a session of average length begins with."""
    listed = (installed.skill, *installed.neighbours)
    listing = sum(len(one.name) + len(one.description) for one in listed)
    asked = sum(len(query.text) for query in queries) // len(queries)
    return _SYSTEM_TOKENS[launcher] + (listing + asked) // _CHARACTERS_PER_TOKEN


def _estimate(sessions: int, sent: int, model: Model, launcher: Launcher) -> Estimate:
    one = Tokens(
        input=sent if launcher == "api" else 0,
        cache_write=0 if launcher == "api" else sent,
        cache_read=(_TURNS - 1) * sent,
        output=_TURNS * _ANSWER_TOKENS,
    )
    price = find_price(model.sent, model.provider, one)
    tokens = one.input + one.cache_write + one.cache_read + one.output
    return Estimate(
        sessions=sessions,
        tokens=sessions * tokens,
        usd=None if price is None else sessions * price,
    )
