"""Scores of both arms over a skill's versions, a panel for each model.

The band is the interval of the difference, laid upon the score without the skill: where it
begins above the dashed line, the difference is no chance.
"""

from collections import defaultdict
from collections.abc import Sequence

from bot.charts import texts
from bot.charts.canvas import LABEL, SMALL, TINY, TOP, Sheet
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
    place_of,
    scale_percent,
    scale_versions,
    visible,
)
from bot.charts.plain import empty_sheet
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import SkillFigures, VersionPoint
from jobs.reporting import numbers

MOST_PANELS = 4
PANEL, NAME, COUNTS, GAP = 132.0, 30.0, 15.0, 14.0
"""Heights of the axes, of the model's name above them, of the counts of eval cases below, and of
the room between."""
KEY = 34.0


def draw_versions(figures: SkillFigures, theme: Theme) -> Sheet:
    """Both arms over versions; models that were measured last first."""
    title, points = f"Score over versions: {figures.card.name}", figures.versions
    if not points:
        return empty_sheet(title, figures.card.repo, "No version has a score yet", theme)
    every = order_versions((one.sha, one.first_at) for one in points)
    versions, older = newest_of(every)
    panels = group_points(visible(points, versions))
    series = len({one.series for one in points})
    height = NAME + PANEL + COUNTS + AXIS + GAP
    count = min(len(panels), MOST_PANELS)
    sheet = Sheet(TOP + KEY + height * count + 32, theme)
    counted = (
        numbers.plural(len(every), "version"),
        numbers.plural(len({one.model for one in points}), "model"),
    )
    seen = texts.newest(one.ended_at for one in points)
    sheet.card(title, texts.joined(figures.card.repo, *counted, seen))
    _draw_key(sheet)
    for place, (name, own) in enumerate(panels[:MOST_PANELS]):
        _draw_panel(sheet, TOP + KEY + height * place, name, own, versions)
    left = (
        texts.left_out(older, "older version"),
        texts.left_out(series - count, "more panel"),
    )
    sheet.foot(
        texts.joined(*left)
        or "n: eval cases with a score; versions with different ones differ for that, too"
    )
    return sheet


def group_points(points: Sequence[VersionPoint]) -> list[tuple[str, list[VersionPoint]]]:
    """Points by their series, each with a name; the series that was measured last first."""
    own: dict[str, list[VersionPoint]] = defaultdict(list)
    for one in points:
        own[one.series].append(one)
    series = sorted(own.values(), key=_ended, reverse=True)
    return [(_name(one[-1], [other[-1] for other in series]), one) for one in series]


def _ended(series: Sequence[VersionPoint]) -> float:
    return max((one.ended_at.timestamp() for one in series if one.ended_at), default=0.0)


def _name(point: VersionPoint, others: Sequence[VersionPoint]) -> str:
    """The model, and whatever of the conditions tells its series from others of that model."""
    same = [one for one in others if one.model == point.model]
    parts = {
        "in {}": {one.launcher for one in same},
        "{}": {one.mode for one in same},
        "environment {}": {one.environment[:7] for one in same},
        "snapshot {}": {one.served for one in same},
        "judge {}": {one.judge for one in same},
        "prompt {}": {one.judge_prompt[:7] for one in same},
    }
    mine = (
        *(point.launcher, point.mode, point.environment[:7], point.served, point.judge),
        point.judge_prompt[:7],
    )
    told = [
        say.format(texts.shown(value) or "none")
        for (say, values), value in zip(parts.items(), mine, strict=True)
        if len(values) > 1
    ]
    return ", ".join([point.model, *told])


def _draw_key(sheet: Sheet) -> None:
    palette, y = sheet.palette, TOP + 14
    x = key(sheet, 24, y, "with skill", color=palette.good, linewidth=2.5, marker="o")
    x = key(
        sheet, x, y, "without", color=palette.bad, linewidth=2, linestyle=(0, (3, 2)), marker="s",
        markerfacecolor=palette.paper,
    )  # fmt: skip
    sheet.box(x, y - 11, 26, 13, facecolor=palette.good, alpha=0.22)
    sheet.text(x + 34, y, "interval of the difference")


def _draw_panel(
    sheet: Sheet, top: float, name: str, points: Sequence[VersionPoint], versions: Sequence[Version]
) -> None:
    palette = sheet.palette
    axes = sheet.axes(LEFT, top + NAME, axis_width(sheet), PANEL)
    scale_versions(axes, versions)
    scale_percent(axes)
    both = [one for one in points if one.whiskers.low is not None]
    low = line_of(((one.sha, _from(one, one.whiskers.low)) for one in both), versions)
    high = line_of(((one.sha, _from(one, one.whiskers.high)) for one in both), versions)
    axes.fill_between(low.places, low.values, high.values, color=palette.good, alpha=0.16, lw=0)
    axes.vlines(low.places, low.values, high.values, color=palette.good, alpha=0.4, lw=4)
    lacking = line_of(((one.sha, one.without_skill) for one in points), versions)
    axes.plot(
        *lacking, "s", color=palette.bad, linewidth=2, linestyle=(0, (3, 2)), markersize=7,
        markerfacecolor=palette.paper, markeredgewidth=1.8, clip_on=False,
    )  # fmt: skip
    having = line_of(((one.sha, one.with_skill) for one in points), versions)
    axes.plot(
        *having, "o", color=palette.good, linewidth=2.5, linestyle="-", markersize=8,
        clip_on=False,
    )  # fmt: skip
    _say_newest(sheet, top, name, points[-1])
    below = top + NAME + PANEL
    places = {one.sha: place for place, one in enumerate(versions)}
    for one in points:
        x, said = place_of(sheet, places[one.sha], len(versions)), f"n={one.evals}"
        sheet.text(x, below + 15, said, size=TINY, color=palette.soft, across="center")
    label_versions(sheet, versions, below + COUNTS)


def _from(point: VersionPoint, step: float | None) -> float | None:
    return None if step is None else min(1.0, max(0.0, point.without_skill + step))


def _say_newest(sheet: Sheet, top: float, name: str, last: VersionPoint) -> None:
    """The model at the left, what its newest version shows at the right."""
    right = sheet.width - 24
    difference = texts.points(last.whiskers.difference)
    said = texts.joined(f"{difference}, {last.word}", f"n={last.evals}")
    sheet.text(right, top + 14, said, size=SMALL, color=sheet.palette.soft, across="right")
    room = right - 24 - sheet.wide(said, SMALL) - 16
    sheet.text(24, top + 14, name, size=LABEL, weight="bold", room=room)
