"""Words on the charts: names of others made fit to be drawn, and figures as they are said."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime

from jobs.dashboard.values import SetFigures, SkillCard, Whiskers
from jobs.reporting import escape, numbers

MINUS = "\N{MINUS SIGN}"
LONGEST_NAME = 200
"""Characters of a name that are looked at; how many are drawn is decided by the room."""
LONGEST_SAID = 60
_UNWRITTEN = re.compile("[\ufffe\uffff\U0001fffe\U0001ffff\t\n]")
"""What no XML can hold, or no line."""


def shown(text: str) -> str:
    """A name on one line, in which nothing hides, turns others or cannot be written."""
    flat = " ".join(escape.clean(text[: 2 * LONGEST_NAME]).split())
    return escape.clip(_UNWRITTEN.sub(lambda one: f"⟨U+{ord(one[0]):04X}⟩", flat), LONGEST_NAME)


def brief(text: str) -> str:
    """A name within a sentence."""
    return escape.clip(shown(text), LONGEST_SAID)


def own_name(eval_id: str, skill: str) -> str:
    """An eval case's id without the skill's folder, which stands before those of its own file."""
    return eval_id.removeprefix(f"{skill}#")


def points(difference: float) -> str:
    """`+18 pts`, `0 pts`, with a minus sign below it; under a point with a decimal."""
    return f"{signed(difference)} pts"


def signed(difference: float) -> str:
    """`+18`, `0`: hundredths, with their sign; what is too small for a decimal is still no zero."""
    size = abs(difference) * 100
    if size < 1e-7:
        return "0"
    sign = "+" if difference > 0 else MINUS
    if size < 0.05:
        return f"{sign}<0.1"
    return sign + (f"{size:.0f}" if size >= 1 else f"{size:.1f}".removesuffix(".0"))


def interval(whiskers: Whiskers) -> str:
    """`+5 to +31`; empty where there is none."""
    if whiskers.low is None or whiskers.high is None:
        return ""
    return f"{signed(whiskers.low)} to {signed(whiskers.high)}"


def day(moment: datetime) -> str:
    """`30 Nov 2026`."""
    return f"{moment.astimezone(UTC):%d %b %Y}".lstrip("0")


def newest(moments: Iterable[datetime | None]) -> str:
    """The day of the newest of them; empty where none is known."""
    found = [one for one in moments if one is not None]
    return day(max(found)) if found else ""


def joined(*parts: str) -> str:
    """Half-sentences in a line, without the empty ones."""
    return " · ".join(part for part in parts if part)


def left_out(count: int, noun: str, many: str = "") -> str:
    """`3 more models not shown`: what a picture had no room for; empty for nothing."""
    return f"{numbers.plural(count, noun, many)} not shown" if count > 0 else ""


def say_set(one: SetFigures | None) -> str:
    """A set in a few words, as on a badge: what is claimed, and of how many eval cases."""
    if one is None:
        return "not measured yet"
    if one.word in {"helps", "hurts"}:
        return f"{points(one.whiskers.difference)} with skill (n={one.evals})"
    if one.word == "invalid":
        return "invalid"
    if one.word == "underpowered":
        return f"too few evals to say (n={one.evals})"
    return f"{one.word} (n={one.evals})"


def say_card(card: SkillCard) -> str:
    """A skill in a few words."""
    return say_set(card.latest)
