"""A sheet to draw on: a card with a title, and room for axes, written as SVG or PNG.

Lengths are units of a sheet 600 wide, from its upper left corner, so that what is shown at 720
pixels can still be read on a phone. Drawing happens in a process of its own (`Aside`), one
picture after another; matplotlib's settings are those of the library, whatever stands in files.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Affine2D

from bot.charts.texts import shown
from bot.charts.theme import Palette, palette_of
from jobs.dashboard.addresses import Theme

WIDTH = 600.0
SIDE = 24.0
"""Room at both sides."""
TOP = 82.0
"""Where what is below the title begins."""
TITLE, LABEL, SMALL, TINY = 19.0, 14.0, 12.0, 10.5
"""Sizes of letters."""
DPI = 72
"""So that a unit is a point in an SVG and a pixel when texts are measured."""
Across = Literal["left", "center", "right"]
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "WenQuanYi Micro Hei", "Droid Sans Fallback",
    "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari",
)  # fmt: skip
"""For scripts that DejaVu, which comes with matplotlib, does not have."""


class Sheet:
    """One picture under way."""

    def __init__(self, height: float, theme: Theme, *, width: float = WIDTH) -> None:
        self.width, self.height = width, height
        self.palette: Palette = palette_of(theme)
        self.figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
        self.figure.patch.set_alpha(0)
        self.title = ""
        """What it shows, for those who do not see it."""
        flip = Affine2D().scale(1 / width, -1 / height).translate(0, 1)
        self._units = flip + self.figure.transFigure
        agg = FigureCanvasAgg(self.figure)
        self._renderer = agg.get_renderer()  # type: ignore[no-untyped-call]

    def card(self, title: str, subtitle: str) -> None:
        """The background, and what stands at the top."""
        self.title = shown(title)
        self.rounded(
            1, 1, self.width - 2, self.height - 2, corner=10, facecolor=self.palette.paper,
            edgecolor=self.palette.line, linewidth=1,
        )  # fmt: skip
        room = self.width - 2 * SIDE
        self.text(SIDE, 37, title, size=TITLE, weight="bold", room=room)
        self.text(SIDE, 59, subtitle, size=SMALL, color=self.palette.soft, room=room)

    def foot(self, note: str) -> None:
        """What must be known besides, at the bottom."""
        y = self.height - 17
        self.text(SIDE, y, note, size=SMALL, color=self.palette.soft, room=self.width - 2 * SIDE)

    def text(  # noqa: PLR0913 -- where, what, and how it looks, each by its name
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = LABEL,
        color: str = "",
        weight: str = "normal",
        across: Across = "left",
        room: float = 0,
    ) -> None:
        """A line of text on the base line `y`; cut where it has more than `room`."""
        said = self.fit(text, size, weight, room) if room else shown(text)
        self.figure.add_artist(
            Text(
                x, y, said, fontsize=size, color=color or self.palette.ink, fontweight=weight,
                ha=across, va="baseline", transform=self._units,
            )
        )  # fmt: skip

    def fit(self, text: str, size: float, weight: str, room: float) -> str:
        """As much of a text as has room, with an ellipsis where it was cut."""
        said = shown(text)
        if self.wide(said, size, weight) <= room:
            return said
        fits, most = 0, len(said) - 1
        while fits < most:
            half = (fits + most + 1) // 2
            if self.wide(f"{said[:half].rstrip()}…", size, weight) <= room:
                fits = half
            else:
                most = half - 1
        return f"{said[:fits].rstrip()}…"

    def wide(self, text: str, size: float, weight: str = "normal") -> float:
        """How much room a line of text takes."""
        if not text:
            return 0.0
        line = Text(0, 0, text, fontsize=size, fontweight=weight, figure=self.figure)
        return float(line.get_window_extent(self._renderer).width)

    def line(self, left: float, y: float, width: float, **style: Any) -> None:
        """A horizontal line with, where `style` names one, a marker in its middle."""
        places = (left, left + width / 2, left + width)
        artist = Line2D(places, (y, y, y), transform=self._units, markevery=[1], **style)
        self.figure.add_artist(artist)

    def rounded(
        self, x: float, y: float, width: float, height: float, *, corner: float, **style: Any
    ) -> None:
        """A box with round corners, behind everything else."""
        within = (width - 2 * corner, height - 2 * corner)
        shape = f"round,pad={corner}"
        self.figure.add_artist(
            FancyBboxPatch(
                (x + corner, y + corner), *within, boxstyle=shape, transform=self._units,
                zorder=-2, **({"linewidth": 0} | style),
            )
        )  # fmt: skip

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """A box, by its upper left corner."""
        shape = Rectangle(
            (x, y), width, height, transform=self._units, **({"linewidth": 0, "zorder": -1} | style)
        )
        self.figure.add_artist(shape)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes without a frame, with a quiet grid across."""
        below = self.height - top - height
        axes = self.figure.add_axes(
            (left / self.width, below / self.height, width / self.width, height / self.height)
        )
        axes.set_facecolor("none")
        for spine in axes.spines.values():
            spine.set_visible(False)
        axes.grid(visible=True, color=self.palette.grid, linewidth=1)
        axes.set_axisbelow(True)
        axes.tick_params(
            length=0, labelsize=SMALL, labelcolor=self.palette.soft, colors=self.palette.soft
        )
        return axes


@contextmanager
def quiet_drawing() -> Iterator[None]:
    """Settings under which equal values give equal pictures and names are no formulas.

    A script that no font has is drawn as boxes, and nothing is logged of it.
    """
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mpl.rcdefaults()
        mpl.rcParams.update(
            {
                "font.family": list(_families()),
                "text.parse_math": False,
                "axes.unicode_minus": True,
                "svg.fonttype": "none",
                "svg.hashsalt": "skillbench",
                "hatch.linewidth": 1.0,
                "lines.solid_capstyle": "round",
            }
        )
        yield


@cache
def _families() -> tuple[str, ...]:
    """The fonts that are there; one that is not would be complained of with each text."""
    there = {font.name for font in font_manager.fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in there))
