"""Whether four times the input takes four times the time, or sixteen.

Each piece of a kind is repeated to two lengths, alone and in the middle of a seed, and the
ratio of the times is printed where it is steeper than a straight line. Times below a few
milliseconds tell nothing and are passed over. This is for reading, not for CI.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from tools.fuzz.kinds import Kind, TookTooLong, alarm
from tools.fuzz.mutate import NASTY

SHORT, TIMES = 12_000, 4
"""Bytes of the shorter input; the longer one is about what GitHub takes for a comment."""
STRAIGHT = 9.0
"""A ratio above it is steeper than n log n at these lengths: n squared gives 16."""
LEAST_S = 0.1
"""A longer input that is read sooner does no harm, however steep."""
ALARM_S = 20.0


@dataclass(frozen=True, slots=True)
class Grown:
    """One shape of input and how its time grew; an endless time was cut off."""

    kind: str
    shape: str
    short_s: float
    long_s: float

    @property
    def ratio(self) -> float:
        return self.long_s / max(self.short_s, 1e-9)


def find_steep(kind: Kind) -> Iterator[Grown]:
    """The shapes of a kind that take time out of proportion to their length."""
    if not kind.grows:
        return
    seed = kind.seeds[0]
    middle = seed.find(b"\n", len(seed) // 2) + 1 or len(seed) // 2
    pieces = list(dict.fromkeys((*kind.pieces, *NASTY, *PAIRS)))
    for piece in pieces:
        for start, end, place in ((b"", b"", "alone"), (seed[:middle], seed[middle:], "inside")):
            grown = _measure(kind, piece, start, end, place)
            if grown is not None:
                yield grown


PAIRS = (
    b"[a](", b"<a ", b"*a ", b"_a_ ", b"![", b"[[", b"`a", b"a@b ", b"<!-- ", b"- \n", b"1) ",
    b"\n> - ", b"&a", b"](x) ",
    b"| a ", b"a\n", b" \n", b"\t\n", b"a: [", b'{"a":', b'{"a":1},', b'\\"', b"x" * 50, b"0",
    b"a0", b"A ", b"-- ", b"--\n",
)  # fmt: skip
"""Beginnings that a careless search would look for the end of, again and again."""


def _measure(kind: Kind, piece: bytes, start: bytes, end: bytes, place: str) -> Grown | None:
    short, long = (
        start + piece * max(1, length // len(piece)) + end for length in (SHORT, SHORT * TIMES)
    )
    shape = f"{piece[:20]!r} {place}"
    long_s = _time(kind, long)
    if long_s < LEAST_S:
        return None
    short_s = min(_time(kind, short) for _ in range(2))
    if long_s < STRAIGHT * short_s:
        return None
    long_s = min(long_s, _time(kind, long))  # once more: others work on this machine
    if long_s < STRAIGHT * short_s:
        return None
    return Grown(kind.name, shape, short_s, long_s)


def _time(kind: Kind, content: bytes) -> float:
    began = time.process_time()
    try:
        with alarm(ALARM_S):
            kind.read(content)
    except TookTooLong:
        return math.inf
    except Exception:  # noqa: BLE001, S110 -- findings are looked for elsewhere
        pass
    return time.process_time() - began
