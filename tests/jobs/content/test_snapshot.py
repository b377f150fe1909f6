"""A repository path leads to a file of the tree or to nothing, whatever it says."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobs.content.snapshot import Snapshot, copy_folder
from jobs.content.tarball import TarballCaps
from jobs.errors import Refused
from tests.jobs.content.trees import Link, write_tree


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    return write_tree(
        tmp_path / "tree",
        {
            "docs/a b.md": "text",
            "link": Link("docs"),
            "out": Link("../secret"),
            "away": Link("/etc"),
            "round": Link("round"),
        },
    )


@pytest.mark.parametrize(
    "path", ["docs/a b.md", "./docs/a b.md", "/docs/a b.md", "link/a b.md", "link/../docs/a b.md"]
)
def test_a_file_is_found_by_every_path_to_it(snapshot: Snapshot, path: str):
    real = snapshot.find_file(path)
    assert real is not None
    assert snapshot.path_of(real) == "docs/a b.md"


@pytest.mark.parametrize(
    "path",
    [
        "",
        "  ",
        "docs",
        "nowhere",
        "out",
        "away/passwd",
        "../secret",
        "docs/../../secret",
        "/etc/passwd",
        "round/x",
        "a\0b",
        "\ud800",
        "x" * 100_000,
        "x/" * 40_000,
    ],
)
def test_other_paths_name_no_file(snapshot: Snapshot, path: str):
    assert snapshot.find_file(path) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(path=st.text(alphabet=st.sampled_from("./ab~\0outdcs linkaway"), max_size=40))
def test_no_path_resolves_outside(snapshot: Snapshot, path: str):
    real = snapshot.resolve(path)
    assert real is None or real.is_relative_to(snapshot.root)


def test_what_is_not_utf8_is_refused_with_file_and_offset(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"a.md": b"caf\xe9"})
    with pytest.raises(Refused, match=r"`a\.md`.*0xe9 at offset 3"):
        snapshot.read_text("a.md")


def test_text_has_one_kind_of_line_end_and_no_byte_order_mark(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"a.md": b"\xef\xbb\xbfone\r\ntwo\rthree"})
    assert snapshot.read_text("a.md") == "one\ntwo\nthree"


def test_a_text_over_the_limit_is_refused_with_its_size(tmp_path: Path):
    snapshot = write_tree(tmp_path, {"a.md": "x" * 1_200_000})
    with pytest.raises(Refused, match=r"`a\.md` has 1 MB"):
        snapshot.read_text("a.md")


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "a/../../*", ""])
def test_a_pattern_stays_in_the_tree(snapshot: Snapshot, pattern: str):
    with pytest.raises(Refused):
        snapshot.glob(pattern)


def test_a_pattern_finds_files_only_and_in_order(tmp_path: Path):
    snapshot = write_tree(
        tmp_path / "tree",
        {"e/b.json": "1", "e/a.json": "1", "e/c.json/x": "1", "e/d.json": Link("/etc/passwd")},
    )
    assert snapshot.glob("e/*.json") == ["e/a.json", "e/b.json"]


def test_a_working_folder_is_copied_without_what_a_commit_would_not_have(tmp_path: Path):
    source = tmp_path / "toolbox"
    write_tree(
        source,
        {
            "word-count/SKILL.md": "text",
            "word-count/run.sh": "#!",
            ".git/config": "x",
            "node_modules/x.js": "x",
            "alias": Link("word-count"),
            "absolute": Link(str(source / "word-count")),
            "out": Link("/etc/passwd"),
        },
    )
    (source / "word-count/run.sh").chmod(0o755)
    copied = copy_folder(source, tmp_path / "copy")
    found = {path.relative_to(copied.root).as_posix() for path in copied.root.rglob("*")}
    assert found == {"word-count", "word-count/SKILL.md", "word-count/run.sh", "alias", "absolute"}
    assert (copied.root / "word-count/run.sh").stat().st_mode & 0o100
    for alias in ("alias", "absolute"):
        real = copied.find_file(f"{alias}/SKILL.md")
        assert real is not None
        assert copied.path_of(real) == "word-count/SKILL.md"
    assert copied.name == "toolbox"


def test_a_copy_inside_its_own_source_does_not_copy_itself(tmp_path: Path):
    write_tree(tmp_path, {"a.md": "text"})
    copied = copy_folder(tmp_path, tmp_path / "work")
    assert [path.name for path in copied.root.rglob("*")] == ["a.md"]


@pytest.mark.parametrize(("caps", "named"), [({"total_bytes": 3}, "b"), ({"members": 1}, "b")])
def test_a_folder_over_a_cap_is_refused(tmp_path: Path, caps: dict[str, int], named: str):
    write_tree(tmp_path / "source", {"a": "12", "b": "34"})
    with pytest.raises(Refused, match=f"`{named}`"):
        copy_folder(tmp_path / "source", tmp_path / "copy", TarballCaps(**caps))


def test_a_folder_that_is_none_is_refused(tmp_path: Path):
    with pytest.raises(Refused, match="no folder"):
        copy_folder(tmp_path / "nowhere", tmp_path / "copy")
