"""Unpacks the archive of a commit onto our own disk, where every byte of it is a stranger's.

Nothing is written outside the target, no link is followed while writing, and no member makes
us hold more than a block of it in memory. Links are made last and kept only if they lead to
somewhere inside the tree. A member that no honest repository has (device, pipe, hard link,
`..`) refuses the archive and is named.
"""

import gzip
import os
import stat
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Self, cast

from jobs.content.text import quoted, size_words
from jobs.errors import Refused, Transient

BLOCK_BYTES = 1 << 20
HEADER_BYTES = 1 << 20
"""What may stand between two members: headers, long names and padding, never megabytes."""
NAME_BYTES = 255
"""Longest name of a file on the file systems we write to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TarballCaps:
    """What an archive may hold; the defaults fit any repository of skills many times over."""

    members: int = 100_000
    file_bytes: int = 512_000_000
    total_bytes: int = 2_000_000_000
    path_bytes: int = 1_024
    depth: int = 64
    ratio: int = 200
    """Unpacked bytes for each byte of the archive, above `ratio_floor_bytes`; text has ten."""
    ratio_floor_bytes: int = 512_000_000
    """One file of zeros in one skill, however well it packs, takes no other skill down."""


DEFAULT_CAPS = TarballCaps()


def extract_tarball(archive: Path, target: Path, caps: TarballCaps = DEFAULT_CAPS) -> None:
    """Unpack a tar.gz as GitHub serves it into the empty folder `target`, without its top folder.

    Raises `Refused`, naming the member, for what must not be unpacked and for a cap that is
    exceeded; `Transient` for an archive that is damaged or cut short (fetch it again).
    """
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise FileExistsError(f"{target} is not empty")
    try:
        with gzip.open(archive) as unpacked:
            source = _MeteredReader(cast("IO[bytes]", unpacked))
            with tarfile.open(
                fileobj=cast("IO[bytes]", source), mode="r|", errorlevel=2, tarinfo=_Member
            ) as tar:
                _Extraction(target, caps, source, archive.stat().st_size).run(tar)
            source.drain()
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Transient(f"The repository archive is damaged or cut short: {error}") from error
    except RecursionError as error:
        raise Refused("The repository archive has headers that describe headers.") from error


class _Member(tarfile.TarInfo):
    """A member whose header must be whole: tarfile alone takes a broken one for the end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if len(buf) != tarfile.BLOCKSIZE:
            raise tarfile.ReadError("it ends in the middle")
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError:
            if not any(buf):  # the block of zeros that ends an archive
                raise
            raise tarfile.ReadError("a header is broken") from None
        if member.size < 0:
            raise tarfile.ReadError("a member has less than no content")
        return member


class _MeteredReader:
    """Gives out no more bytes than were allowed: a header that claims gigabytes stays unread."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._left = HEADER_BYTES

    def allow(self, size_bytes: int) -> None:
        self._left = size_bytes + HEADER_BYTES

    def read(self, size: int) -> bytes:
        block = self._source.read(size)
        self._left -= len(block)
        if self._left < 0:
            raise Refused(
                "The repository archive has a header of more than "
                f"{size_words(HEADER_BYTES)}; no Git host makes such archives."
            )
        return block

    def drain(self) -> None:
        """Read to the end, so that a cut or altered stream is noticed by its checksum."""
        self.allow(0)
        while self.read(BLOCK_BYTES):
            pass


@dataclass(slots=True)
class _Extraction:
    target: Path
    caps: TarballCaps
    source: _MeteredReader
    archive_bytes: int
    top: str | None = None
    members: int = 0
    total_bytes: int = 0
    links: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)

    def run(self, tar: tarfile.TarFile) -> None:
        self.source.allow(0)
        while (member := tar.next()) is not None:
            self._count(member.name)
            if (path := self._checked_path(member)) is not None:
                self._write(tar, member, path)
            self.source.allow(0)
            tar.members.clear()  # type: ignore[attr-defined]  # the list would grow for ever
        if not self.members:
            raise tarfile.ReadError("it is empty")
        self._make_links()

    def _count(self, name: str) -> None:
        self.members += 1
        if self.members > self.caps.members:
            raise Refused(
                f"The repository archive holds more than {self.caps.members:,} entries; "
                f"reading stopped at {quoted(name)}."
            )

    def _make_folder(self, path: str) -> None:
        """Make a folder and those it lies in; one that no member names counts as a member."""
        parts = path.split("/") if path else []
        for count in range(1, len(parts) + 1):
            folder = "/".join(parts[:count])
            if folder not in self.folders:
                self._count(folder)
                (self.target / folder).mkdir(exist_ok=True)
                self.folders.add(folder)

    def _checked_path(self, member: tarfile.TarInfo) -> str | None:
        """The member's path below the top folder; None for the top folder itself."""
        name = member.name
        parts = [part for part in name.split("/") if part not in {"", "."}]
        if name.startswith("/") or ".." in parts or "\0" in name or not parts:
            raise _refused(member, "has a path that leads out of the repository")
        if self.top is None:
            self.top = parts[0]
        if parts[0] != self.top:
            raise _refused(member, "stands beside the top folder")
        size = len(name.encode("utf-8", "surrogateescape"))
        if size > self.caps.path_bytes or len(parts) > self.caps.depth:
            raise _refused(member, "has too long or too deep a path")
        if any(len(part.encode("utf-8", "surrogateescape")) > NAME_BYTES for part in parts):
            raise _refused(member, f"has a name of more than {NAME_BYTES} bytes")
        return "/".join(parts[1:]) or None

    def _write(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
        if self._passes_link(path):
            raise _refused(member, "lies behind a link of the same archive")
        try:
            if member.isdir():
                self._make_folder(path.rpartition("/")[0])
                (self.target / path).mkdir(exist_ok=True)
                self.folders.add(path)
            elif member.issym():
                self._note_link(member, path)
            elif member.isreg() and not member.issparse():
                self._write_file(tar, member, path)
            elif member.islnk():
                raise _refused(member, "is a hard link")
            else:
                raise _refused(member, "is neither a file, a folder nor a link")
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise _refused(member, "stands in the archive twice") from error

    def _passes_link(self, path: str) -> bool:
        parts = path.split("/")
        return any("/".join(parts[:count]) in self.links for count in range(1, len(parts) + 1))

    def _note_link(self, member: tarfile.TarInfo, path: str) -> None:
        if os.path.lexists(self.target / path):
            raise _refused(member, "stands in the archive twice")
        self.links[path] = member.linkname

    def _write_file(self, tar: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> None:
        if member.size > self.caps.file_bytes:
            raise _refused(member, f"has {size_words(member.size)}, more than a file may have")
        self.total_bytes += member.size
        if self.total_bytes > self.caps.total_bytes:
            raise _refused(
                member, f"brings the total over {size_words(self.caps.total_bytes)} unpacked"
            )
        allowed = max(self.caps.ratio_floor_bytes, self.caps.ratio * self.archive_bytes)
        if self.total_bytes > allowed:
            raise _refused(
                member,
                f"with its {size_words(member.size)} unpacks, together with the rest, "
                f"to over {self.caps.ratio} times the archive's size",
            )
        destination = self.target / path
        self._make_folder(path.rpartition("/")[0])
        content = tar.extractfile(member)
        assert content is not None, "a regular member always has content"
        mode = 0o755 if member.mode & stat.S_IXUSR else 0o644
        self.source.allow(member.size)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(destination, flags, mode), "wb") as written:
            while block := content.read(BLOCK_BYTES):
                written.write(block)

    def _make_links(self) -> None:
        """Make the links that lead inside the tree, then drop those that still lead out of it."""
        root = os.path.realpath(self.target)
        made: list[str] = []
        for path, leads_to in self.links.items():
            lexical = os.path.normpath(os.path.join(os.path.dirname(path), leads_to))  # noqa: PTH118,PTH120
            if leads_to.startswith("/") or lexical.split("/")[0] == ".." or "\0" in leads_to:
                continue
            place = self.target / path
            try:
                self._make_folder(path.rpartition("/")[0])
                place.symlink_to(leads_to)
            except (FileExistsError, NotADirectoryError) as error:
                raise Refused(f"The repository archive holds {quoted(path)} twice.") from error
            except OSError:  # a target too long for the system leads nowhere
                continue
            made.append(path)
        for path in made:
            real = os.path.realpath(self.target / path)
            if real != root and not real.startswith(root + "/"):
                (self.target / path).unlink()


def _refused(member: tarfile.TarInfo, why: str) -> Refused:
    return Refused(
        f"The repository archive was not unpacked: {quoted(member.name)} {why}. "
        "Remove it from the repository and ask again."
    )
