"""What the charts over a skill's versions share: the axis, its labels, lines with gaps."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from matplotlib.axes import Axes

from bot.charts.canvas import LABEL, SIDE, SMALL, Sheet
from jobs.dashboard.values import TriggerPoint, VersionPoint

MOST_VERSIONS = 12
LEFT = SIDE + 44
"""Where the axes begin; at the left of it stand the figures of their lines."""
AXIS = 46.0
"""Room for the names of versions below the axes."""
MOST_LABELS = 6


Point = TypeVar("Point", VersionPoint, TriggerPoint)


class Version(NamedTuple):
    """A version, and when it was first measured."""

    sha: str
    first_at: datetime | None


class Line(NamedTuple):
    """What one line shows: the value at the place of each version that has one."""

    places: tuple[int, ...]
    values: tuple[float, ...]


def order_versions(found: Iterable[tuple[str, datetime | None]]) -> list[Version]:
    """Each version once, by when it was first measured; those of which that is not known first."""
    first: dict[str, datetime | None] = {}
    for sha, at in found:
        known = [one for one in (first.get(sha), at) if one is not None]
        first[sha] = min(known, default=None)
    unknown = datetime.min.replace(tzinfo=UTC)
    return sorted(
        (Version(*one) for one in first.items()), key=lambda one: (one.first_at or unknown, one.sha)
    )


def newest_of(versions: Sequence[Version]) -> tuple[list[Version], int]:
    """Those that have room, and how many older ones have none."""
    return list(versions[-MOST_VERSIONS:]), max(0, len(versions) - MOST_VERSIONS)


def visible(points: Iterable[Point], versions: Sequence[Version]) -> list[Point]:
    """Those of versions that have room."""
    shown = {one.sha for one in versions}
    return [one for one in points if one.sha in shown]


def line_of(points: Iterable[tuple[str, float | None]], versions: Sequence[Version]) -> Line:
    """A line through what was measured; what was not has no point."""
    places = {one.sha: place for place, one in enumerate(versions)}
    known = sorted(
        (places[sha], value) for sha, value in points if sha in places and value is not None
    )
    return Line(tuple(place for place, _ in known), tuple(value for _, value in known))


def scale_versions(axes: Axes, versions: Sequence[Version]) -> None:
    """Equal room for each version, whenever it came."""
    ends = _ends(len(versions))
    axes.set_xlim(-ends, max(len(versions) - 1, 0) + ends)
    axes.set_xticks(range(len(versions)), [""] * len(versions))


def label_versions(sheet: Sheet, versions: Sequence[Version], top: float) -> None:
    """The names and days of the versions below the axes; of many every second or third."""
    every = -(-len(versions) // MOST_LABELS)
    for place, one in enumerate(versions):
        if (len(versions) - 1 - place) % every:
            continue
        x = place_of(sheet, place, len(versions))
        sheet.text(x, top + 16, one.sha[:7], size=SMALL, across="center")
        if one.first_at is not None:
            when = f"{one.first_at.astimezone(UTC):%d %b}".lstrip("0")
            soft = sheet.palette.soft
            sheet.text(x, top + 32, when, size=SMALL, color=soft, across="center")


def place_of(sheet: Sheet, place: int, count: int) -> float:
    """Where a version stands on the sheet."""
    ends = _ends(count)
    return LEFT + axis_width(sheet) * (place + ends) / (max(count - 1, 0) + 2 * ends)


def _ends(count: int) -> float:
    """Room at both ends of the axis, in versions: as much as half a version's name takes."""
    return max(0.35, 0.06 * count)


def axis_width(sheet: Sheet) -> float:
    return sheet.width - LEFT - SIDE


def scale_percent(axes: Axes) -> None:
    """From 0 to 100%."""
    axes.set_ylim(-0.04, 1.04)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "", "50%", "", "100%"])


def key(sheet: Sheet, x: float, y: float, words: str, *, room: float = 0, **style: object) -> float:
    """A bit of a line and what it stands for; gives where the next one may begin."""
    sheet.line(x, y - 5, 26, **style)
    said = sheet.fit(words, LABEL, "normal", room - 34) if room else words
    sheet.text(x + 34, y, said)
    return x + 34 + sheet.wide(said, LABEL) + 22
