"""Eval cases by models: the difference in each cell, as a number and as a colour around 0."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.colors import LinearSegmentedColormap, to_rgb

from bot.charts import texts
from bot.charts.canvas import LABEL, SIDE, SMALL, TOP, Sheet
from bot.charts.plain import empty_sheet
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import HeatCell, SkillFigures
from jobs.reporting import numbers

MOST_ROWS, MOST_MODELS = 30, 6
NAMES = 158.0
HEAD = 44.0
ROW = 34.0
GAP = 3.0
WIDEST = 200.0
FULL = 0.6
"""From this difference on a colour is as strong as it gets; the number tells the rest."""


class _Grid(NamedTuple):
    """What has room, and what has none."""

    evals: list[str]
    models: list[str]
    cells: dict[tuple[str, str], HeatCell]
    more_evals: int
    more_models: int


def draw_heat(figures: SkillFigures, theme: Theme) -> Sheet:
    """The latest difference of each eval case on each model."""
    title = f"Eval cases by models: {figures.card.name}"
    if not figures.cells:
        return empty_sheet(title, figures.card.repo, "No eval case was measured yet", theme)
    grid = _arrange(figures.cells)
    sheet = Sheet(TOP + HEAD + ROW * len(grid.evals) + 64, theme)
    counted = (
        numbers.plural(len(grid.evals) + grid.more_evals, "eval case"),
        numbers.plural(len(grid.models) + grid.more_models, "model"),
    )
    seen = "" if figures.card.ended_at is None else texts.day(figures.card.ended_at)
    said = texts.joined(figures.card.repo, "points with the skill minus without", *counted, seen)
    sheet.card(title, said)
    wide = min(WIDEST, (sheet.width - 2 * SIDE - NAMES) / len(grid.models))
    for place, model in enumerate(grid.models):
        _write_model(sheet, model, SIDE + NAMES + wide * (place + 0.5), wide)
    for row, eval_id in enumerate(grid.evals):
        y = TOP + HEAD + ROW * row
        name = _shorten(sheet, texts.own_name(eval_id, figures.card.skill))
        sheet.text(SIDE, y + 22, name, size=SMALL + 1)
        for column, model in enumerate(grid.models):
            cell = grid.cells.get((eval_id, model))
            _draw_cell(sheet, SIDE + NAMES + wide * column, y, wide, cell)
    _draw_foot(sheet, grid)
    return sheet


def _arrange(cells: Sequence[HeatCell]) -> _Grid:
    """Models that were measured most come first, and eval cases in the order of their names."""
    by_place = {(one.eval_id, one.model): one for one in cells}
    often: dict[str, int] = {}
    for _, model in by_place:
        often[model] = often.get(model, 0) + 1
    models = sorted(often, key=lambda name: (-often[name], name))
    evals = sorted({name for name, _ in by_place}, key=_natural)
    return _Grid(
        evals[:MOST_ROWS],
        models[:MOST_MODELS],
        by_place,
        max(0, len(evals) - MOST_ROWS),
        max(0, len(models) - MOST_MODELS),
    )


def _shorten(sheet: Sheet, name: str) -> str:
    """A name without its middle where it is too long, since names often differ at their ends."""
    whole = texts.shown(name)

    def cut(kept: int) -> str:
        return f"{whole[: kept // 2]}…{whole[len(whole) - kept + kept // 2 :]}"

    room, size = NAMES - 12, SMALL + 1
    if sheet.wide(whole, size) <= room:
        return whole
    counts = range(len(whole))
    return cut(bisect_right(counts, room, lo=1, key=lambda kept: sheet.wide(cut(kept), size)) - 1)


def _natural(name: str) -> tuple[str, int, str]:
    """`github-issue-9` before `github-issue-10`."""
    head = name.rstrip("0123456789")
    digits = name[len(head) :][:18]
    return (head, int(digits) if digits.isascii() and digits else 0, name)


def _write_model(sheet: Sheet, model: str, middle: float, wide: float) -> None:
    """A model's name in up to two lines, broken at a joint."""
    room, name = wide - 6, texts.shown(model)
    soft = sheet.palette.soft
    if sheet.wide(name, SMALL) <= room:
        sheet.text(middle, TOP + 30, name, size=SMALL, color=soft, across="center")
        return
    joints = [at + 1 for at, sign in enumerate(name) if sign in "-_/. :"]
    fitting = [at for at in joints if sheet.wide(name[:at], SMALL) <= room]
    at = fitting[-1] if fitting else max(1, len(sheet.fit(name, SMALL, "normal", room)) - 1)
    for y, part in ((TOP + 16, name[:at]), (TOP + 31, name[at:])):
        sheet.text(middle, y, part, size=SMALL, color=soft, across="center", room=room)


def _draw_cell(sheet: Sheet, x: float, y: float, wide: float, cell: HeatCell | None) -> None:
    palette = sheet.palette
    place = (x + GAP / 2, y + GAP / 2, wide - GAP, ROW - GAP)
    middle = x + wide / 2
    if cell is None:
        sheet.box(*place, facecolor="none", edgecolor=palette.grid, linewidth=1)
        return
    if cell.difference is None:
        sheet.box(*place, facecolor="none", edgecolor=palette.line, linewidth=1)
        said = "no score" if wide > 62 else "-"
        sheet.text(middle, y + 21, said, size=SMALL, color=palette.soft, across="center")
        return
    colours = LinearSegmentedColormap.from_list("difference", palette.diverging)
    colour = colours(0.5 + max(-FULL, min(FULL, cell.difference)) / FULL / 2)
    ink = "#ffffff" if _is_dark(colour) else "#11151a"
    hatch: dict[str, Any] = {"edgecolor": palette.line, "linewidth": 0.8}
    if cell.is_stale:
        hatch = {"hatch": "////", "edgecolor": palette.soft}
    sheet.box(*place, facecolor=colour, **hatch)
    said = texts.signed(cell.difference)
    if cell.is_stale:  # the number stands on a plain ground
        half = sheet.wide(said, LABEL, "bold") / 2 + 5
        sheet.box(middle - half, y + 6, 2 * half, ROW - 12, facecolor=colour, zorder=-0.5)
    sheet.text(middle, y + 22, said, weight="bold", color=ink, across="center")


def _is_dark(colour: tuple[float, float, float, float]) -> bool:
    """Whether white is read better on it than black, by WCAG's contrast."""
    parts = [
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in to_rgb(colour)
    ]
    bright = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return bright < 0.18


def _draw_foot(sheet: Sheet, grid: _Grid) -> None:
    left = texts.joined(
        texts.left_out(grid.more_evals, "more eval case"),
        texts.left_out(grid.more_models, "more model"),
    )
    stale = any(one.is_stale for one in grid.cells.values())
    y = sheet.height - 17
    x = SIDE
    if stale:
        sheet.box(x, y - 11, 22, 14, facecolor=sheet.palette.grid, hatch="////",
                  edgecolor=sheet.palette.soft)  # fmt: skip
        sheet.text(x + 30, y, "of an earlier version", size=SMALL, color=sheet.palette.soft)
        x += 30 + sheet.wide("of an earlier version", SMALL) + 20
    rest = left or "Blank: not measured on that model"
    sheet.text(x, y, rest, size=SMALL, color=sheet.palette.soft, room=sheet.width - SIDE - x)
