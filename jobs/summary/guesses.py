"""Whether a skill's outputs give their arm away, as a summary shows it."""

from collections.abc import Mapping, Sequence

from jobs.leaks.history import Blindness, GuessHistory
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks
from jobs.summary.judge import render_served

NAME = 60
MOST_SERIES = 4
_HEAD = "| Tested model | Guesser | Right | |\n|:--|:--|:--|:--|\n"
_SAID: Mapping[Blindness, str] = {
    "given away": "⚠️ **outputs give their arm away**: the interval lies above one half",
    "mistaken": "⚠️ **outputs can be told apart**, and are taken for each other: the interval lies "
    "below one half",
    "unknown": "nothing can be said: the interval holds one half",
}
_NOTE = (
    "<sub>Of a sample of runs a cheap model was asked which of the scrubbed outputs had the skill; "
    "by chance alone it is right half of the time. All versions of the skill; 95 % intervals: "
    "Wilson's, as if runs were independent. A skill that changes the work can be told by the work, "
    "too.</sub>"
)


def guess_part(histories: Sequence[GuessHistory]) -> Blocks:
    """A row for each series, the latest first; empty where no run of the skill was guessed."""
    rows = [_row(one) for one in histories[:MOST_SERIES]]
    left = len(histories) - len(rows)
    more = f"\n\n*{numbers.plural(left, 'older series', 'older series')} left out.*" if left else ""
    head = f"#### Do outputs give their arm away?\n\n{_HEAD}"
    return Blocks(rows, "*Shortened.*", before=head, after=f"{more}\n\n{_NOTE}")


def _row(one: GuessHistory) -> str:
    guesser, _, wording = one.guesser.rpartition(" ")
    low, high = (numbers.percent(round(end, 3)) for end in one.interval)
    share = numbers.percent(round(one.right / one.guessed, 3))
    cells = [
        render_served(one.served, one.model),
        f"{escape.code(guesser, NAME)} · prompt {escape.code(wording, 20)}",
        f"{one.right:,} of {one.guessed:,}: {share} ({low} to {high})",
        _SAID[one.blindness],
    ]
    return f"| {' | '.join(cells)} |"
