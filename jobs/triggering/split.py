"""Parts the eval set into queries to learn from and queries to judge by.

The draw is the one that skill-creator's users know, so that a set is parted here as it is
there: both kinds apart, each shuffled by Python's generator from one seed, positives first.
"""

import random
from typing import NamedTuple

from jobs.errors import Refused
from jobs.triggering.defaults import HOLDOUT, SEED
from jobs.triggering.eval_set import EvalSet, Query

LEAST_OF_A_KIND = 2
"""One to learn from and one to judge by."""


class Split(NamedTuple):
    """The two parts; each holds queries of both kinds."""

    train: tuple[Query, ...]
    test: tuple[Query, ...]


def split_eval_set(eval_set: EvalSet, *, holdout: float = HOLDOUT, seed: int = SEED) -> Split:
    """Part a set; the test part gets `holdout` of each kind, rounded down, at least one.

    Raises `Refused` where a part would be left without queries of one kind.
    """
    if not 0 < holdout < 1:
        raise Refused(f"the held-out part must lie between 0 and 1, not at {holdout:g}.")
    draw = random.Random(seed)  # noqa: S311 -- a reproducible draw is the point
    train: list[Query] = []
    test: list[Query] = []
    for kind, queries in (("should", eval_set.positives), ("should not", eval_set.negatives)):
        if len(queries) < LEAST_OF_A_KIND:
            raise Refused(
                f"the eval set has {len(queries)} queries that {kind} trigger the skill; at "
                f"least {LEAST_OF_A_KIND} of each kind are needed, one to learn from and one to "
                "judge by."
            )
        shuffled = list(queries)
        draw.shuffle(shuffled)
        held_out = min(max(1, int(len(shuffled) * holdout)), len(shuffled) - 1)
        test += shuffled[:held_out]
        train += shuffled[held_out:]
    return Split(tuple(train), tuple(test))
