"""Differences as dots with whiskers: one skill a row, or the sets of one skill."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from bot.charts import texts
from bot.charts.canvas import SIDE, SMALL, TOP, Sheet
from bot.charts.plain import empty_sheet
from bot.charts.theme import Palette
from jobs.conclusions.verdict import SetWord
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import SetFigures, SkillCard, SkillFigures
from jobs.reporting import numbers

MOST_ROWS = 20
ROW = 46.0
NAMES, WORDS = 170.0, 156.0
"""Room for what stands at the left and at the right of the dots."""
AXIS = 54.0
_MARKERS = {"helps": "o", "hurts": "D", "no difference shown": "o", "underpowered": "s",
            "invalid": "X"}  # fmt: skip
_FILLED = frozenset({"helps", "hurts", "invalid"})


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the picture."""

    name: str
    beside: str
    """Below the name, quietly."""
    found: SetFigures


@dataclass(frozen=True, slots=True)
class _Head:
    """What a picture says it shows."""

    title: str
    repo: str
    noun: str
    """Of its rows."""
    lacks: str
    """What has none."""


def draw_skills(repo: str, cards: Sequence[SkillCard], theme: Theme) -> Sheet:
    """What each skill of a repository changes, by its newest set; the best first."""
    told = [(card, card.latest) for card in cards if card.latest is not None]
    rows = [_Row(card.name, latest.model, latest) for card, latest in told]
    unmeasured = len(cards) - len(told)
    lacks = numbers.plural(unmeasured, "skill") + " without a score" if unmeasured else ""
    return _draw(_Head("What each skill changes", repo, "skill", lacks), rows, theme)


def draw_sets(figures: SkillFigures, theme: Theme) -> Sheet:
    """What one skill changes under each set of conditions against no skill."""
    rows = [
        _Row(one.model, texts.joined(one.launcher, one.mode), one)
        for one in figures.sets
        if one.vs == "none"
    ]
    title = f"What the skill changes: {figures.card.name}"
    return _draw(_Head(title, figures.card.repo, "set", ""), rows, theme)


def _draw(head: _Head, rows: Sequence[_Row], theme: Theme) -> Sheet:
    if not rows:
        return empty_sheet(head.title, head.repo, "Nothing has a score yet", theme)
    ordered = sorted(rows, key=lambda row: (-row.found.whiskers.difference, row.name))
    kept = _keep_ends(ordered)
    sheet = Sheet(TOP + ROW * len(kept) + AXIS + 30, theme)
    seen = texts.newest(row.found.ended_at for row in rows)
    counted = numbers.plural(len(rows), head.noun)
    sheet.card(
        head.title, texts.joined(head.repo, "score with the skill minus without", counted, seen)
    )
    axes = sheet.axes(SIDE + NAMES, TOP, sheet.width - 2 * SIDE - NAMES - WORDS, ROW * len(kept))
    _scale(axes, kept, sheet)
    for place, row in enumerate(kept):
        _draw_row(sheet, axes, place, row)
    left = texts.left_out(len(rows) - len(kept), f"more {head.noun}")
    sheet.foot(
        texts.joined(left and f"{left} (the middle ones)", head.lacks) or _whiskers_say(kept)
    )
    return sheet


def _keep_ends(ordered: Sequence[_Row]) -> list[_Row]:
    """The best and the worst where there are too many."""
    if len(ordered) <= MOST_ROWS:
        return list(ordered)
    half = MOST_ROWS // 2
    return [*ordered[:half], *ordered[-half:]]


def _scale(axes: Axes, rows: Sequence[_Row], sheet: Sheet) -> None:
    """The same room on both sides of no difference, as much as the widest whisker needs."""
    ends = [
        abs(end)
        for row in rows
        for end in (row.found.whiskers.difference, row.found.whiskers.low, row.found.whiskers.high)
        if end is not None
    ]
    reach = next((step for step in (0.1, 0.2, 0.3, 0.5) if max(ends) <= step * 0.96), 1.0)
    axes.set_xlim(-reach * 1.06, reach * 1.06)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks([])
    ticks = [-reach, -reach / 2, 0.0, reach / 2, reach]
    axes.set_xticks(ticks, [texts.signed(tick) for tick in ticks])
    axes.axvline(0, color=sheet.palette.soft, linewidth=1.5, zorder=1)
    middle = SIDE + NAMES + (sheet.width - 2 * SIDE - NAMES - WORDS) / 2
    sheet.text(
        middle, TOP + ROW * len(rows) + 36, "points", size=SMALL, color=sheet.palette.soft,
        across="center",
    )  # fmt: skip


def _draw_row(sheet: Sheet, axes: Axes, place: int, row: _Row) -> None:
    palette, found = sheet.palette, row.found
    colour, whiskers = colour_of(found.word, palette), found.whiskers
    y = TOP + ROW * place + ROW / 2
    sheet.text(SIDE, y - 2, row.name, weight="bold", room=NAMES - 12)
    sheet.text(SIDE, y + 15, row.beside, size=SMALL, color=palette.soft, room=NAMES - 12)
    if whiskers.low is not None and whiskers.high is not None:
        axes.plot(
            (whiskers.low, whiskers.high), (place, place), color=colour, linewidth=3, alpha=0.55,
            zorder=2,
        )  # fmt: skip
    axes.plot(
        (whiskers.difference,), (place,), _MARKERS[found.word], color=colour, markersize=11,
        markerfacecolor=colour if found.word in _FILLED else palette.paper, markeredgewidth=2,
        zorder=3, clip_on=False,
    )  # fmt: skip
    left = sheet.width - SIDE - WORDS + 14
    sheet.text(left, y - 2, texts.points(whiskers.difference), weight="bold", color=colour)
    said = f"{short_word(found.word)} (n={found.evals})"
    sheet.text(left, y + 15, said, size=SMALL, color=palette.soft, room=WORDS - 14)


def _whiskers_say(rows: Sequence[_Row]) -> str:
    some = any(row.found.whiskers.low is not None for row in rows)
    return (
        "Lines are intervals of the mean difference; n counts eval cases"
        if some
        else ("n counts eval cases; too few for an interval")
    )


def colour_of(word: SetWord, palette: Palette) -> str:
    return {"helps": palette.good, "hurts": palette.bad}.get(word, palette.neutral)


def short_word(word: SetWord) -> str:
    """A set's word where there is little room."""
    return {"no difference shown": "not shown"}.get(word, word)
