"""What a kind of input is, and how a thousand of its mutants are tried and measured.

A kind's `read` swallows the errors that its subject names and lets every other one out: that
one is a finding. Each kind runs in a process of its own, so that its memory is its own, with
an alarm for the input that takes too long and a cap on memory for the one that takes too much.
"""

import contextlib
import faulthandler
import hashlib
import random
import resource
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tools.fuzz.mutate import Mutator

LONGEST_S = 10.0
"""No single input may take more of a processor; what people write is read in milliseconds."""
LONGEST_WAIT_S = 90.0
"""Nor may one wait that long for anything, on a machine that others use too."""
MOST_MEMORY = 3 * 1024**3
"""Bytes of address space, the libraries' own included."""
MOST_FINDINGS = 5
KEPT_BYTES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of input and its reader."""

    name: str
    seeds: Sequence[bytes]
    read: Callable[[bytes], object]
    """Raises what is a finding; what it gives is counted."""
    prepare: Callable[[], None] = lambda: None
    """Done once before the first input."""
    pieces: Sequence[bytes] = ()
    share: float = 0.1
    """How many inputs, as a share of the whole number asked for."""
    largest: int = 65_536
    """Bytes of an input at most: what the way it comes by lets through."""
    grows: bool = True
    """Whether inputs of growing size are tried for the time they take."""


@dataclass(slots=True)
class Figures:
    """What became of one kind's inputs."""

    name: str
    inputs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest_s: float = 0.0
    """Of a processor."""
    slowest: str = ""
    """Size and digest of the input that took longest."""
    total_s: float = 0.0
    memory_mb: int = 0
    """The most that the process held, less what it held before the first input."""
    findings: list[str] = field(default_factory=list)


class TookTooLong(BaseException):
    """Raised by the alarm, past every `except Exception`."""


def run_kind(kind: Kind, count: int, seed: int) -> Figures:
    """Try mutants of a kind; findings are tracebacks with the input that led to them."""
    rng = random.Random(f"{seed}:{kind.name}")  # noqa: S311 -- to be the same again
    mutator = Mutator(kind.seeds, kind.pieces, rng, kind.largest)
    figures = Figures(kind.name)
    kind.prepare()
    before = peak_kb()
    for number in range(count):
        content = kind.seeds[number] if number < len(kind.seeds) else mutator.next()
        try_input(kind, content, figures)
        if len(figures.findings) >= MOST_FINDINGS:
            break
    figures.memory_mb = (peak_kb() - before) // 1024
    return figures


def try_input(kind: Kind, content: bytes, figures: Figures) -> None:
    """Give one input to the kind's reader and note what became of it."""
    began = time.process_time()
    try:
        with alarm(LONGEST_S):
            outcome = kind.read(content)
    except (Exception, TookTooLong) as error:  # noqa: BLE001 -- this is what is looked for
        outcome = f"!{type(error).__name__}"
        figures.findings.append(_describe(kind, content, error))
    took = time.process_time() - began
    figures.inputs += 1
    figures.total_s += took
    figures.outcomes[str(outcome)] += 1
    if took > figures.slowest_s:
        figures.slowest_s, figures.slowest = took, f"{len(content):,} bytes {digest(content)}"


@contextlib.contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raises `TookTooLong` in the block after that many seconds of work, or far more of waiting."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_WAIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def ring(_: int, __: FrameType | None) -> None:
    raise TookTooLong


def prepare_process() -> None:
    """An alarm, a cap on memory, and a trace of a crash in C."""
    faulthandler.enable()
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, ring)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _describe(kind: Kind, content: bytes, error: BaseException) -> str:
    folder = Path(".fuzz")
    folder.mkdir(exist_ok=True)
    place = folder / f"{kind.name.replace(' ', '-')}-{digest(content)}"
    place.write_bytes(content)
    trace = "".join(traceback.format_exception(error)[-6:])
    return f"{kind.name}: {place} {content[:KEPT_BYTES]!r}\n{trace[-3_000:]}"


def peak_kb(process: int | str = "self") -> int:
    """The most memory that a process has held at a time; this one, unless another is named.

    What `getrusage` tells outlives an exec, and so would be the parent's.
    """
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
