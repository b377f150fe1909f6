"""A session's transcript: JSON lines, one event a line, each on disk as soon as it is written.

A session can talk without end, so the file is capped and long texts in it are cut; the
last event, which says how the session ended, always finds room. Nothing here interprets
what an event says.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import Self

from jobs.conversation import TranscriptEvent, TranscriptSink

MAX_BYTES = 20_000_000
MAX_TEXT = 100_000
"""Characters of one text in an event; a tool's answer is cut well below that already."""
_RESERVED_FOR_END = 8_192


def read_spent(path: Path) -> Decimal:
    """What the requests in a transcript cost, in USD, as far as their price is known. Blocks.

    Of a session that was stopped it is all there is; an answer that was cut off is not in it.
    """
    spent = Decimal(0)
    with suppress(FileNotFoundError), path.open("rb") as lines:
        for line in lines:
            if b'"kind": "usage"' not in line:
                continue
            with suppress(ValueError, TypeError, KeyError, ArithmeticError):
                event = json.loads(line)
                spent += Decimal(event["content"]["cost_usd"] if event["kind"] == "usage" else 0)
    return spent


class JsonlTranscript:
    """Writes events to `path`; whatever stands there already is kept.

    One line is one write to the file, so a crash can cost the last line and no other.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self.truncated = False
        """Whether anything was cut or left out."""
        self._max_bytes = max_bytes
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._size = os.fstat(self._fd).st_size
        if self._size and os.pread(self._fd, 1, self._size - 1) != b"\n":
            self._append(b"\n")

    def write(self, event: TranscriptEvent) -> None:
        """Write one event; past the cap only the event `end` is still taken."""
        content = self._cut(event.content)
        line = self._render(event, content)
        is_end = event.kind == "end"
        room = self._max_bytes - self._size - (0 if is_end else _RESERVED_FOR_END)
        if len(line) > room:
            self.truncated = True
            if not is_end:
                return
            line = self._render(event, {"cut": True})
        self._append(line)

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _cut(self, value: object) -> object:
        match value:
            case str() if len(value) > MAX_TEXT:
                self.truncated = True
                return f"{value[:MAX_TEXT]} […{len(value) - MAX_TEXT} characters left out]"
            case dict():
                return {str(key): self._cut(item) for key, item in value.items()}
            case list() | tuple():
                return [self._cut(item) for item in value]
        return value

    @staticmethod
    def _render(event: TranscriptEvent, content: object) -> bytes:
        fields = {"at": event.at.isoformat(), "kind": event.kind, "content": content}
        # ASCII escapes let lone surrogates from a model or a file name through
        return json.dumps(fields, default=str).encode("ascii") + b"\n"

    def _append(self, line: bytes) -> None:
        self._size += os.write(self._fd, line)


@dataclass(frozen=True, slots=True)
class Overheard:
    """A sink whose events somebody counts along, each once it is written."""

    sink: TranscriptSink
    heard: Callable[[TranscriptEvent], None]
    """Raises nothing, and waits for nothing."""

    def write(self, event: TranscriptEvent) -> None:
        self.sink.write(event)
        self.heard(event)
