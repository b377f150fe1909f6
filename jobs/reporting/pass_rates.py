"""What several trials promise of each assertion: that it is met once, or every time.

pass@k and pass^k differ by far where sessions are unsteady, so both are named and explained.
"""

from collections.abc import Iterator

from jobs.readings import Verdict
from jobs.reporting import numbers
from jobs.results import RunResult
from jobs.statistics.passes import pass_at_k, pass_hat_k

MOST_SESSIONS = 3
"""The largest k: with more, a handful of trials leaves little to choose from."""
FEWEST_TRIALS = 2


def find_k(trials: int) -> int:
    """2, from four trials on 3: so that k is less than the trials wherever that can be."""
    return max(min(MOST_SESSIONS, trials - 1), FEWEST_TRIALS)


def say_pass_rates(result: RunResult, assertion: str) -> tuple[str, str]:
    """`pass@2 100%, pass^2 33.3%` for each arm; empty for fewer than two whole trials.

    A trial passes where every reading that could verify the assertion says so. One in which none
    could is left out, so that an arm may be without a figure.
    """
    if len(result.whole_trials) < FEWEST_TRIALS:
        return "", ""
    passed = list(_passed(result, assertion))
    tested, other = (_say([one[arm] for one in passed], len(result.whole_trials)) for arm in (0, 1))
    return tested, other


def explain_pass_rates(result: RunResult) -> str:
    """What both figures mean, as a sentence; empty where there are none."""
    trials = len(result.whole_trials)
    if trials < FEWEST_TRIALS:
        return ""
    k = find_k(trials)
    return (
        f"pass@{k}: at least one of {k} sessions meets it; pass^{k}: all {k} do. Both without bias "
        f"from {trials} trials; a trial counts where every reading says “pass”."
    )


def _passed(result: RunResult, assertion: str) -> Iterator[tuple[bool, bool]]:
    """For each whole trial in which it could be verified, whether each arm met the assertion."""
    for trial in result.whole_trials:
        for row in trial.assertions:
            pairs = row.counted
            if row.assertion.id == assertion and pairs:
                tested, other = zip(*pairs, strict=True)
                yield _is_met(tested), _is_met(other)


def _is_met(verdicts: tuple[Verdict, ...]) -> bool:
    return all(one.verdict == "pass" for one in verdicts)


def _say(passed: list[bool], trials: int) -> str:
    k = find_k(trials)
    once = pass_at_k(sum(passed), len(passed), k)
    always = pass_hat_k(sum(passed), len(passed), k)
    if once is None or always is None:
        return ""
    return f"pass@{k} {numbers.percent(once)}, pass^{k} {numbers.percent(always)}"
