"""The blob store: whole or not at all, under plain keys, on disk and behind S3's protocol."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
import structlog

from bot.blobs import Blobs
from jobs.errors import Transient


class Bucket(BaseHTTPRequestHandler):
    """The verbs of S3 that the store uses, on one bucket."""

    stored: ClassVar[dict[str, bytes]] = {}
    broken: ClassVar[bool] = False
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.stored[self.path] = content
        self.answer(200)

    def do_GET(self) -> None:
        content = self.stored.get(self.path)
        if self.broken:
            self.answer(403)
        elif content is None:
            self.answer(404)
        else:
            self.answer(200, content)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        """Delete many at once, which the store also does for one."""
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        keys = re.findall(r"<Key>(.*?)</Key>", asked)
        for key in keys:
            self.stored.pop(f"/results/{key}", None)
        deleted = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
        self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())

    def answer(self, status: int, content: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Mon, 04 May 2026 12:00:00 GMT")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Bucket]]:
    handler = type("OwnBucket", (Bucket,), {"stored": {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        monkeypatch.setenv("AWS_REGION", "eu-central-1")
        yield handler
        server.shutdown()
        thread.join()


@pytest.fixture(params=["file", "s3"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    if request.param == "s3":
        request.getfixturevalue("bucket")
        return Blobs("s3://results/skillbench")
    return Blobs((tmp_path / "a folder" / "blobs").as_uri())


async def test_what_was_put_is_given_back(blobs: Blobs, tmp_path: Path):
    await blobs.put("runs/0a1b/with_skill-1.zip", b"bytes")
    file = tmp_path / "archive.zip"
    file.write_bytes(b"x" * 100_000)
    await blobs.put("runs/0a1b/archive.zip", file)
    assert await blobs.get("runs/0a1b/with_skill-1.zip") == b"bytes"
    assert await blobs.get("runs/0a1b/archive.zip") == b"x" * 100_000
    assert await blobs.exists("runs/0a1b/archive.zip")


async def test_what_is_large_comes_a_little_at_a_time(blobs: Blobs):
    content = bytes(range(256)) * 4 * 1024 * 3
    await blobs.put("runs/large", content)
    pieces = await blobs.pieces("runs/large")
    assert pieces is not None
    seen = [piece async for piece in pieces]
    assert b"".join(seen) == content
    assert len(seen) > 1
    assert await blobs.pieces("runs/none") is None


async def test_a_second_put_replaces_the_first(blobs: Blobs):
    await blobs.put("runs/one", b"old")
    await blobs.put("runs/one", b"new")
    assert await blobs.get("runs/one") == b"new"


async def test_what_is_not_there_is_no_error(blobs: Blobs):
    assert await blobs.get("runs/none") is None
    assert not await blobs.exists("runs/none")
    await blobs.delete("runs/none")


async def test_what_was_deleted_is_gone(blobs: Blobs):
    await blobs.put("runs/one", b"bytes")
    await blobs.delete("runs/one")
    assert await blobs.get("runs/one") is None


@pytest.mark.parametrize(
    "key",
    [
        "", "/", "/etc/passwd", "../x", "runs/../x", "runs/..", "runs//x", "runs/x/", ".hidden",
        "runs/.env", "a\\b", "a b", "a\n", "ä", "a%2fb", "x" * 201, "/".join(["x" * 100] * 6),
    ],
)  # fmt: skip
async def test_a_key_that_is_not_plain_is_refused(tmp_path: Path, key: str):
    blobs = Blobs((tmp_path / "blobs").as_uri())
    for refused in (blobs.put(key, b""), blobs.get(key), blobs.exists(key), blobs.delete(key)):
        with pytest.raises(ValueError, match="key"):
            await refused
    assert list(tmp_path.rglob("*")) == [tmp_path / "blobs"]


@pytest.mark.parametrize("url", ["", "http://x/y", "file://host/x", "s3:///x", "memory://"])
def test_an_address_of_another_kind_is_refused_by_the_name_of_its_setting(url: str):
    with pytest.raises(ValueError, match="SKILLBENCH_BLOB_URL"):
        Blobs(url)


async def test_a_store_that_refuses_is_transient(bucket: type[Bucket]):
    bucket.broken = True
    blobs = Blobs("s3://results/skillbench")
    with pytest.raises(Transient, match="runs/one"):
        await blobs.get("runs/one")


async def test_a_store_that_comes_back_takes_what_was_paid_for(tmp_path: Path) -> None:
    blobs = Blobs(f"file://{tmp_path}/blobs", pauses_s=(0.0, 60.0))
    blocking = tmp_path / "blobs/runs"
    blocking.write_text("a file where a folder must be")
    tries: list[str] = []

    def mend(_: object, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        tries.append(event["key"])
        blocking.unlink()  # before the next try
        return event

    with structlog.testing.capture_logs(processors=[mend]):
        await blobs.put("runs/a.zip", b"paid")
    assert tries == ["runs/a.zip"]
    assert await blobs.get("runs/a.zip") == b"paid"


async def test_a_store_that_stays_away_is_told_after_every_pause(tmp_path: Path) -> None:
    blobs = Blobs(f"file://{tmp_path}/blobs", pauses_s=(0.0, 0.0))
    (tmp_path / "blobs/runs").write_text("a file where a folder must be")
    with pytest.raises((Transient, OSError)):
        await blobs.put("runs/a.zip", b"paid")
