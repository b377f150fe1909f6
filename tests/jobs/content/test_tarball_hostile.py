"""Archives made to break whoever unpacks them: each is refused by name, or fetched again.

Every test ends by looking around the target: nothing may stand beside it.
"""

import gzip
import io
import random
import tarfile
from contextlib import suppress
from pathlib import Path

import pytest

from jobs.content.tarball import TarballCaps, extract_tarball
from jobs.errors import Refused, Transient
from tests.jobs.content.trees import a_member, write_archive

TOP = "someone-toolbox-0a1b2c3"
Member = tuple[tarfile.TarInfo, bytes]


def unpack(tmp_path: Path, *members: Member, **caps: int) -> Path:
    write_archive(tmp_path / "commit.tar.gz", *members)
    extract_tarball(tmp_path / "commit.tar.gz", tmp_path / "tree", TarballCaps(**caps))
    return tmp_path / "tree"


def unpack_bytes(tmp_path: Path, tar: bytes, **caps: int) -> Path:
    tmp_path.mkdir(exist_ok=True)
    (tmp_path / "commit.tar.gz").write_bytes(gzip.compress(tar, 1))
    extract_tarball(tmp_path / "commit.tar.gz", tmp_path / "tree", TarballCaps(**caps))
    return tmp_path / "tree"


def link(path: str, to: str) -> Member:
    return a_member(f"{TOP}/{path}", type=tarfile.SYMTYPE, linkname=to)


def hard_link(path: str, to: str) -> Member:
    return a_member(f"{TOP}/{path}", type=tarfile.LNKTYPE, linkname=to)


def file(path: str, content: bytes = b"x") -> Member:
    return a_member(f"{TOP}/{path}", content)


def nothing_beside_the_tree(tmp_path: Path) -> bool:
    return {path.name for path in tmp_path.iterdir()} <= {"commit.tar.gz", "tree"}


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ([a_member("/tmp/escaped", b"x")], "/tmp/escaped"),
        ([a_member("//tmp/escaped", b"x")], "//tmp/escaped"),
        ([a_member("../escaped", b"x")], "../escaped"),
        ([file("..")], ".."),
        ([file("a/../../escaped")], "escaped"),
        ([file("./../../escaped")], "escaped"),
        ([file("a"), hard_link("b", f"{TOP}/a")], "`someone-toolbox-0a1b2c3/b` is a hard link"),
        ([hard_link("b", "/etc/passwd")], "b` is a hard link"),
        ([hard_link("b", "../../../escaped")], "b` is a hard link"),
        ([link("door", "/"), hard_link("b", f"{TOP}/door/etc/passwd")], "b` is a hard link"),
        ([a_member(f"{TOP}/pipe", type=tarfile.FIFOTYPE)], "pipe"),
        ([a_member(f"{TOP}/odd", type=b"Z")], "odd"),
        ([a_member(f"{TOP}/hole", type=tarfile.GNUTYPE_SPARSE)], "hole"),
        ([link("door", "inside"), file("door/x")], "door/x"),
        ([link("door", "."), link("door/hop", "..")], "door/hop"),
        ([link("door", "."), a_member(f"{TOP}/door/d", type=tarfile.DIRTYPE)], "door/d"),
        ([link("door", "inside"), file("door")], "door"),
        ([link("door", "a"), link("door", "b")], "door"),
        ([file("a"), file("a")], "a` stands in the archive twice"),
        ([file("a"), link("a", "b")], "a` stands in the archive twice"),
        ([file("a"), a_member(f"{TOP}/a", type=tarfile.DIRTYPE)], "twice"),
        ([a_member(f"{TOP}/a", type=tarfile.DIRTYPE), file("a")], "twice"),
        ([file("a"), file("a/b")], "a/b"),
        ([link("a/b", "c"), file("a")], "a/b"),
        ([link("a/b", "c"), link("a", "d")], "`a`"),
        ([file("n" * 256)], "nnn"),
        ([file("é" * 128)], "ééé"),
        ([file("/".join(["deep"] * 70))], "deep/deep"),
        ([file("/".join(["x" * 200] * 6))], "xxx"),
        ([file("a"), a_member("another-top/a", b"x")], "another-top/a"),
        ([a_member(f"{TOP}/ok", b"x", pax_headers={"path": f"{TOP}/a\0b"})], "a�b"),
        ([a_member(f"{TOP}/ok", b"x", pax_headers={"path": "/tmp/escaped"})], "/tmp/escaped"),
        ([a_member(f"{TOP}/ok", b"x", pax_headers={"path": f"{TOP}/../../y"})], "../y"),
        ([a_member("", b"x")], "` `"),
    ],
)
def test_what_no_honest_repository_has_is_refused_by_name(
    tmp_path: Path, members: list[Member], named: str
):
    with pytest.raises(Refused) as refusal:
        unpack(tmp_path, *members)
    assert named in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert nothing_beside_the_tree(tmp_path)
    assert not Path("/tmp/escaped").exists()


@pytest.mark.parametrize(
    "links",
    [
        [link("a", "b/../../.."), link("b", "c"), file("c/x")],
        [link("a", "b"), link("b", "c"), link("c", "/etc")],
        [link("a/b/c", "../.."), link("d", "a/b/c/../../.."), file("a/x")],
        [link("s/up", ".."), link("t", "s/up/../..")],
        [link("x", "y/z"), link("y", ".."), file("k")],
        [link("null", "a\0b"), link("long", "l" * 5_000), link("self", "self")],
        [link("up", "../" * 50 + "etc/passwd"), link("dots", "./././..")],
    ],
)
def test_no_chain_of_links_leads_out_of_the_tree(tmp_path: Path, links: list[Member]):
    tree = unpack(tmp_path, *links, file("kept"))
    inside = tree.resolve()
    for path in tree.rglob("*"):
        with suppress(RuntimeError):  # a link to itself
            assert path.resolve().is_relative_to(inside), path
    assert (tree / "kept").read_bytes() == b"x"
    assert nothing_beside_the_tree(tmp_path)


@pytest.mark.parametrize("name", ["a\nb.md", "caf\udce9.md", "übung.md", "a b.md", "-rf", "..."])
def test_odd_names_are_kept_byte_for_byte(tmp_path: Path, name: str):
    tree = unpack(tmp_path, file(name, b"text"))
    assert (tree / name).read_bytes() == b"text"


def test_a_name_that_is_refused_breaks_no_line_of_the_reply(tmp_path: Path):
    with pytest.raises(Refused) as refusal:
        unpack(tmp_path, hard_link("a`\n@everyone\n\u202eb", "x"))
    assert "\n" not in str(refusal.value)
    assert "\u202e" not in str(refusal.value)
    assert str(refusal.value).count("`") == 2


def test_a_small_archive_that_unpacks_to_very_much_is_refused(tmp_path: Path):
    zeros = b"\0" * 3_000_000
    with pytest.raises(Refused, match=r"b` with its 3 MB .* over 200 times"):
        unpack(tmp_path, file("a", zeros), file("b", zeros), ratio_floor_bytes=5_000_000)
    assert not (tmp_path / "tree/b").exists()


def test_a_little_that_packs_very_well_is_unpacked(tmp_path: Path):
    tree = unpack(tmp_path, file("a", b"\0" * 150_000_000))
    assert (tree / "a").stat().st_size == 150_000_000


@pytest.mark.parametrize("layout", ["many", "deep"])
def test_too_many_entries_are_refused_also_where_no_member_names_the_folders(
    tmp_path: Path, layout: str
):
    names = [f"{n}" if layout == "many" else f"{n}/b/c/d/e/f/g/h/i" for n in range(60)]
    allowed = 50 if layout == "many" else 500
    with pytest.raises(Refused, match=f"more than {allowed} entries"):
        unpack(tmp_path, *(file(name, b"") for name in names), members=allowed)
    assert sum(1 for _ in (tmp_path / "tree").rglob("*")) <= allowed


def header(**fields: object) -> bytes:
    member, _ = a_member(f"{TOP}/x", **fields)
    return member.tobuf(tarfile.GNU_FORMAT)


END = b"\0" * 1024


@pytest.mark.parametrize(
    "tar",
    [
        b"",
        END,
        header(size=5) + b"12345".ljust(512, b"\0"),
        header(size=5) + b"123",
        header(size=0),
        header(size=0)[:300],
        header(size=0) + b"garbage".ljust(512, b"\1") + END,
        header(size=0) + header(size=0)[:300],
        b"<html>not found</html>".ljust(2048),
    ],
    ids=[
        "nothing", "only-the-end", "no-end", "no-content", "header-alone", "half-a-header",
        "broken-header", "half-a-second-header", "a-web-page",
    ],
)  # fmt: skip
def test_an_archive_that_is_not_whole_is_fetched_again(tmp_path: Path, tar: bytes):
    """A whole gzip stream around half an archive is what a failing server sends."""
    with pytest.raises(Transient, match="damaged or cut short"):
        unpack_bytes(tmp_path, tar)


def test_a_member_of_negative_size_ends_the_reading(tmp_path: Path):
    negative = bytearray(header(size=0))
    negative[124:136] = b"\xff" * 11 + b"\x00"
    negative[148:156] = b"%06o\0 " % (sum(negative[:148]) + 256 + sum(negative[156:]))
    with pytest.raises(Transient):
        unpack_bytes(tmp_path, bytes(negative) + END)


def test_headers_that_describe_headers_are_refused(tmp_path: Path):
    record = b"13 comment=x\n"
    pax = a_member("x", record, type=tarfile.XHDTYPE)[0].tobuf(tarfile.USTAR_FORMAT)
    with pytest.raises((Refused, Transient)):
        unpack_bytes(tmp_path, (pax + record.ljust(512, b"\0")) * 900 + header(size=0) + END)


def test_a_header_of_many_records_is_bounded(tmp_path: Path):
    records = {f"key{n}": "v" * 500 for n in range(5_000)}
    with pytest.raises(Refused, match="header"):
        unpack(tmp_path, a_member(f"{TOP}/x", b"x", pax_headers=records))


def test_megabytes_after_the_end_are_not_read(tmp_path: Path):
    with pytest.raises(Refused, match="header"):
        unpack_bytes(tmp_path, header(size=0) + END + b"\0" * 5_000_000)


def whole_archive(shape: int) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=shape) as archive:
        for member, content in (
            a_member(TOP, type=tarfile.DIRTYPE), file("a", b"x" * 700), file("n" * 150),
            link("l", "a"), file("ü/x"),
        ):  # fmt: skip
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize("shape", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_an_archive_with_altered_headers_unpacks_inside_or_is_refused(tmp_path: Path, shape: int):
    """The checksums are made right again, so that the alteration is believed."""
    for seed in range(150):
        tar = altered(whole_archive(shape), random.Random(seed))
        folder = tmp_path / str(seed)
        with suppress(Refused, Transient):
            unpack_bytes(folder, tar, members=1_000)
        assert nothing_beside_the_tree(folder)


def altered(tar: bytes, draw: random.Random) -> bytes:
    changed = bytearray(tar)
    for _ in range(draw.randint(1, 4)):
        block = draw.randrange(len(changed) // 512) * 512
        place = draw.choice([0, 100, 124, 125, 135, 156, 157, 257, 345, draw.randrange(512)])
        changed[block + place] = draw.choice(
            [0, 0x80, 0xFF, *b"0123567gxLKS/.", draw.randrange(256)]
        )
        changed[block + 148 : block + 156] = b" " * 8
        changed[block + 148 : block + 156] = b"%06o\0 " % sum(changed[block : block + 512])
    return bytes(changed)
