"""What several trials say about the next ones: pass@k and pass^k, two very different promises.

With 70 % of trials passed, one of five trials passes nearly always (pass@5 0.998), and all five
do seldom (pass^5 0.168).
"""

from math import comb


def pass_at_k(successes: int, trials: int, k: int) -> float | None:
    """Chance that at least one of `k` trials passes, without bias; None for fewer trials than `k`.

    M. Chen et al., *Evaluating large language models trained on code*, arXiv 2107.03374: of all
    choices of `k` trials among those that were seen, the share that holds a pass.
    """
    if not _can_choose(successes, trials, k):
        return None
    return 1 - comb(trials - successes, k) / comb(trials, k)


def pass_hat_k(successes: int, trials: int, k: int) -> float | None:
    """Chance that all of `k` trials pass, pass^k, without bias; None for fewer trials than `k`.

    S. Yao et al., *τ-bench*, arXiv 2406.12045: of all choices of `k` trials among those that were
    seen, the share that holds passes only.
    """
    if not _can_choose(successes, trials, k):
        return None
    return comb(successes, k) / comb(trials, k)


def _can_choose(successes: int, trials: int, k: int) -> bool:
    """Raises `ValueError` for counts that cannot be."""
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} passes of {trials} trials cannot be; count them anew")
    if k < 1:
        raise ValueError(f"k is {k}; it must be 1 or more")
    return k <= trials
