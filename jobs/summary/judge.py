"""The judge over time, as a summary shows it: does it keep its word, and do people agree?"""

from collections.abc import Sequence

from jobs.calibration.agreement import Rate
from jobs.calibration.history import JudgeHistory
from jobs.calibration.series import SENT
from jobs.reporting import escape, numbers
from jobs.reporting.fit import Blocks
from jobs.statistics.intervals import Interval

NAME = 60
MOST_SERIES = 6
_HEAD = (
    "| Judge | Tested model | Runs | Same when swapped | κ | First place | People agree |\n"
    "|:--|:--|--:|:--|:--|:--|:--|\n"
)
_NOTE = (
    "<sub>All runs of this repository with the same tested model, judge and scoring prompt, as "
    "they were served; others are in no figure with them. *Same when swapped*: verdicts that did "
    "not change when the outputs changed places. *First place*: points that an output gains by "
    "being shown first. *People agree*: of the verdicts that people gave in comments. 95 % "
    "intervals: Wilson's for shares, as if verdicts were independent; the others over runs, from "
    "ten runs on.</sub>"
)


def judge_part(histories: Sequence[JudgeHistory]) -> Blocks:
    """A row for each series, the latest first; empty where no run was read twice or by people."""
    rows = [_row(one) for one in histories[:MOST_SERIES]]
    left = len(histories) - len(rows)
    more = f"\n\n*{numbers.plural(left, 'older series', 'older series')} left out.*" if left else ""
    head = f"#### The judge over time\n\n{_HEAD}"
    return Blocks(rows, "*Shortened.*", before=head, after=f"{more}\n\n{_NOTE}")


def _row(one: JudgeHistory) -> str:
    model, judge, prompt = one.series
    wording = f" · prompt {escape.code(prompt, 20)}" if prompt else ""
    cells = [
        render_served(judge, one.judge) + wording,
        render_served(model, one.model),
        f"{one.runs:,}",
        _rate(one.swapped),
        _figure(one.kappa, one.kappa_interval, "{:.2f}"),
        _figure(one.bias, one.bias_interval, "{:+.1f}"),
        _rate(one.people),
    ]
    return f"| {' | '.join(cells)} |"


def render_served(name: str, asked: str) -> str:
    """A snapshot; where it is not known, what was asked for."""
    if name.startswith(SENT):
        return f"{escape.code(asked, NAME)}, snapshot unknown"
    return escape.code(name, NAME)


def _rate(rate: Rate) -> str:
    if not rate.of:
        return "—"
    share = f"{numbers.percent(round(rate.count / rate.of, 3))} of {rate.of:,}"
    if rate.interval is None:
        return share
    low, high = (numbers.percent(round(end, 2)) for end in rate.interval)
    return f"{share} ({low} to {high})"


def _figure(value: float | None, interval: Interval | None, form: str) -> str:
    if value is None:
        return "—"
    shown = form.format(value)
    if interval is None:
        return shown
    low, high = (form.format(end) for end in interval)
    return f"{shown} ({low} to {high})"
