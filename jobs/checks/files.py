"""The files that a session left, read with a bound on everything: they may be made to hurt."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MAX_TEXT_BYTES = 20_000_000
MAX_JSON_BYTES = 5_000_000
"""As Python's objects a JSON text takes up to thirty times its size."""
MAX_NAMES = 20_000
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Told:
    """What code can say of a claim: it holds, it does not, or (None) a reader must look."""

    holds: bool | None
    found: str
    """One sentence, without markup; it may repeat a stranger's words."""


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """The collected output of one session."""

    root: Path

    @property
    def is_empty(self) -> bool:
        """Whether the session left nothing at all."""
        return next(self._paths(), None) is None

    def measure(self, path: str) -> int | Told:
        """The size of a file in bytes; or what is to be told, where there is none."""
        with self._opened(path) as file:
            return self._missing(path) if file is None else os.fstat(file).st_size

    def read(self, path: str, limit: int) -> bytes | Told:
        """A file's bytes; or what is to be told instead, where there is none to look at."""
        with self._opened(path) as file:
            if file is None:
                return self._missing(path)
            size = os.fstat(file).st_size
            if size > limit:
                return Told(None, f"{path} has {size:,} bytes, too many to be looked at.")
            with os.fdopen(os.dup(file), "rb") as source:
                return source.read(limit)

    def read_text(self, path: str) -> str | Told:
        """A file's text; told as None where it is none, such as a document of a word processor."""
        content = self.read(path, MAX_TEXT_BYTES)
        if isinstance(content, Told):
            return content
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            return Told(None, f"{path} is no text in UTF-8.")
        return Told(None, f"{path} holds bytes that are no text.") if "\0" in text else text

    @contextmanager
    def _opened(self, path: str) -> Iterator[int | None]:
        """A regular file, by its descriptor; None for all else."""
        try:
            file = os.open(self.root / path, _OPEN)
        except (OSError, ValueError):
            yield None
            return
        try:
            yield file if stat.S_ISREG(os.fstat(file).st_mode) else None
        finally:
            os.close(file)

    def _missing(self, path: str) -> Told:
        """Not there; a reader must decide where a file of that name lies at another place."""
        name = path.rpartition("/")[2].casefold()
        elsewhere = [one for one in self._paths() if one.rpartition("/")[2].casefold() == name]
        if elsewhere:
            return Told(None, f"There is no {path}, but there is {elsewhere[0]}.")
        return Told(holds=False, found=f"There is no file {path}.")

    def _paths(self) -> Iterator[str]:
        left = MAX_NAMES
        for folder, _, names in os.walk(self.root):
            for name in names:
                left -= 1
                if left < 0:
                    return
                yield Path(folder, name).relative_to(self.root).as_posix()
