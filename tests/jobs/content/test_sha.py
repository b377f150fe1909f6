"""The skill SHA covers all a session is given; the legacy SHA is what was written before us."""

import hashlib
from pathlib import Path

import pytest

from jobs.content.sha import legacy_sha, skill_sha
from jobs.content.skill_tree import SkillCaps, list_skill_files
from jobs.content.snapshot import Snapshot
from jobs.errors import Refused
from tests.jobs.content.trees import Content, Link, write_tree

SKILL: dict[str, Content] = {
    "fam/SKILL.md": "top",
    "fam/scripts/calc.R": "x <- 1",
    "fam/b.md": "b",
    "fam/a/SKILL.md": "inner",
    "fam/Ä.txt": b"\xff\0",
}


def sha_of(snapshot: Snapshot, folder: str = "fam") -> str:
    return skill_sha(list_skill_files(snapshot, folder))


def framed(*files: tuple[str, bytes]) -> str:
    """The definition, written out."""
    digest = hashlib.sha256()
    for path, content in files:
        digest.update(path.encode() + b"\0" + str(len(content)).encode() + b"\0" + content)
    return digest.hexdigest()


def test_the_sha_frames_path_length_and_content_in_byte_order(tmp_path: Path):
    assert sha_of(write_tree(tmp_path, SKILL)) == framed(
        ("SKILL.md", b"top"),
        ("a/SKILL.md", b"inner"),
        ("b.md", b"b"),
        ("scripts/calc.R", b"x <- 1"),
        ("Ä.txt", b"\xff\0"),
    )


@pytest.mark.parametrize(
    "extra",
    [
        "fam/evals/evals.json",
        "fam/a/evals/x.md",
        "fam/.git/HEAD",
        "fam/a/.hg/x",
        "fam/.svn/x",
        "fam/scripts/__pycache__/calc.pyc",
        "fam/.pytest_cache/x",
        "fam/node_modules/x/index.js",
        "elsewhere/x.md",
    ],
)
def test_what_no_session_is_given_is_not_covered(tmp_path: Path, extra: str):
    plain = sha_of(write_tree(tmp_path / "plain", SKILL))
    assert sha_of(write_tree(tmp_path / "more", {**SKILL, extra: "more"})) == plain


@pytest.mark.parametrize(
    "changed",
    [
        {"fam/scripts/calc.R": "x <- 2"},
        {"fam/a/SKILL.md": "other"},
        {"fam/.hidden": ""},
        {"fam/evals": "a file of that name is no folder of evals"},
        {"fam/empty.txt": ""},
    ],
)
def test_any_other_file_changes_it(tmp_path: Path, changed: dict[str, str]):
    plain = sha_of(write_tree(tmp_path / "plain", SKILL))
    assert sha_of(write_tree(tmp_path / "changed", {**SKILL, **changed})) != plain


def test_moving_bytes_between_name_and_content_changes_it(tmp_path: Path):
    one = write_tree(tmp_path / "one", {"s/ab": "c"})
    two = write_tree(tmp_path / "two", {"s/a": "bc"})
    assert sha_of(one, "s") != sha_of(two, "s")


def test_a_link_counts_as_what_it_leads_to(tmp_path: Path):
    copied = {**SKILL, "fam/ref.md": "shared", "fam/more/x.md": "x", "shared/ref.md": "shared"}
    linked = {
        **SKILL,
        "fam/ref.md": Link("../shared/ref.md"),
        "fam/more": Link("../shared/more"),
        "shared/ref.md": "shared",
        "shared/more/x.md": "x",
    }
    assert sha_of(write_tree(tmp_path / "a", copied)) == sha_of(write_tree(tmp_path / "b", linked))


@pytest.mark.parametrize("to", ["/etc/passwd", "../../outside", "nowhere", "evals/key.json", "."])
def test_a_link_to_nothing_a_session_may_have_is_not_covered(tmp_path: Path, to: str):
    (tmp_path / "outside").write_text("outside", encoding="utf-8")
    files = {**SKILL, "fam/evals/key.json": "answer"}
    plain = sha_of(write_tree(tmp_path / "plain", files))
    assert sha_of(write_tree(tmp_path / "linked", {**files, "fam/hop": Link(to)})) == plain


@pytest.mark.parametrize("to", ["..", "../..", "../fam", "a/../.."])
def test_a_link_to_a_folder_around_the_skill_goes_nowhere(tmp_path: Path, to: str):
    plain = sha_of(write_tree(tmp_path / "plain", {**SKILL, "other/big.md": "big"}))
    linked = {**SKILL, "other/big.md": "big", "fam/a/up": Link(to)}
    assert sha_of(write_tree(tmp_path / "linked", linked)) == plain


def test_links_that_multiply_end_at_the_cap(tmp_path: Path):
    """Thirty folders, each holding two links to the next, would be a thousand million files."""
    files: dict[str, Content] = {"s/SKILL.md": "x", "d30/x.md": "x"}
    for n in range(30):
        files |= {f"d{n}/l": Link(f"../d{n + 1}"), f"d{n}/r": Link(f"../d{n + 1}")}
    files["s/in"] = Link("../d0")
    with pytest.raises(Refused, match="more than 500"):
        list_skill_files(write_tree(tmp_path, files), "s", SkillCaps(files=500))


def test_folders_that_link_to_each_other_end_without_a_single_file(tmp_path: Path):
    """Ways through twelve folders with links to all others number millions; none has a file."""
    files: dict[str, Content] = {"s/SKILL.md": "x", "s/in": Link("../d0")}
    files |= {f"d{n}/to{m}": Link(f"../d{m}") for n in range(12) for m in range(12) if n != m}
    with pytest.raises(Refused, match=r"`s` leads through more than 500 folders"):
        list_skill_files(write_tree(tmp_path, files), "s", SkillCaps(files=500))


def test_the_executable_bit_is_listed_and_not_covered(tmp_path: Path):
    snapshot = write_tree(tmp_path, SKILL)
    before = sha_of(snapshot)
    (tmp_path / "fam/scripts/calc.R").chmod(0o755)
    listed = {file.path: file.executable for file in list_skill_files(snapshot, "fam")}
    assert listed["scripts/calc.R"]
    assert not listed["SKILL.md"]
    assert sha_of(snapshot) == before


def test_a_name_that_is_not_utf8_counts_with_its_own_bytes(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"s/SKILL.md": "x"})
    Path(tmp_path / "s" / "caf\udce9").write_bytes(b"y")
    assert (
        sha_of(snapshot, "s")
        == hashlib.sha256(b"SKILL.md\x001\x00x" + b"caf\xe9\x001\x00y").hexdigest()
    )


def test_a_skill_beyond_the_limit_names_its_largest_file(tmp_path: Path):
    snapshot = write_tree(tmp_path, {**SKILL, "fam/fonts/a.ttf": "x" * 900, "fam/data.db": ""})
    with (tmp_path / "fam/data.db").open("wb") as sparse:
        sparse.truncate(300_000_000)
    with pytest.raises(Refused, match=r"`fam`.*100 MB.*`data\.db` with 300 MB"):
        list_skill_files(snapshot, "fam")


def test_megabytes_of_fonts_are_within_the_limit(tmp_path: Path):
    snapshot = write_tree(tmp_path, {**SKILL, "fam/fonts/a.ttf": b"x" * 5_000_000})
    assert len(sha_of(snapshot)) == 64


def test_the_legacy_sha_is_path_then_content_of_two_kinds_of_files(tmp_path: Path):
    """Files of a folder come before its sub-folders, each in sorted order."""
    snapshot = write_tree(
        tmp_path,
        {
            "s/b.md": "B",
            "s/a/x.py": "X",
            "s/a.R": "never",
            "s/evals/key.md": "never",
            "s/a/evals/key.md": "never",
            "s/out.md": Link("/etc/hostname"),
        },
    )
    assert (
        legacy_sha(snapshot, "s") == hashlib.sha256(b"b.md" + b"B" + b"a/x.py" + b"X").hexdigest()
    )


def test_the_legacy_sha_misses_a_script_that_the_skill_sha_sees(tmp_path: Path):
    one = write_tree(tmp_path / "one", SKILL)
    two = write_tree(tmp_path / "two", {**SKILL, "fam/scripts/calc.R": "x <- 2"})
    assert legacy_sha(one, "fam") == legacy_sha(two, "fam")
    assert sha_of(one) != sha_of(two)
