"""A chart as bytes, of any kind: what the process beside the web process carries out."""

from bot.charts.canvas import Sheet, quiet_drawing
from bot.charts.draw_badge import FONTS, draw_badge
from bot.charts.draw_cost import draw_cost
from bot.charts.draw_difference import draw_sets, draw_skills
from bot.charts.draw_heat import draw_heat
from bot.charts.draw_triggers import draw_triggers
from bot.charts.draw_versions import draw_versions
from bot.charts.subject import Subject, describe
from bot.charts.write import write_sheet
from jobs.dashboard.addresses import Picture, Theme

SHOWN_WIDE = 720.0
"""Pixels that a chart takes by itself; a badge takes what its words take."""
_OF_SKILL = {
    "difference": draw_sets,
    "versions": draw_versions,
    "cost": draw_cost,
    "heat": draw_heat,
    "triggers": draw_triggers,
}


def draw_chart(subject: Subject, theme: Theme, picture: Picture) -> bytes:
    """The picture of a subject; equal ones give equal bytes."""
    with quiet_drawing():
        sheet = _draw(subject, theme)
        if subject.kind == "badge":
            return write_sheet(
                sheet, picture, wide=sheet.width, says=describe(subject), fonts=FONTS
            )
        return write_sheet(sheet, picture, wide=SHOWN_WIDE, says=describe(subject))


def _draw(subject: Subject, theme: Theme) -> Sheet:
    if subject.figures is None:
        return draw_skills(subject.repo, subject.cards, theme)
    if subject.kind == "badge":
        return draw_badge(subject.figures.card, theme)
    return _OF_SKILL[subject.kind](subject.figures, theme)
