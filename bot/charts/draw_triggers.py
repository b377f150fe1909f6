"""Precision and recall of a skill's description over its versions, a panel for each model."""

from collections import defaultdict
from collections.abc import Sequence

from bot.charts import texts
from bot.charts.canvas import LABEL, SMALL, TOP, Sheet
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
    scale_percent,
    scale_versions,
    visible,
)
from bot.charts.plain import empty_sheet
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import SkillFigures, TriggerPoint
from jobs.reporting import numbers

MOST_PANELS = 4
PANEL, NAME, GAP = 132.0, 30.0, 16.0
KEY = 34.0


def draw_triggers(figures: SkillFigures, theme: Theme) -> Sheet:
    """Whether agents use the skill when they should, and only then."""
    title, points = f"When it triggers: {figures.card.name}", figures.triggers
    if not points:
        says = "Its description has not been measured yet"
        return empty_sheet(title, figures.card.repo, says, theme)
    every = order_versions((one.sha, one.ended_at) for one in points)
    versions, older = newest_of(every)
    panels = _group(visible(points, versions))
    series = len({(one.model, one.launcher, one.eval_set) for one in points})
    count = min(len(panels), MOST_PANELS)
    height = NAME + PANEL + AXIS + GAP
    sheet = Sheet(TOP + KEY + height * count + 32, theme)
    counted = (numbers.plural(len(every), "version"), numbers.plural(len(points), "measurement"))
    seen = texts.newest(one.ended_at for one in points)
    sheet.card(title, texts.joined(figures.card.repo, *counted, seen))
    palette, y = sheet.palette, TOP + 14
    x = key(sheet, 24, y, "recall: used when it should be", color=palette.good, linewidth=2.5,
            marker="o")  # fmt: skip
    key(sheet, x, y, "precision: only then", color=palette.bad, linewidth=2,
        linestyle=(0, (3, 2)), marker="s", markerfacecolor=palette.paper)  # fmt: skip
    for place, (name, own) in enumerate(panels[:MOST_PANELS]):
        _draw_panel(sheet, TOP + KEY + height * place, name, own, versions)
    left = (
        texts.left_out(older, "older version"),
        texts.left_out(series - count, "more panel"),
    )
    sheet.foot(texts.joined(*left) or "n: queries of the newest measurement shown")
    return sheet


def _group(points: Sequence[TriggerPoint]) -> list[tuple[str, list[TriggerPoint]]]:
    """By model, launcher and eval set, oldest first; what was measured last comes first."""
    own: dict[tuple[str, str, str], list[TriggerPoint]] = defaultdict(list)
    for one in points:
        own[one.model, one.launcher, one.eval_set].append(one)
    sets = len({one.eval_set for one in points})
    groups = sorted(own.items(), key=lambda group: _ended(group[1]), reverse=True)
    return [
        (f"{model} in {launcher}" + (f", queries {queries[:7]}" if sets > 1 else ""), found)
        for (model, launcher, queries), found in groups
    ]


def _ended(points: Sequence[TriggerPoint]) -> float:
    return max((one.ended_at.timestamp() for one in points if one.ended_at), default=0.0)


def _draw_panel(
    sheet: Sheet, top: float, name: str, points: Sequence[TriggerPoint], versions: Sequence[Version]
) -> None:
    palette = sheet.palette
    axes = sheet.axes(LEFT, top + NAME, axis_width(sheet), PANEL)
    scale_versions(axes, versions)
    scale_percent(axes)
    newest = list({one.sha: one for one in points}.values())
    precision = line_of(((one.sha, one.precision) for one in newest), versions)
    recall = line_of(((one.sha, one.recall) for one in newest), versions)
    axes.plot(
        *recall, "o", color=palette.good, linewidth=2.5, linestyle="-", markersize=9,
        clip_on=False,
    )  # fmt: skip
    axes.plot(
        *precision, "s", color=palette.bad, linewidth=2, linestyle=(0, (3, 2)), markersize=6,
        markerfacecolor=palette.paper, markeredgewidth=1.8, clip_on=False,
    )  # fmt: skip
    right = sheet.width - 24
    said = _say(newest[-1])
    sheet.text(right, top + 14, said, size=SMALL, color=palette.soft, across="right")
    room = right - 24 - sheet.wide(said, SMALL) - 16
    sheet.text(24, top + 14, name, size=LABEL, weight="bold", room=room)
    label_versions(sheet, versions, top + NAME + PANEL)


def _say(point: TriggerPoint) -> str:
    figures = [
        f"{name} {'not known' if value is None else f'{value:.0%}'}"
        for name, value in (("recall", point.recall), ("precision", point.precision))
    ]
    return texts.joined(*figures, f"n={point.queries}")
