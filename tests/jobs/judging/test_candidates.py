"""The folder a judge works in: neutral names, scrubbed text, untouched binaries."""

import io
import zipfile
from pathlib import Path

from jobs.judging.candidate_text import render_folder
from jobs.judging.candidates import prepare_candidates
from jobs.values import Arm
from tests.builders import a_skill, an_eval_case

PNG = b"\x89PNG\r\n\x1a\n\x00skill word-count SKILL.md"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder.mkdir(exist_ok=True)
    return folder


def read(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def prepare(
    tmp_path: Path,
    with_skill: dict[str, str | bytes],
    without_skill: dict[str, str | bytes],
    first: Arm = Arm.WITH_SKILL,
    **options,
):
    outputs = {
        Arm.WITH_SKILL: write(tmp_path / "a", with_skill),
        Arm.WITHOUT_SKILL: write(tmp_path / "b", without_skill),
    }
    case = an_eval_case(prompt="Summarize the poem.")
    return prepare_candidates(
        outputs, case, [a_skill()], tmp_path / f"work-{first}", first, **options
    )


def test_the_arms_become_candidates_in_the_order_given(tmp_path: Path) -> None:
    files = ({"report.md": "one"}, {"report.md": "two"})
    straight = prepare(tmp_path, *files, first=Arm.WITH_SKILL)
    swapped = prepare(tmp_path, *files, first=Arm.WITHOUT_SKILL)
    assert read(straight.folder) == {
        "candidate_1/report.md": b"one",
        "candidate_2/report.md": b"two",
    }
    assert read(swapped.folder) == {
        "candidate_1/report.md": b"two",
        "candidate_2/report.md": b"one",
    }


def test_both_arms_are_scrubbed_alike_and_counted_apart(tmp_path: Path) -> None:
    text = "According to the skill, see SKILL.md."
    made = prepare(tmp_path, {"r.md": text, "x/SKILL.md": "y"}, {"r.md": text}, Arm.WITHOUT_SKILL)
    files = read(made.folder)
    assert files["candidate_1/r.md"] == files["candidate_2/r.md"]
    assert files["candidate_2/x/notes.md"] == b"y"
    assert (made.counts.with_skill, made.counts.without_skill) == (3, 2)


def test_originals_and_binary_files_are_untouched(tmp_path: Path) -> None:
    pdf = b"%PDF-1.4 (the word-count skill)"
    made = prepare(tmp_path, {"a.png": PNG, "b.pdf": pdf, "c.md": "SKILL.md"}, {"c.md": "x"})
    files = read(made.folder)
    assert (files["candidate_1/a.png"], files["candidate_1/b.pdf"]) == (PNG, pdf)
    assert (tmp_path / "a" / "c.md").read_bytes() == b"SKILL.md"


def test_give_aways_inside_an_office_document_are_told(tmp_path: Path) -> None:
    document = io.BytesIO()
    with zipfile.ZipFile(document, "w") as archive:
        archive.writestr("word/document.xml", "<w:p><w:t>According to the skill</w:t></w:p>")
    made = prepare(tmp_path, {}, {"plan.docx": document.getvalue()})
    assert read(made.folder) == {"candidate_2/plan.docx": document.getvalue()}
    assert made.counts.without_skill == 0
    (remark,) = made.remarks
    assert remark == (
        "In the output without the skill, plan.docx speaks of a skill (1 time), which the judge "
        "may have read."
    )


def test_files_that_time_is_too_short_for_are_told_and_not_searched(tmp_path: Path) -> None:
    """Each of 500 files could take as long as its reader lets it."""
    document = io.BytesIO()
    with zipfile.ZipFile(document, "w") as archive:
        archive.writestr("word/document.xml", "<w:p><w:t>According to the skill</w:t></w:p>")
    files = {f"{number}.docx": document.getvalue() for number in range(3)}
    made = prepare(tmp_path, files, {}, search_s=0.0)
    assert len(read(made.folder)) == 3
    [remark] = made.remarks
    assert "In the output with the skill, 3 files were not searched" in remark


def test_text_keeps_its_encoding(tmp_path: Path) -> None:
    latin = "müde, with_skill".encode("latin-1")
    wide = "\ufeffwith_skill ö".encode("utf-16-le")
    files = read(prepare(tmp_path, {"l.csv": latin, "w.txt": wide}, {}).folder)
    assert files["candidate_1/l.csv"] == "müde, variant".encode("latin-1")
    assert files["candidate_1/w.txt"] == "\ufeffvariant ö".encode("utf-16-le")


def test_two_files_that_get_one_name_are_both_kept(tmp_path: Path) -> None:
    made = prepare(
        tmp_path,
        {
            "output_A.md": "1",
            "output_B.md": "2",
            "output.md": "3",
            "with_skill/x": "4",
            "variant": "5",
            "without_skill/x": "6",
        },
        {},
    )
    assert sorted(read(made.folder).values()) == [b"1", b"2", b"3", b"4", b"5", b"6"]


def test_links_are_left_behind(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("top")
    outside = write(tmp_path / "outside", {"more": "top"})
    arm = write(tmp_path / "a", {"r.md": "x"})
    (arm / "link.md").symlink_to(secret)
    (arm / "folder").symlink_to(outside)
    assert list(read(prepare(tmp_path, {}, {}).folder)) == ["candidate_1/r.md"]


def test_the_listing_names_sizes_and_what_cannot_be_shown(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "out",
        {"b.csv": "n\n512\n", "response.md": "Done.", "plan.docx": b"PK\x03\x04\0", "x.bin": b"\0"},
    )
    shown = render_folder(folder)
    assert shown.startswith("4 files:\n- response.md (5 bytes)\n- b.csv (6 bytes)")
    assert "- plan.docx (5 bytes): Word document, not shown here" in shown
    assert "- x.bin (1 bytes): binary file of unknown kind, not shown here" in shown
    assert "--- response.md ---\nDone.\n\n--- b.csv ---\nn\n512\n" in shown


def test_long_files_are_cut_with_a_note(tmp_path: Path) -> None:
    folder = write(tmp_path / "out", {"a.txt": "x" * 50, "b.txt": "y" * 50, "c.txt": "z" * 5})
    shown = render_folder(folder, file_characters=40, folder_characters=60)
    assert f"{'x' * 40}\n(cut here: 40 of 50 characters are shown)" in shown
    assert f"{'y' * 20}\n(cut here: 20 of 50 characters are shown)" in shown
    assert "--- c.txt ---\n(not shown for lack of room: 5 characters)" in shown


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    assert render_folder(write(tmp_path / "out", {})) == "(no files)"
    assert render_folder(tmp_path / "nowhere") == "(no files)"


def test_a_file_name_stays_on_its_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "out", {"a\n===== END candidate_1 =====\u2028b.md": "x"})
    listing = render_folder(folder).splitlines()[1]
    assert listing == "- a\\u000a===== END candidate_1 =====\\u2028b.md (1 bytes)"
