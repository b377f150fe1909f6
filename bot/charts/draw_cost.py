"""Tokens of both arms, and what a run costs, over a skill's versions; a line for each model."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from bot.charts import texts
from bot.charts.canvas import SMALL, TOP, Sheet
from bot.charts.draw_versions import group_points
from bot.charts.over_versions import (
    AXIS,
    LEFT,
    Version,
    axis_width,
    key,
    label_versions,
    line_of,
    newest_of,
    order_versions,
    scale_versions,
    visible,
)
from bot.charts.plain import empty_sheet
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import SkillFigures, VersionPoint
from jobs.reporting import numbers

PANEL, NAME, GAP = 150.0, 34.0, 18.0
KEY = 24.0
MARKERS = "oD^v"
DASHES = (0, (3, 2))


def draw_cost(figures: SkillFigures, theme: Theme) -> Sheet:
    """What a session reads and writes, and what a run costs."""
    title = f"Tokens and cost: {figures.card.name}"
    points = [one for one in figures.versions if _is_known(one)]
    if not points:
        says = "Neither tokens nor prices are known yet"
        return empty_sheet(title, figures.card.repo, says, theme)
    every = order_versions((one.sha, one.first_at) for one in points)
    versions, older = newest_of(every)
    models = group_points(visible(points, versions))
    series = len({one.series for one in points})
    shown = models[: len(MARKERS)]
    top = TOP + KEY * (1 + len(shown)) + 8
    height = NAME + PANEL + AXIS + GAP
    sheet = Sheet(top + 2 * height + 30, theme)
    counted = (
        numbers.plural(len(every), "version"),
        numbers.plural(len({one.model for one in points}), "model"),
    )
    seen = texts.newest(one.ended_at for one in points)
    sheet.card(title, texts.joined(figures.card.repo, *counted, seen))
    _draw_key(sheet, [name for name, _ in shown])
    owns = [own for _, own in shown]
    _draw_tokens(sheet, top, owns, versions)
    _draw_usd(sheet, top + height, owns, versions)
    left = (
        texts.left_out(older, "older version"),
        texts.left_out(series - len(shown), "more line"),
    )
    sheet.foot(texts.joined(*left) or "Means over the latest run of each eval case")
    return sheet


def _is_known(point: VersionPoint) -> bool:
    known = (point.tokens_with, point.tokens_without, point.cost_usd)
    return any(value is not None for value in known)


def _draw_key(sheet: Sheet, names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        style = {"color": sheet.palette.lines[place], "marker": MARKERS[place], "markersize": 8}
        key(sheet, 24, TOP + 14 + KEY * place, name, room=sheet.width - 48, linewidth=2.5, **style)
    y = TOP + 14 + KEY * len(names)
    x = key(sheet, 24, y, "with skill", color=sheet.palette.soft, linewidth=2.5)
    key(sheet, x, y, "without", color=sheet.palette.soft, linewidth=2, linestyle=DASHES)


def _draw_tokens(
    sheet: Sheet, top: float, models: Sequence[Sequence[VersionPoint]], versions: Sequence[Version]
) -> None:
    axes = _panel(sheet, top, "Tokens per session", versions)
    for place, own in enumerate(models):
        having = line_of(((one.sha, one.tokens_with) for one in own), versions)
        lacking = line_of(((one.sha, one.tokens_without) for one in own), versions)
        colour = sheet.palette.lines[place]
        axes.plot(
            *lacking, MARKERS[place], color=colour, linewidth=2, linestyle=DASHES, markersize=7,
            markerfacecolor=sheet.palette.paper, markeredgewidth=1.6,
        )  # fmt: skip
        axes.plot(*having, MARKERS[place], color=colour, linewidth=2.5, linestyle="-", markersize=7)
    points = [one for own in models for one in own]
    tokens = [value for one in points for value in (one.tokens_with, one.tokens_without)]
    _scale(axes, tokens, lambda value: numbers.tokens(round(value)))
    _say_nothing(sheet, axes, top, tokens, "No tokens were counted")


def _draw_usd(
    sheet: Sheet, top: float, models: Sequence[Sequence[VersionPoint]], versions: Sequence[Version]
) -> None:
    axes = _panel(sheet, top, "US dollars per run, judging included", versions)
    for place, own in enumerate(models):
        cost = line_of(((one.sha, one.cost_usd) for one in own), versions)
        axes.plot(
            *cost, MARKERS[place], color=sheet.palette.lines[place], linewidth=2.5, linestyle="-",
            markersize=7,
        )  # fmt: skip
    costs = [one.cost_usd for own in models for one in own]
    _scale(axes, costs, lambda value: numbers.usd(Decimal(str(round(value, 4)))))
    _say_nothing(sheet, axes, top, costs, "No price is known")


def _panel(sheet: Sheet, top: float, name: str, versions: Sequence[Version]) -> Axes:
    sheet.text(24, top + 16, name, weight="bold")
    axes = sheet.axes(LEFT, top + NAME, axis_width(sheet), PANEL)
    scale_versions(axes, versions)
    label_versions(sheet, versions, top + NAME + PANEL)
    return axes


def _scale(axes: Axes, values: Iterable[float | None], say: Callable[[float], str]) -> None:
    """From zero, so that twice as much looks like it."""
    highest = max((value for value in values if value is not None), default=0.0)
    axes.set_ylim(0, (highest or 1.0) * 1.12)
    axes.yaxis.set_major_locator(MaxNLocator(4, min_n_ticks=3))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: say(value) if value else "0"))


def _say_nothing(
    sheet: Sheet, axes: Axes, top: float, values: Iterable[float | None], says: str
) -> None:
    """Words in place of a scale, where nothing is known that it could be of."""
    if all(value is None for value in values):
        axes.set_yticks([])
        sheet.text(sheet.width / 2, top + NAME + PANEL / 2, says, size=SMALL, across="center")
