"""Whether what was lost of a set of eval cases leaves a set that can still be judged.

An eval case whose run has no score drops out. Where that hit one arm more, what is left is a
choice among that arm's sessions. A few losses always lie unevenly, by chance; but "helps" asks
for a lead of a fifth of the eval cases, and a tenth that is lost on one side cannot make one.
"""

from collections.abc import Sequence

from jobs.matched import ARM_NAMES
from jobs.results import RunRecord
from jobs.values import Arm

ALWAYS_SPARED = 1
"""Eval cases: a single loss is always one arm's."""
SPARED_SHARE = 0.1
"""Of all eval cases; half of the lead that a conclusion needs."""


def find_lopsided(records: Sequence[RunRecord]) -> str | None:
    """Why no conclusion may be drawn from a set of runs, one an eval case; None if one may.

    Counted are the eval cases of which one arm lost more sessions than the other, whether the
    platform ended them or the model refused: either way they are not there.
    """
    hit: dict[str, int] = {}
    for record in records:
        lost = {arm: record.lost.get(arm, 0) for arm in Arm}
        worst = max(lost.values())
        arms = [arm for arm, count in lost.items() if count == worst]
        if worst and len(arms) == 1:
            hit[arms[0]] = hit.get(arms[0], 0) + 1
    if not hit:
        return None
    first, second = sorted(hit.values(), reverse=True)[:2] if len(hit) > 1 else (*hit.values(), 0)
    spared = max(ALWAYS_SPARED, int(len(records) * SPARED_SHARE))
    if first - second <= spared:
        return None
    counts = ", ".join(f"{count} {ARM_NAMES[Arm(arm)]}" for arm, count in sorted(hit.items()))
    return (
        f"of {len(records)} eval cases, one arm alone lost sessions in more than may be chance "
        f"({counts}), and what is left of so uneven a loss cannot be compared"
    )
