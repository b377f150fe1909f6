"""A picture that says in words why there is nothing to draw."""

from bot.charts.canvas import LABEL, Sheet
from jobs.dashboard.addresses import Theme

HEIGHT = 150.0


def empty_sheet(title: str, subtitle: str, says: str, theme: Theme) -> Sheet:
    """A card with a title and one sentence."""
    sheet = Sheet(HEIGHT, theme)
    sheet.card(title, subtitle)
    room = sheet.width - 48
    sheet.text(
        sheet.width / 2, 110, says, size=LABEL, color=sheet.palette.soft, across="center", room=room
    )
    return sheet
