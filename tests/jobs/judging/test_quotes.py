"""Quotations are looked up by code, forgiving form and nothing else."""

import io
import zipfile
from pathlib import Path

import pytest

from jobs.judging.quotes import Quotations

REPORT = """\
# Report

> Sample size **N = 512**

| N | power |
|---|-------|
| 512 | 90.2% |

The power is > 90% and p<0.05; it’s “good”.
Variable `n_total` was\tused.
"""


@pytest.fixture
def report(tmp_path: Path) -> Quotations:
    (tmp_path / "report.md").write_text(REPORT, encoding="utf-8")
    (tmp_path / "fig").mkdir()
    (tmp_path / "fig" / "multiplicity_diagram.png").write_bytes(b"\x89PNG\0")
    return Quotations(tmp_path)


@pytest.mark.parametrize(
    "quotation",
    [
        "Sample size **N = 512**",
        "sample   size\nN = 512",
        '"Sample size N = 512"',
        "| 512 | 90.2% |",
        "512 90.2%",
        "The power is > 90%",
        'it\'s "good"',
        "The power … good",
        "Sample size [...] p<0.05",
        "Variable n_total was used",
        "multiplicity_diagram.png",
        "fig/multiplicity_diagram.png",
    ],
)
def test_a_true_quotation_is_found(report: Quotations, quotation: str) -> None:
    assert report.has(quotation)


@pytest.mark.parametrize(
    "quotation",
    [
        "N = 51",
        "N = 5120",
        "power is < 90%",
        "power is 90%",
        "p>0.05",
        "good … The power",
        "Sample size N = 513",
        "multiplicity.png",
        "",
        ":",
        "…",
        "**",
        "90",
    ],
)
def test_anything_else_is_not(report: Quotations, quotation: str) -> None:
    assert not report.has(quotation)


def test_a_short_answer_counts_where_it_is_the_whole_file(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("42\n")
    assert Quotations(tmp_path).has("42")


def test_office_documents_are_read(tmp_path: Path) -> None:
    body = "<w:p><w:r><w:t>Sample</w:t></w:r><w:r><w:t xml:space='preserve'> size</w:t></w:r></w:p>"
    document = f"<w:document>{body}<w:p><w:t>N &lt; 450</w:t></w:p></w:document>"
    with zipfile.ZipFile(tmp_path / "plan.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
        archive.writestr("word/settings.xml", "<a>hidden words</a>")
    quotations = Quotations(tmp_path)
    assert quotations.has("Sample size N < 450")
    assert not quotations.has("hidden words")


def test_a_broken_or_packed_document_costs_little_and_raises_nothing(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"x" * 30_000_000)
    (tmp_path / "bomb.docx").write_bytes(packed.getvalue())
    (tmp_path / "torn.docx").write_bytes(packed.getvalue()[:-30])
    (tmp_path / "liar.xlsx").write_bytes(b"PK\x03\x04 and nothing more")
    assert not Quotations(tmp_path).has("some words")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_no_office_program_uses_are_not_unpacked(
    tmp_path: Path, packing: int
) -> None:
    """800 bytes of one of them held a gigabyte of memory; torn, the other raises its own error."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        archive.writestr("word/document.xml", b"some words " * 10_000)
    whole = packed.getvalue()
    start = whole.index(b"word/document.xml") + 30
    (tmp_path / "odd.docx").write_bytes(whole)
    (tmp_path / "torn.docx").write_bytes(whole[:start] + b"Z" * 20 + whole[start + 20 :])
    assert not Quotations(tmp_path).has("some words some words")


def test_many_small_documents_that_unpack_to_much_hold_little(tmp_path: Path) -> None:
    """Two hundred of them, two megabytes in all, once held a worker's memory."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"some words " * 60_000)
    for number in range(4):
        (tmp_path / f"{number}.docx").write_bytes(packed.getvalue())
    (tmp_path / "letters.txt").write_text("\ufdfa" * 50_000, encoding="utf-8")  # 18 letters each
    quotations = Quotations(tmp_path, most=1_000_000)
    assert sum(map(len, quotations._texts)) < 1_001_000
    assert quotations.has("some words some words")
    assert quotations.has("3.docx")


def test_a_long_text_is_searched_across_its_blocks(tmp_path: Path) -> None:
    lines = [f"line {number} of the list" for number in range(60_000)]
    (tmp_path / "long.txt").write_text("\n".join(lines), encoding="utf-8")
    quotations = Quotations(tmp_path)
    assert all(quotations.has(lines[at]) for at in (0, 21_500, 59_999))


@pytest.mark.parametrize(
    ("files", "empty"),
    [
        ({}, True),
        ({"response.md": b""}, True),
        ({"response.md": b" \n:\n---"}, True),
        ({"response.md": b"No."}, False),
        ({"figure.png": b"\x89PNG\0"}, False),
    ],
)
def test_a_candidate_without_a_letter_or_file_is_empty(
    tmp_path: Path, files: dict[str, bytes], empty: bool
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert Quotations(tmp_path).is_empty is empty
