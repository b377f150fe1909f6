"""Give-aways where nothing can be replaced are found all the same: in PDF, beside pixels."""

import zlib
from pathlib import Path

import pytest

from jobs.judging.image_words import read_image
from jobs.judging.pdf_text import read_pdf
from tests.jobs.judging.test_candidates import prepare, read

TOLD = "According to the skill"


def a_pdf(text: str, *, title: str = "Report", packed: bool = True) -> bytes:
    """A one-page PDF as a program would write it."""
    drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    drawn = zlib.compress(drawn) if packed else drawn
    kind = b"/Filter /FlateDecode " if packed else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< %b/Length %d >>\nstream\n%b\nendstream" % (kind, len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%b) >>" % title.encode(),
    ]
    made, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(made))
        made += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>" % (len(objects) + 1)
    return made + (
        b"xref\n0 %d\n0000000000 65535 f \n%b%b\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, trailer, len(made))
    )


def a_chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content).to_bytes(4, "big")
    return len(content).to_bytes(4, "big") + kind + content + check


def a_png(kind: bytes, content: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + a_chunk(kind, content) + a_chunk(b"IEND", b"")


@pytest.mark.parametrize("packed", [True, False])
def test_the_text_of_a_pdf_is_read(packed: bool) -> None:
    assert TOLD in (read_pdf(a_pdf(TOLD, packed=packed)) or "")


def test_what_a_pdf_says_of_itself_is_read() -> None:
    assert "word-count" in (read_pdf(a_pdf("Nothing.", title="word-count")) or "")


@pytest.mark.parametrize("content", [b"%PDF-1.4 torn", a_pdf(TOLD)[:300], b"%PDF-" + b"\0" * 999])
def test_a_pdf_that_cannot_be_read_is_no_trouble(content: bytes) -> None:
    assert TOLD not in (read_pdf(content) or "")


def test_a_huge_pdf_is_not_read() -> None:
    assert read_pdf(a_pdf(TOLD) + b"\0" * 20_000_000) is None


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        (b"tEXt", b"Comment\0" + TOLD.encode()),
        (b"zTXt", b"Comment\0\0" + zlib.compress(TOLD.encode())),
        (b"iTXt", b"Comment\0\0\0en\0\0" + TOLD.encode()),
        (b"iTXt", b"Comment\0\1\0x-none\0Kommentar\0" + zlib.compress(TOLD.encode())),
    ],
)
def test_the_texts_of_a_png_are_read(kind: bytes, content: bytes) -> None:
    assert TOLD in "\n".join(read_image(a_png(kind, content)))


def test_the_comment_of_a_jpeg_is_read() -> None:
    jpeg = b"\xff\xd8\xff\xfe\x00\x18" + TOLD.encode() + b"\xff\xd9"
    assert TOLD in "\n".join(read_image(jpeg))


def test_a_packed_text_is_unpacked_within_a_bound() -> None:
    bomb = a_png(b"zTXt", b"Comment\0\0" + zlib.compress(b"x" * 3_000_000))
    assert max(map(len, read_image(bomb))) <= 1_000_000


def test_broken_texts_of_an_image_are_passed_over() -> None:
    assert list(read_image(a_png(b"zTXt", b"Comment\0\0torn")))
    assert list(read_image(b"no image")) == []


def test_give_aways_in_pdf_and_images_are_counted_and_told(tmp_path: Path) -> None:
    pdf, png = a_pdf(f"{TOLD}, see SKILL.md."), a_png(b"tEXt", b"Title\0made with the skill")
    made = prepare(tmp_path, {"plan.pdf": pdf}, {"plot.png": png})
    assert read(made.folder) == {"candidate_1/plan.pdf": pdf, "candidate_2/plot.png": png}
    spoken = "speaks of a skill ({}), which the judge may have read."
    assert list(made.remarks) == [
        f"In the output with the skill, plan.pdf {spoken.format('2 times')}",
        f"In the output without the skill, plot.png {spoken.format('1 time')}",
    ]


def test_a_pdf_that_could_not_be_searched_is_told(tmp_path: Path) -> None:
    made = prepare(
        tmp_path, {"plan.pdf": b"%PDF-1.4 torn"}, {"plan.pdf": a_pdf("The total is 42.")}
    )
    assert list(made.remarks) == [
        "In the output with the skill, plan.pdf could not be searched for words about a skill."
    ]
