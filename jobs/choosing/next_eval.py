"""The eval case that a model knows least about: the order in which they are measured.

Decides only. The case with the fewest completed runs for the model goes first, then the one with
the fewest in all, then the one whose last run is the longest ago; what is alike in all of that
stands in an order of its own for each model, and the same whoever computes it. A case whose
history cannot be read goes last: nobody knows that it needs the money.
"""

import hashlib
from collections.abc import Iterable
from datetime import datetime

from jobs.requests import Value
from jobs.results import LONG_AGO


class Standing(Value):
    """Where an eval case stands for one model."""

    eval_id: str
    issue: int
    """The issue that it is told on; 0 where it has none."""
    is_pending: bool
    """Whether the present skill and case have not been measured with the model."""
    is_readable: bool = True
    """Whether all of its history could be read."""
    completed: int = 0
    """Finished runs for the model, of every version of skill and case."""
    completed_in_all: int = 0
    """The same for every model."""
    last_run: datetime | None = None
    """When the last of those ended; None where there was none, or nobody noted it."""
    claim: str = ""
    """What whoever takes it claims: case, skills and model at their present versions."""


def rank(standings: Iterable[Standing], model_identity: str) -> tuple[Standing, ...]:
    """What is pending for a model, in the order in which it is to be measured."""
    pending = [one for one in standings if one.is_pending]
    return tuple(sorted(pending, key=lambda one: _place(one, model_identity)))


def _place(one: Standing, model_identity: str) -> tuple[bool, int, int, datetime, str]:
    tie = hashlib.sha256(f"{model_identity}|{one.eval_id}".encode("utf-8", "replace")).hexdigest()
    last = one.last_run or LONG_AGO
    return (not one.is_readable, one.completed, one.completed_in_all, last, tie)
