"""A judge's agreement with people, and with itself over time, as a terminal shows it."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from jobs.calibration.agreement import ORDERED, Agreement, Calibration, Rate, Series
from jobs.calibration.history import JudgeHistory
from jobs.calibration.said import SPLIT
from jobs.datasets.compare_words import plain
from jobs.reporting import numbers
from jobs.statistics.intervals import Interval

_WIDE = 160
"""Columns of what goes to a file or a pipe."""
_WORDS = (*reversed(ORDERED), "cannot_verify")


def print_calibration(found: Calibration) -> None:
    """One judge held against people."""
    console = _console()
    overall = found.overall
    console.print(Text(f"\n{_name(found.series)}", style="bold"))
    lines = [
        f"compared            {numbers.plural(overall.compared, 'verdict')}"
        + (f", {overall.splits} of them split between the readings" if overall.splits else ""),
        f"agreement           {tell_rate(overall.agreed)}",
        f"Cohen's kappa       {_figure(overall.kappa)}",
        f"weighted kappa      {_figure(overall.weighted_kappa)}, over {overall.weighted_over}",
        f"judge more lenient  {tell_rate(overall.lenient)}",
        f"judge stricter      {tell_rate(overall.strict)}",
        f"passes what fails   {tell_rate(overall.false_passes)}",
        f"fails what passes   {tell_rate(overall.false_fails)}",
    ]
    for line in lines:
        console.print(line)
    console.print(_confusion(found))
    if found.groups:
        console.print(_groups(found.groups))
    console.print(
        Text(
            "Intervals: 95 %, Wilson, as if verdicts were independent. Weights: linear over fail, "
            "partial, pass. A judge whose readings differ (split) agrees with nobody.",
            style="dim",
        )
    )


def print_histories(histories: Sequence[JudgeHistory]) -> None:
    """Each series of a repository, the latest first."""
    if not histories:
        return
    table = Table("model", "judge", "prompt", box=None)
    for name in ("runs", "same when swapped", "kappa", "first place", "people agree"):
        table.add_column(name, justify="right")
    for one in histories:
        table.add_row(
            *(Text(plain(name)) for name in one.series),
            str(one.runs),
            tell_rate(one.swapped),
            _figure(one.kappa) + _between(one.kappa_interval, 1, 2),
            "-" if one.bias is None else f"{one.bias:+.1f}" + _between(one.bias_interval, 1, 1),
            tell_rate(one.people),
        )
    console = _console()
    console.print()
    console.print(table)


def tell_rate(rate: Rate) -> str:
    """`17 of 20, 85% (64% to 95%)`; a dash where nothing was counted."""
    if not rate.of:
        return "-"
    share = numbers.percent(round(rate.count / rate.of, 3))
    return f"{rate.count} of {rate.of}, {share}" + _percents(rate.interval)


def _confusion(found: Calibration) -> Table:
    used = {word for row in found.confusion.values() for word in row} | set(found.confusion)
    words = [word for word in (*_WORDS, SPLIT) if word in used]
    table = Table("a person \\ the judge", box=None)
    for word in words:
        table.add_column(word, justify="right")
    for person in (word for word in words if word in found.confusion):
        row = found.confusion[person]
        table.add_row(person, *(str(row.get(word, 0)) for word in words))
    return table


def _groups(groups: dict[str, Agreement]) -> Table:
    table = Table("group", box=None)
    for name in ("compared", "agreement", "kappa", "lenient", "stricter"):
        table.add_column(name, justify="right")
    for name, one in groups.items():
        table.add_row(
            Text(plain(name)),
            str(one.compared),
            tell_rate(one.agreed),
            _figure(one.kappa),
            str(one.lenient.count),
            str(one.strict.count),
        )
    return table


def _name(series: Series) -> str:
    model, judge, prompt = (plain(part) for part in series)
    of = f" of {model}" if model else ""
    wording = f", scoring prompt {prompt}" if prompt else ""
    return f"Judge {judge or 'that the file does not name'}{of}{wording}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _percents(interval: Interval | None) -> str:
    return _between(interval, 100, 0, "%")


def _between(interval: Interval | None, scale: float, places: int, unit: str = "") -> str:
    if interval is None:
        return ""
    low, high = (f"{scale * end:.{places}f}{unit}" for end in interval)
    return f" ({low} to {high})"


def _console() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=_WIDE, highlight=False)
