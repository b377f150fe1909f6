"""The living comment of a request that waits for its turn: where it stands, and until when.

A pure function of a value, as the comment is that takes its place once the request is begun
(`jobs.reporting.progress_comment`).
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from jobs.reporting import escape, numbers
from jobs.requests import Value

WAITING = "### ⏳ Waiting"
"""How it begins, and no other comment of ours."""
BEGUN = "### 🏃 In progress"
"""How it goes on where the answer comes in a comment of its own."""


class Load(Value):
    """A request on the queue, as far as the time matters that others wait for it."""

    repo: str
    """`owner/name` in lower case."""
    wall_s: float | None
    """What its sessions are expected to take; None: nobody knows."""


class Waiting(Value):
    """Everything the comment says."""

    asker: str
    before: int
    """Requests that wait and come first."""
    running: int
    """Requests that are carried out now."""
    seconds: float | None
    """When it is expected to have ended, from now; None: nobody knows."""
    expected: str = ""
    """What it is expected to take: half a sentence of `jobs.estimates.describe`; empty: nobody
    knows."""
    most_usd: Decimal | None = None
    """The limit of one run, which holds for models with a price; None: another limit holds."""
    mention: str = "@skillbench"
    label: str = ""
    """The label that asked for it; empty: a comment did."""
    is_apart: bool = False
    """Whether the answer is a comment of its own, and this one does not go on."""
    at: datetime


def expect_seconds(
    own: Load, ahead: Sequence[Load], *, per_repository: int, overall: int
) -> float | None:
    """Seconds until a request will have ended, with these before it or in progress.

    Of one about which nothing is known it is supposed that it takes as long as this one. The
    repository's own share of places holds, or the fleet's, whichever is fuller.
    """
    if own.wall_s is None:
        return None
    usual = own.wall_s
    each = [
        (one.repo == own.repo, one.wall_s if one.wall_s is not None else usual) for one in ahead
    ]
    in_repository = sum(wall_s for is_own, wall_s in each if is_own) / per_repository
    in_all = sum(wall_s for _, wall_s in each) / overall
    return max(in_repository, in_all) + usual


def render_waiting(waiting: Waiting) -> str:
    """The comment's Markdown."""
    before = f"{numbers.plural(waiting.before, 'request')} before this one"
    place = before if waiting.before else "next in turn"
    running = f"{numbers.plural(waiting.running, 'request')} in progress"
    if waiting.is_apart:
        end, goes_on = "", "The answer comes in a comment of its own, and this one is folded away."
    else:
        end = (
            "No past runs tell when it will have ended."
            if waiting.seconds is None
            else f"It will have ended in about {_roughly(waiting.seconds)}."
        )
        goes_on = "This comment goes on once it begins."
    expected = f" **Expected:** {escape.inline(waiting.expected, 400)}." if waiting.expected else ""
    if waiting.most_usd is not None:
        expected += (
            f" A run costs {numbers.usd(waiting.most_usd)} at most, if its models have prices."
        )
    cancel = escape.code(waiting.mention + " cancel")
    if waiting.label:
        cancel = f"take the label {escape.code(waiting.label, 80)} off, or comment {cancel}"
    return (
        f"{WAITING}: {place}, {running}\n\n"
        f"{f'{end}{expected} {goes_on}'.strip()} To cancel it: {cancel}.\n\n"
        f"<sub>Asked for by {escape.inline(waiting.asker, 80)}. As of "
        f"{waiting.at:%Y-%m-%d %H:%M} UTC; looked at again each minute. All commands: "
        f"{escape.code(waiting.mention + ' help')}.</sub>\n"
    )


def render_begun(mention: str, asker: str) -> str:
    """What takes its place where the request goes on without a comment that tells how far it is."""
    return (
        f"{BEGUN}\n\n"
        "The answer comes in a comment of its own, and this one is folded away. To cancel it: "
        f"{escape.code(mention + ' cancel')}.\n\n"
        f"<sub>Asked for by {escape.inline(asker, 80)}. All commands: "
        f"{escape.code(mention + ' help')}.</sub>\n"
    )


def render_left(mention: str, asker: str) -> str:
    """What takes its place where the request ended without a comment that goes on."""
    return (
        "### Ended: the answer is in a comment of its own\n\n"
        f"<sub>Asked for by {escape.inline(asker, 80)}. All commands: "
        f"{escape.code(mention + ' help')}.</sub>\n"
    )


def _roughly(seconds: float) -> str:
    """Whole minutes, or a minute: nobody knows it better."""
    return numbers.duration(max(round(seconds / 60), 1) * 60)
