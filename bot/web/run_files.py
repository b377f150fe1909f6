"""What both arms left, side by side: which files, how each begins, and what differs in one."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from bot.web.run_bundles import Damaged, SessionFiles
from bot.web.run_changes import Change, find_change
from bot.web.run_reader import FoundRun, RunReader
from bot.web.run_views import HEAD, WHOLE, FileView, Room, read_text, sniff_picture, view_file
from jobs.values import Arm, OutputFile, SessionResult

RESPONSE = "response.md"
_PROSE = frozenset({".md", ".txt", ".rst", ".csv", ".tsv", ".json"})


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file by its name, as each arm left it."""

    path: str
    tested: OutputFile | None
    other: OutputFile | None

    @property
    def state(self) -> Literal["same", "differs", "only one"]:
        if self.tested is None or self.other is None:
            return "only one"
        return "same" if self.tested.sha256 == self.other.sha256 else "differs"

    @property
    def both(self) -> tuple[OutputFile | None, OutputFile | None]:
        return self.tested, self.other


def pair_files(tested: SessionResult | None, other: SessionResult | None) -> list[FilePair]:
    """The files of two sessions by name: the last message, what differs, what reads well."""
    both = [{one.path: one for one in session.outputs} if session else {} for session in
            (tested, other)]  # fmt: skip
    paths = dict.fromkeys(path for files in both for path in files)
    pairs = [FilePair(path, both[0].get(path), both[1].get(path)) for path in paths]
    return sorted(pairs, key=_rank)


def _rank(pair: FilePair) -> tuple[bool, bool, bool, str]:
    is_prose = PurePosixPath(pair.path).suffix.lower() in _PROSE
    return pair.path != RESPONSE, pair.state == "same", not is_prose, pair.path


class FileReader:
    """Reads files of sessions in threads."""

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader

    async def view(
        self, found: FoundRun, trial: int, paths: Iterable[str], room: Room = HEAD
    ) -> dict[tuple[Arm, str], FileView]:
        """How the files of these names look, of both arms; those that cannot be read lack."""
        wanted = list(paths)
        views: dict[tuple[Arm, str], FileView] = {}
        for session in self._sessions(found, trial) if wanted else ():
            try:
                opening = await self._reader.open_files(found, session)
                if opening is None:
                    continue
                seen = await asyncio.to_thread(_view, opening, wanted, room)
            except Damaged as damage:
                said = FileView(kind="none", left_out=f"This cannot be shown: {damage}.")
                seen = dict.fromkeys(wanted, said)
            views |= {(session.arm, path): view for path, view in seen.items()}
        return views

    async def compare(self, found: FoundRun, trial: int, path: str) -> Change | None:
        """What differs in a text that both arms left; None where one is no text, or not there."""
        texts = [await self.text(found, session, path) for session in self._sessions(found, trial)]
        if len(texts) < 2 or texts[0] is None or texts[1] is None:
            return None
        return await self.change(texts[1], texts[0])

    async def change(self, before: str, after: str) -> Change:
        """What differs between two texts."""
        return await asyncio.to_thread(find_change, before, after)

    async def text(self, found: FoundRun, session: SessionResult, path: str) -> str | None:
        """The beginning of a text file; None for what is none, or is not there."""
        try:
            opening = await self._reader.open_files(found, session)
            return await asyncio.to_thread(_read_text, opening, path) if opening else None
        except Damaged:
            return None

    def _sessions(self, found: FoundRun, trial: int) -> Sequence[SessionResult]:
        arms = found.result.spec.arms if found.result else ()
        sessions = (found.find_session(arm, trial) for arm in arms)
        return [one for one in sessions if one is not None]


def _view(
    opening: AbstractContextManager[SessionFiles], paths: Sequence[str], room: Room
) -> Mapping[str, FileView]:
    with opening as files:
        found = {path: file for path in paths if (file := files.find(path)) is not None}
        return {
            path: view_file(path, files.read(file, room.size), file.size_bytes, room)
            for path, file in found.items()
        }


def _read_text(opening: AbstractContextManager[SessionFiles], path: str) -> str | None:
    with opening as files:
        file = files.find(path)
        if file is None:
            return None
        content = files.read(file, WHOLE.size)
    if sniff_picture(content) is not None:
        return None
    return read_text(content, is_whole=len(content) >= file.size_bytes)
