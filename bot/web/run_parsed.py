"""Results of runs that were read lately: a page and each of its files ask for the same one."""

import hashlib
from collections import OrderedDict
from threading import Lock

from jobs.results import RunResult

MOST_BYTES = 8_000_000
"""Of JSON; once read it takes some ten times as much."""


class ParsedResults:
    """Reads results, the same bytes once. May be called in several threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._known: OrderedDict[bytes, tuple[int, RunResult]] = OrderedDict()
        self._lock = Lock()

    def read(self, stored: bytes) -> RunResult:
        """The result; raises `ValidationError` for one of another version."""
        digest = hashlib.sha256(stored).digest()
        with self._lock:
            if digest in self._known:
                self._known.move_to_end(digest)
                return self._known[digest][1]
        result = RunResult.model_validate_json(stored)
        with self._lock:
            if digest not in self._known and len(stored) <= self._most_bytes:
                self._known[digest] = (len(stored), result)
                self._bytes += len(stored)
            while self._bytes > self._most_bytes:
                _, (size, _) = self._known.popitem(last=False)
                self._bytes -= size
        return result
