"""An archive unpacks to the commit's tree, and nothing in it reaches beyond that tree."""

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from jobs.content.tarball import TarballCaps, extract_tarball
from jobs.errors import Refused, Transient
from tests.jobs.content.trees import a_member, write_archive

TOP = "someone-toolbox-0a1b2c3"


def extract(tmp_path: Path, *members: tuple[tarfile.TarInfo, bytes], **caps: int) -> Path:
    archive = write_archive(tmp_path / "commit.tar.gz", *members)
    target = tmp_path / "tree"
    extract_tarball(archive, target, TarballCaps(**caps))
    return target


def listing(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


def test_the_top_folder_goes_and_contents_stay(tmp_path: Path):
    tree = extract(
        tmp_path,
        a_member(TOP, type=tarfile.DIRTYPE),
        a_member(f"{TOP}/word-count", type=tarfile.DIRTYPE),
        a_member(f"{TOP}/word-count/SKILL.md", b"text"),
        a_member(f"{TOP}/Übersicht ↔ v1.md", b"\xff\0"),
    )
    assert (tree / "word-count/SKILL.md").read_bytes() == b"text"
    assert (tree / "Übersicht ↔ v1.md").read_bytes() == b"\xff\0"


def test_the_header_that_names_the_commit_is_no_file(tmp_path: Path):
    path = tmp_path / "commit.tar.gz"
    with tarfile.open(
        path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers={"comment": "0a1b2c3"}
    ) as archive:
        member, content = a_member(f"{TOP}/a", b"1")
        archive.addfile(member, io.BytesIO(content))
    extract_tarball(path, tmp_path / "tree")
    assert listing(tmp_path / "tree") == {"a"}


@pytest.mark.parametrize(("mode", "kept"), [(0o755, 0o755), (0o644, 0o644), (0o6777, 0o755)])
def test_only_the_executable_bit_survives(tmp_path: Path, mode: int, kept: int):
    tree = extract(tmp_path, a_member(f"{TOP}/run.sh", b"#!", mode=mode))
    assert (tree / "run.sh").stat().st_mode & 0o7777 == kept & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(
    ("member", "named"),
    [
        (a_member("/etc/cron.d/x", b"x"), "/etc/cron.d/x"),
        (a_member(f"{TOP}/../../x", b"x"), "../../x"),
        (a_member(f"{TOP}/a/../../../x", b"x"), "a/../../../x"),
        (a_member("elsewhere/x", b"x"), "elsewhere/x"),
        (a_member(f"{TOP}/pipe", type=tarfile.FIFOTYPE), "pipe"),
        (a_member(f"{TOP}/disk", type=tarfile.BLKTYPE, devmajor=8), "disk"),
        (a_member(f"{TOP}/tty", type=tarfile.CHRTYPE, devmajor=4), "tty"),
        (a_member(f"{TOP}/hard", type=tarfile.LNKTYPE, linkname=f"{TOP}/first"), "hard"),
        (a_member(f"{TOP}/first", b"again"), "first"),
        (a_member(f"{TOP}/first/inside", b"x"), "first/inside"),
        (a_member(f"{TOP}/" + "d/" * 70 + "x", b"x"), "d/d/d"),
        (a_member(f"{TOP}/{'n' * 256}", b"x"), "nnn"),
    ],
)
def test_a_member_no_honest_repository_has_is_refused_by_name(
    tmp_path: Path, member: tuple[tarfile.TarInfo, bytes], named: str
):
    with pytest.raises(Refused) as refusal:
        extract(tmp_path, a_member(f"{TOP}/first", b"1"), member)
    assert named in str(refusal.value)
    assert not (tmp_path / "x").exists()


def test_a_link_inside_the_tree_is_kept(tmp_path: Path):
    tree = extract(
        tmp_path,
        a_member(f"{TOP}/toy", type=tarfile.SYMTYPE, linkname="family/toy"),
        a_member(f"{TOP}/family/toy/SKILL.md", b"text"),
    )
    assert (tree / "toy").is_symlink()
    assert (tree / "toy/SKILL.md").read_bytes() == b"text"


@pytest.mark.parametrize(
    "links",
    [
        {"out": "/etc"},
        {"out": "../../etc"},
        {"out": "a/../../.."},
        {"sub/hop": "..", "out": "sub/hop/hop/../../.."},
        {"a/up": "../..", "out": "a/up"},
    ],
)
def test_a_link_that_leads_outside_is_left_out(tmp_path: Path, links: dict[str, str]):
    members = [
        a_member(f"{TOP}/{path}", type=tarfile.SYMTYPE, linkname=to) for path, to in links.items()
    ]
    tree = extract(tmp_path, *members, a_member(f"{TOP}/kept", b"1"))
    for path in tree.rglob("*"):
        assert path.resolve().is_relative_to(tree.resolve())
    assert not (tree / "out").exists() or (tree / "out").resolve().is_relative_to(tree.resolve())


def test_nothing_is_written_through_a_link(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.raises(Refused, match="behind a link"):
        extract(
            tmp_path,
            a_member(f"{TOP}/door", type=tarfile.SYMTYPE, linkname=str(outside)),
            a_member(f"{TOP}/door/x", b"x"),
        )
    assert not any(outside.iterdir())


def test_links_in_a_circle_are_survived(tmp_path: Path):
    tree = extract(
        tmp_path,
        a_member(f"{TOP}/a", type=tarfile.SYMTYPE, linkname="b"),
        a_member(f"{TOP}/b", type=tarfile.SYMTYPE, linkname="a"),
        a_member(f"{TOP}/kept", b"1"),
    )
    assert (tree / "kept").read_bytes() == b"1"


@pytest.mark.parametrize(
    ("caps", "named"),
    [
        ({"file_bytes": 10}, "large.bin"),
        ({"total_bytes": 15}, "large.bin"),
        ({"members": 1}, "large.bin"),
        ({"path_bytes": 20}, "small.txt"),
    ],
)
def test_a_cap_that_is_exceeded_names_the_member(tmp_path: Path, caps: dict[str, int], named: str):
    with pytest.raises(Refused, match=named):
        extract(
            tmp_path,
            a_member(f"{TOP}/small.txt", b"12345"),
            a_member(f"{TOP}/large.bin", b"x" * 20),
            **caps,
        )


def test_a_header_that_claims_gigabytes_is_not_read_into_memory(tmp_path: Path):
    """A long-name header may say any size; tarfile alone would read all of it."""
    bomb = tarfile.TarInfo("././@LongLink")
    bomb.type = tarfile.GNUTYPE_LONGNAME
    bomb.size = 3_000_000
    path = tmp_path / "commit.tar.gz"
    with gzip.open(path, "wb") as archive:
        archive.write(bomb.tobuf(tarfile.GNU_FORMAT) + b"n" * 3_000_000)
    with pytest.raises(Refused, match="header"):
        extract_tarball(path, tmp_path / "tree")


@pytest.mark.parametrize("kept", [0, 10, 100, 2_000, -1, -9])
def test_an_archive_cut_short_is_worth_fetching_again(tmp_path: Path, kept: int):
    noise = os.urandom(5_000)
    path = write_archive(tmp_path / "whole.tar.gz", a_member(f"{TOP}/noise", noise))
    (tmp_path / "cut.tar.gz").write_bytes(path.read_bytes()[:kept])
    with pytest.raises(Transient):
        extract_tarball(tmp_path / "cut.tar.gz", tmp_path / "tree")


def test_an_altered_byte_is_noticed(tmp_path: Path):
    path = write_archive(tmp_path / "whole.tar.gz", a_member(f"{TOP}/noise", os.urandom(5_000)))
    content = bytearray(path.read_bytes())
    content[-8] ^= 1  # in the checksum of the stream, which only a reader to the end compares
    path.write_bytes(bytes(content))
    with pytest.raises(Transient):
        extract_tarball(path, tmp_path / "tree")


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path):
    archive = write_archive(tmp_path / "commit.tar.gz", a_member(f"{TOP}/a", b"1"))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/mine").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError):
        extract_tarball(archive, tmp_path / "tree")
