"""How figures are written in everything people read: the same way, and no finer than they are.

It formats; it computes no result and never turns a missing figure into zero.
"""

from decimal import Decimal

UNKNOWN = "unknown"


def percent(fraction: float) -> str:
    """`0.8333` as `83.3%`, whole percentages without a decimal."""
    return f"{_short(fraction * 100, 1)}%"


def points(difference: float) -> str:
    """A difference of two fractions in percentage points, unsigned: `33.3 points`.

    A difference too small to show is still told from none.
    """
    size = abs(difference) * 100
    if 0 < size < 0.05:
        return "under 0.1 points"
    shown = _short(size, 1)
    return f"{shown} point" if shown == "1" else f"{shown} points"


def signed_points(difference: float) -> str:
    """`+33.3 points`, `-5 points` or `0 points`."""
    if abs(difference) < 1e-9:
        return "0 points"
    return ("+" if difference > 0 else "-") + points(difference)


def more_often(difference: float) -> str:
    """`67 points more often than`, `as often as`: rounded, for the interval is far wider."""
    size = round(abs(difference) * 100)
    if not size:
        return "as often as"
    return f"{plural(size, 'point')} {'more' if difference > 0 else 'less'} often than"


def signed_whole(difference: float) -> str:
    """An end of such an interval: `+14`, `0`, or below it with a minus sign."""
    rounded = round(difference * 100)
    return f"{rounded:+d}".replace("-", "\N{MINUS SIGN}") if rounded else "0"


def count(value: float) -> str:
    """A count that may hold halves or quarters, being an average: `2`, `2.5`, `2.25`."""
    return _short(value, 2)


def plural(number: int, noun: str, many: str = "") -> str:
    """`1 run`, `2 runs`; `many` where an added `s` is wrong."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def duration(seconds: float) -> str:
    """`0.4 s`, `48 s`, `2 min 55 s`, `1 h 3 min`."""
    if seconds < 10:
        return f"{_short(max(seconds, 0.0), 1)} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def tokens(number: int) -> str:
    """`950`, `11.5k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    if number < 999_950:
        return f"{_short(number / 1_000, 1)}k"
    return f"{_short(number / 1_000_000, 1)}M"


def usd(amount: Decimal | None) -> str:
    """`$0.10`; `under $0.01` where rounding would say nothing was paid; `unknown` for None."""
    if amount is None:
        return UNKNOWN
    if 0 < amount < Decimal("0.01"):
        return "under $0.01"
    return f"${amount:,.2f}"


def file_size(number: int) -> str:
    """`812 bytes`, `4.2 kB`, `1.1 MB`, in powers of ten."""
    if number < 1_000:
        return plural(number, "byte")
    if number < 999_950:
        return f"{_short(number / 1_000, 1)} kB"
    return f"{_short(number / 1_000_000, 1)} MB"


def _short(value: float, digits: int) -> str:
    """Rounded, without trailing zeros, and never `-0`."""
    text = f"{value:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
