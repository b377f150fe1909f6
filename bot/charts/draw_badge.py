"""A badge for a README: a skill's newest difference in a line."""

from bot.charts import texts
from bot.charts.canvas import Sheet
from jobs.dashboard.addresses import Theme
from jobs.dashboard.values import SkillCard

HEIGHT = 20.0
SIZE = 11.0
PAD = 7.0
FONTS = 'Verdana, Geneva, "DejaVu Sans", sans-serif'
"""Letters as wide as those that the badge was measured with."""
NAME = "skillbench"


def draw_badge(card: SkillCard, theme: Theme) -> Sheet:
    """`skillbench | +18 pts with skill (n=5)`; a dash of words where nothing is shown."""
    said = texts.say_card(card)
    measured = Sheet(HEIGHT, theme)
    name, words = (measured.wide(text, SIZE) + 2 * PAD for text in (NAME, said))
    width = float(round(name + words))
    sheet = Sheet(HEIGHT, theme, width=width)
    sheet.title = f"{NAME}: {said}"
    palette = sheet.palette
    word = card.latest.word if card.latest else ""
    colour = {"helps": palette.badge_good, "hurts": palette.badge_bad}.get(
        word, palette.badge_neutral
    )
    sheet.rounded(0, 0, width, HEIGHT, corner=3, facecolor=colour)
    sheet.rounded(0, 0, name, HEIGHT, corner=3, facecolor=palette.badge_name)
    sheet.box(name - 4, 0, 4, HEIGHT, facecolor=palette.badge_name)
    sheet.box(name, 0, 4, HEIGHT, facecolor=colour)
    for left, text in ((PAD, NAME), (name + PAD, said)):
        sheet.text(left, 14, text, size=SIZE, color="#ffffff")
    return sheet
