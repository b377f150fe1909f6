"""A session's bundle: the same there and back, and no trust in what is read."""

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from jobs.sessions.bundle import read_bundle, write_bundle
from jobs.values import OutputFile, SessionResult
from tests.builders import a_session

FILES = {
    "report.md": b"# Report\n",
    "charts/ä ↔ b.svg": b"<svg/>",
    "-rf": b"",
    "a\nb|c.txt": b"x",
    "n" * 255: b"long name",
    "response.md": b"done",
}


@pytest.fixture
def output(tmp_path: Path) -> Path:
    output = tmp_path / "output"
    for name, content in FILES.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_bytes(content)
    (output / "not recorded").write_text("x")
    return output


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text('{"kind": "end"}\n')
    return transcript


def recorded(files: dict[str, bytes]) -> tuple[OutputFile, ...]:
    return tuple(
        OutputFile(path=path, size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
        for path, content in files.items()
    )


@pytest.fixture
def session() -> SessionResult:
    return a_session(outputs=recorded(FILES))


def test_a_bundle_gives_back_what_was_packed(tmp_path, session, transcript, output):
    write_bundle(tmp_path / "b.zip", session, transcript, output)
    for source in (tmp_path / "b.zip", (tmp_path / "b.zip").read_bytes()):
        target = tmp_path / f"read-{type(source).__name__}"
        assert read_bundle(source, target) == session
        assert (target / "transcript.jsonl").read_text() == '{"kind": "end"}\n'
        for name, content in FILES.items():
            assert (target / "output" / name).read_bytes() == content
        assert not (target / "output" / "not recorded").exists()


def test_equal_sessions_give_equal_bytes(tmp_path, session, transcript, output):
    write_bundle(tmp_path / "1.zip", session, transcript, output)
    for path in output.rglob("*"):
        os.utime(path, (1, 1))
    write_bundle(tmp_path / "2.zip", session, transcript, output)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_a_missing_transcript_is_an_empty_one(tmp_path, session, output):
    write_bundle(tmp_path / "b.zip", session, tmp_path / "nowhere", output)
    read_bundle(tmp_path / "b.zip", tmp_path / "read")
    assert (tmp_path / "read" / "transcript.jsonl").read_bytes() == b""


def test_a_changed_or_missing_file_leaves_no_bundle(tmp_path, session, transcript, output):
    (output / "report.md").write_text("changed")
    with pytest.raises(ValueError, match=r"report\.md changed"):
        write_bundle(tmp_path / "b.zip", session, transcript, output)
    (output / "report.md").unlink()
    with pytest.raises(FileNotFoundError):
        write_bundle(tmp_path / "b.zip", session, transcript, output)
    assert not (tmp_path / "b.zip").exists()


def pack(members: list[tuple[str, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in members:
            bundle.writestr(name, content)
    return packed.getvalue()


def forged(path: str, content: bytes = b"x", **changes: object) -> bytes:
    """A bundle whose session records one file at `path`."""
    file = recorded({path: content})[0].model_copy(update=changes)
    session = a_session().model_copy(update={"outputs": (file,)})
    text = session.model_dump_json().encode()
    return pack([("session.json", text), ("transcript.jsonl", b""), (f"output/{path}", content)])


@pytest.mark.parametrize(
    "path", ["../up", "a/../../up", "/etc/x", "a//b", "./a", "", "a/", "..", "a/."]
)
def test_no_name_leads_out_of_the_target(tmp_path, path):
    with pytest.raises(ValueError, match="output"):
        read_bundle(forged(path), tmp_path / "deep" / "read")
    files = {found.name for found in tmp_path.rglob("*") if found.is_file()}
    assert files <= {"transcript.jsonl"}


@pytest.mark.parametrize(
    ("bundle", "said"),
    [
        (b"no zip", "not a session's bundle"),
        (pack([]), "no session.json"),
        (pack([("session.json", b"{}")]), "validation error"),
        (pack([("session.json", b"{")]), "Expecting"),
        (forged("a", sha256="0" * 64), "not what its session recorded"),
        (forged("a", b"xyz", size_bytes=2), "larger than it may be"),
        (forged("a", b"xyz", size_bytes=4), "not what its session recorded"),
        (forged("a", size_bytes=10**12), "larger than"),
    ],
)
def test_a_bundle_that_is_not_ours_is_refused(tmp_path, bundle, said):
    with pytest.raises(ValueError, match=said):
        read_bundle(bundle, tmp_path / "read")


def test_a_damaged_bundle_is_refused(tmp_path, session, transcript, output):
    write_bundle(tmp_path / "b.zip", session, transcript, output)
    whole = (tmp_path / "b.zip").read_bytes()
    for place in range(60, len(whole), len(whole) // 40):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        target = tmp_path / f"read-{place}"
        try:
            assert read_bundle(bytes(damaged), target) == session
        except ValueError:
            continue  # refused, or a place that says nothing (a time, a version)


def test_members_that_the_session_does_not_name_are_refused(tmp_path, session):
    text = session.model_copy(update={"outputs": ()}).model_dump_json().encode()
    members = [("session.json", text), ("transcript.jsonl", b"")]
    for more in (("output/extra", b"x"), ("elsewhere", b"x")):
        with pytest.raises(ValueError, match="not those of its session"):
            read_bundle(pack([*members, more]), tmp_path / more[0].replace("/", "-"))


def test_a_zip_bomb_is_not_unpacked(tmp_path):
    bomb = forged("a", b"\0" * 30_000_000, size_bytes=1_000)
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="larger than it may be"):
        read_bundle(bomb, tmp_path / "read")
    assert (tmp_path / "read" / "output" / "a").stat().st_size <= 1_000_000


def test_a_used_target_is_refused(tmp_path, session, transcript, output):
    write_bundle(tmp_path / "b.zip", session, transcript, output)
    (tmp_path / "read").mkdir()
    with pytest.raises(FileExistsError):
        read_bundle(tmp_path / "b.zip", tmp_path / "read")


def test_the_session_in_a_bundle_is_plain_json(tmp_path, session, transcript, output):
    write_bundle(tmp_path / "b.zip", session, transcript, output)
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert json.loads(bundle.read("session.json"))["arm"] == session.arm
        assert bundle.namelist()[:2] == ["session.json", "transcript.jsonl"]
