"""Colours of the charts, light and dark, that the colour-blind tell apart.

They are Okabe and Ito's blue and vermilion, with tints of them; whatever they mean is said by a
word, a sign or a shape besides. Backgrounds and inks are GitHub's.
"""

from dataclasses import dataclass

from jobs.dashboard.addresses import Theme


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme."""

    paper: str
    ink: str
    soft: str
    """Of what is said beside; 4.5 to 1 against the paper."""
    line: str
    grid: str
    good: str
    bad: str
    neutral: str
    badge_name: str
    badge_good: str
    badge_bad: str
    badge_neutral: str
    lines: tuple[str, ...]
    """Of models that stand in one picture."""
    diverging: tuple[str, ...]
    """From -100 points over 0 to +100."""


LIGHT = Palette(
    paper="#ffffff",
    ink="#1b1f24",
    soft="#57606a",
    line="#d0d7de",
    grid="#eaeef2",
    good="#0068a8",
    bad="#b84a00",
    neutral="#57606a",
    badge_name="#3d444d",
    badge_good="#0068a8",
    badge_bad="#a84300",
    badge_neutral="#656d76",
    lines=("#0068a8", "#b84a00", "#00795a", "#a2477c"),
    diverging=("#9e3d00", "#d9823f", "#f6cfae", "#f6f8fa", "#b5d9f0", "#4c9fd3", "#00568c"),
)
DARK = Palette(
    paper="#0d1117",
    ink="#e6edf3",
    soft="#9aa4af",
    line="#30363d",
    grid="#1f252d",
    good="#5ab4ee",
    bad="#f0904d",
    neutral="#9aa4af",
    badge_name="#30363d",
    badge_good="#0068a8",
    badge_bad="#a84300",
    badge_neutral="#656d76",
    lines=("#5ab4ee", "#f0904d", "#2fc49a", "#e08fbd"),
    diverging=("#ffb380", "#d9731f", "#7a3d12", "#21262d", "#124a70", "#2484c2", "#8fd0fb"),
)


def palette_of(theme: Theme) -> Palette:
    return DARK if theme == "dark" else LIGHT
