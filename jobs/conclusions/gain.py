"""How much of what was left to gain a skill gains."""

from collections.abc import Sequence

LEAST_HEADROOM = 0.05
"""Mean headroom below which the gain says nothing: a division by nearly nothing."""


def find_normalized_gain(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Mean gain over mean headroom, of `(tested, other)` scores as fractions; at most 1.

    The gain of averages, not the average of gains: R. R. Hake, *Interactive-engagement versus
    traditional methods*, American Journal of Physics 66 (1998). So an eval case whose baseline is
    at the ceiling adds no headroom, and its loss weighs as much as any other; divided by its own
    headroom it would weigh without bound. None where the baseline leaves less than
    `LEAST_HEADROOM` on average, and without an eval case.
    """
    if not pairs:
        return None
    headroom = sum(1 - other for _, other in pairs)
    if headroom < LEAST_HEADROOM * len(pairs):
        return None
    return sum(tested - other for tested, other in pairs) / headroom
