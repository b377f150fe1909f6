"""Kinds of bytes that come packed or as files: tarballs, bundles, documents, outputs.

What is unpacked lies in a folder with a neighbour; whatever happens, the neighbour is as it
was and nothing has appeared beside it.
"""

import gzip
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from config.repo_file import RepoFileError, parse_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.content.tarball import TarballCaps, extract_tarball
from jobs.errors import Refused, Transient
from jobs.judging.answers import VerdictKey
from jobs.judging.candidates import prepare_candidates
from jobs.judging.image_words import read_image
from jobs.judging.injections import find_injections
from jobs.judging.office import read_office
from jobs.judging.pdf_text import read_pdf
from jobs.judging.prompt import load_material, render_scoring_prompt
from jobs.judging.quotes import Quotations
from jobs.sessions.bundle import read_bundle
from jobs.values import Arm, Assertion, EvalCase, Skill
from tools.fuzz import packed_samples
from tools.fuzz.kinds import Kind

CAPS = TarballCaps(members=2_000, file_bytes=4_000_000, total_bytes=8_000_000)
SKILL = Skill(
    path="text/word-count",
    name="word-count",
    description="Counts words.",
    sha="3" * 64,
    legacy_sha="9" * 64,
    size_bytes=100,
)
CASE = EvalCase(
    id="github-issue-1",
    prompt="Count the words.",
    expected_output="A number.",
    assertions=(Assertion(id="A1", text="The total is 42"),),
    target_skills=("word-count",),
    source="issue",
    digest="d" * 64,
)

WANTED: tuple[VerdictKey, ...] = (("A1", "candidate_1"), ("A1", "candidate_2"))


def packed_kinds(scratch: Path) -> list[Kind]:
    """The kinds that are unpacked into folders below `scratch`."""
    yard = Yard(scratch / "yard")
    return [
        Kind(
            name="tarballs",
            seeds=packed_samples.make_tars(),
            pieces=packed_samples.TAR_PIECES,
            read=yard.read_tarball,
            largest=2_000_000,
        ),
        Kind(
            name="session bundles",
            seeds=packed_samples.make_bundles(),
            pieces=packed_samples.ZIP_PIECES,
            read=yard.read_session,
            largest=1_000_000,
        ),
        Kind(
            name="office documents",
            seeds=packed_samples.make_documents(),
            pieces=packed_samples.ZIP_PIECES,
            read=read_document,
            largest=1_000_000,
        ),
        Kind(
            name="images",
            seeds=packed_samples.make_images(),
            pieces=packed_samples.IMAGE_PIECES,
            read=lambda content: f"{min(3, len(list(read_image(content))))} texts",
            largest=1_000_000,
        ),
        Kind(
            name="PDF files",
            seeds=packed_samples.make_pdfs(),
            pieces=packed_samples.PDF_PIECES,
            read=lambda content: "nothing" if read_pdf(content) is None else "text",
            share=0.005,
            grows=False,
        ),
        Kind(
            name="outputs of sessions",
            seeds=packed_samples.OUTPUTS,
            pieces=packed_samples.OUTPUT_PIECES,
            read=yard.read_outputs,
            largest=1_000_000,
            share=0.05,
        ),
        Kind(
            name="repo files",
            seeds=packed_samples.REPO_FILES,
            pieces=packed_samples.YAML_PIECES,
            read=read_repo_file,
            largest=200_000,
        ),
    ]


class Yard:
    """A place to unpack in, with a neighbour that nobody may touch."""

    def __init__(self, root: Path) -> None:
        self._root = root
        root.mkdir()
        (root / "neighbour").mkdir()
        (root / "neighbour" / "secret").write_text("untouched", encoding="utf-8")

    @contextmanager
    def _place(self) -> Iterator[Path]:
        place = self._root / "place"
        try:
            yield place
            beside = sorted(path.name for path in self._root.iterdir())
            assert beside in (["neighbour", "place"], ["archive", "neighbour", "place"]), beside
            assert (self._root / "neighbour" / "secret").read_text(encoding="utf-8") == "untouched"
            for path in place.rglob("*"):
                assert path.resolve().is_relative_to(place.resolve()), f"{path} leads outside"
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def read_tarball(self, content: bytes) -> str:
        """A tarball is unpacked, refused or worth fetching again; its skills are read."""
        archive = self._root / "archive"
        rng = random.Random(content)  # noqa: S311 -- what it is says what is done to it
        whole = with_checksums(content) if rng.random() < 0.8 else content
        packed = gzip.compress(whole, 1, mtime=0)
        if rng.random() < 0.1:
            packed = packed[: rng.randrange(len(packed))] + bytes([rng.randrange(256)])
        archive.write_bytes(packed)
        with self._place() as place:
            try:
                extract_tarball(archive, place, CAPS)
            except (Refused, Transient) as error:
                place.mkdir(exist_ok=True)
                return type(error).__name__
            find_skills(Snapshot(place, "0" * 40, "skills"))
        return "unpacked"

    def read_session(self, content: bytes) -> str:
        """A bundle is a session's or a `ValueError`."""
        (self._root / "archive").unlink(missing_ok=True)
        with self._place() as place:
            try:
                read_bundle(content, place)
            except ValueError:
                return "no bundle"
        return "read"

    def read_outputs(self, content: bytes) -> str:
        """What a session left is scrubbed, searched and shown, whatever it is."""
        (self._root / "archive").unlink(missing_ok=True)
        with self._place() as place:
            left = place / "left"
            for number, (name, text) in enumerate(_files_in(content)):
                path = left / name
                with suppress(OSError, ValueError):
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(text if number % 7 else gzip.compress(text, 1))
            left.mkdir(parents=True, exist_ok=True)
            outputs = {Arm.WITH_SKILL: left, Arm.WITHOUT_SKILL: left}
            prepared = prepare_candidates(outputs, CASE, [SKILL], place / "judged", Arm.WITH_SKILL)
            folder = prepared.folder / "candidate_1"
            found = find_injections(folder, "candidate_1")
            prompt = render_scoring_prompt(load_material(CASE, prepared.folder), WANTED)
            json.dumps([prompt, *found, *prepared.remarks]).encode()
            quotations = Quotations(folder)
            quotations.has("Total: 42 … words")
        return "noted" if found else "empty" if quotations.is_empty else "quiet"


def _files_in(content: bytes) -> Sequence[tuple[str, bytes]]:
    """Files under names that the input chooses, but below the folder all the same."""
    parts = content.split(b"\n=== ")[:20]
    files = []
    for number, part in enumerate(parts):
        name, _, text = part.partition(b"\n")
        path = name.decode("utf-8", "replace").replace("\0", "")
        safe = "/".join(piece[:60] for piece in path.split("/")[:5] if piece not in {"", ".", ".."})
        files.append((safe or f"file-{number}", text))
    return files


def with_checksums(tar: bytes) -> bytes:
    """A tar whose altered headers add up again, so that they are looked at."""
    mended = bytearray(tar)
    for start in range(0, len(tar) - 511, 512):
        if tar[start + 257 : start + 262] == b"ustar":
            mended[start + 148 : start + 156] = b" " * 8
            total = sum(mended[start : start + 512])
            mended[start + 148 : start + 156] = b"%06o\0 " % total
    return bytes(mended)


def read_document(content: bytes) -> str:
    """A document gives text in bounded amount, or nothing; so does one with that inside."""
    if len(content) % 2:
        content = packed_samples.make_zip({"word/document.xml": content})
    read = sum(len(part) for name in ("a.docx", "b.xlsx") for part in read_office(name, content))
    assert read <= 40_000_000, "what it unpacks to is bounded"
    return "text" if read else "nothing"


def read_repo_file(content: bytes) -> str:
    """A repo file is taken whole, or every problem is told."""
    try:
        parse_repo_file(content)
    except RepoFileError as error:
        str(error).encode()
        return "refused"
    return "taken"
