"""Results of runs that were read lately: a page and each of its files ask for the same one."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
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
        return self.get(digest, lambda: (len(stored), RunResult.model_validate_json(stored)))

    def get(self, name: bytes, make: Callable[[], tuple[int, RunResult]]) -> RunResult:
        """What is known under a name that nothing else ever has; else what `make` gives, with the
        size of its JSON.
        """
        with self._lock:
            if name in self._known:
                self._known.move_to_end(name)
                return self._known[name][1]
        size, result = make()
        with self._lock:
            if name not in self._known and size <= self._most_bytes:
                self._known[name] = (size, result)
                self._bytes += size
            while self._bytes > self._most_bytes:
                _, (oldest, _) = self._known.popitem(last=False)
                self._bytes -= oldest
        return result
