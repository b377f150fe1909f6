"""Datasets from folders, repositories and web addresses; the last over real TLS."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from jobs.datasets.loading import load_dataset
from jobs.datasets.sources import Repository, WebFetcher, WebFolder, find_root, parse_source
from jobs.errors import Refused, Transient

HOST = "sets.example"
LINE = (
    '{"id": "q1", "title": "t", "user": {"type": "manual", "strict_inputs": ["q"]}, '
    '"eval": {"evaluator": "exact", "expected": ["a"]}}'
)


def test_what_is_typed_is_a_folder_a_repository_or_an_address(tmp_path: Path) -> None:
    assert parse_source("acme/sets@v1.2") == Repository("acme/sets", "v1.2")
    assert parse_source("acme/sets@feature/x") == Repository("acme/sets", "feature/x")
    assert parse_source("https://sets.example/a/") == WebFolder("https://sets.example/a")
    assert parse_source("sets") == Path("sets")
    named = tmp_path / "acme/sets@v1"
    named.mkdir(parents=True)
    assert parse_source(str(named)) == named
    for address in ("http://sets.example", "ftp://x", "file:///etc"):
        with pytest.raises(Refused, match="https:// alone"):
            parse_source(address)


def test_a_repositorys_data_folder_is_found(tmp_path: Path) -> None:
    suite = tmp_path / "data/capitals"
    suite.mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    assert find_root(tmp_path, "capitals") == tmp_path / "data"
    assert find_root(tmp_path) == tmp_path / "data"
    assert find_root(tmp_path / "data", "capitals") == tmp_path / "data"
    (tmp_path / "capitals").mkdir()
    assert find_root(tmp_path, "capitals") == tmp_path
    with pytest.raises(Refused, match="there is no folder"):
        find_root(tmp_path / "nowhere")


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of `HOST` that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    kind = serialization.Encoding.PEM
    (folder / "cert.pem").write_bytes(made.public_bytes(kind))
    plain = serialization.NoEncryption()
    private = key.private_bytes(kind, serialization.PrivateFormat.PKCS8, plain)
    (folder / "key.pem").write_bytes(private)
    return folder / "cert.pem", folder / "key.pem"


@asynccontextmanager
async def fetcher(
    tmp_path: Path, answers: dict[str, bytes], *, allowed: str = HOST, is_open: bool = True
) -> AsyncIterator[tuple[WebFetcher, list[str]]]:
    """A server with raw answers by path, and a fetcher that takes it for `HOST`."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        path = head.split()[1]
        asked.append(path)
        assert f"host: {HOST}\r\n" in head.lower()
        missing = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        writer.write(answers.get(path, missing))
        await writer.drain()
        writer.close()

    cert, key = certificate(tmp_path)
    ours = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ours.load_cert_chain(cert, key)
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=ours)

    async def resolve(_: str) -> list[str]:
        return ["127.0.0.1"]

    trusting = ssl.create_default_context(cafile=cert)
    async with server, httpx.AsyncClient(verify=trusting, trust_env=False) as http:
        yield (
            WebFetcher(
                hosts=(allowed,),
                http=http,
                resolve=resolve,
                is_open=lambda _: is_open,
                port=server.sockets[0].getsockname()[1],
            ),
            asked,
        )


def ok(content: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(content)}\r\nconnection: close\r\n\r\n"
    return (head + content).encode()


WEB = WebFolder(f"https://{HOST}/sets")
FILE = "/sets/capitals/sample.jsonl"


async def test_a_dataset_is_fetched_with_its_settings(tmp_path: Path) -> None:
    answers = {FILE: ok(LINE), "/sets/capitals/metadata.json": ok('{"max_concurrency": 3}')}
    async with fetcher(tmp_path, answers) as (fetch, asked):
        root = await fetch.fetch(WEB, "capitals", "sample", tmp_path / "fetched")
    dataset = load_dataset(root, "capitals", "sample", source=WEB.address)
    assert dataset.settings.max_concurrency == 3
    assert asked == [FILE, "/sets/capitals/metadata.json"]


async def test_settings_need_not_be_there_but_the_dataset_must(tmp_path: Path) -> None:
    async with fetcher(tmp_path, {FILE: ok(LINE)}) as (fetch, _):
        await fetch.fetch(WEB, "capitals", "sample", tmp_path / "fetched")
        with pytest.raises(Refused, match=r"there is no https://sets.example/sets/capitals/other"):
            await fetch.fetch(WEB, "capitals", "other", tmp_path / "fetched")


MOVED = b"HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n"
DOWN = b"HTTP/1.1 503 Down\r\ncontent-length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "kind", "told"),
    [
        (MOVED, Refused, "redirects"),
        (DOWN, Transient, "status 503"),
        (b"nonsense\r\n\r\n", Transient, "broke off"),
    ],
)
async def test_what_is_no_file_is_told(
    tmp_path: Path, answer: bytes, kind: type[Exception], told: str
) -> None:
    async with fetcher(tmp_path, {FILE: answer}) as (fetch, _):
        with pytest.raises(kind, match=told):
            await fetch.fetch(WEB, "capitals", "sample", tmp_path / "fetched")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://other.example/sets", "SKILLBENCH_DATASET_HOSTS"),
        (f"https://{HOST}.evil.example/sets", "SKILLBENCH_DATASET_HOSTS"),
        (f"https://{HOST}@evil.example/sets", "no password"),
        (f"https://{HOST}:22/sets", "port"),
        (f"https://{HOST}/sets?x=1", "no password"),
    ],
)
async def test_only_allowed_hosts_are_asked(tmp_path: Path, address: str, told: str) -> None:
    async with fetcher(tmp_path, {FILE: ok(LINE)}) as (fetch, asked):
        with pytest.raises(Refused, match=told):
            await fetch.fetch(WebFolder(address), "capitals", "sample", tmp_path / "fetched")
    assert not asked


async def test_a_name_that_leads_inside_is_not_asked(tmp_path: Path) -> None:
    async with fetcher(tmp_path, {FILE: ok(LINE)}, is_open=False) as (fetch, asked):
        with pytest.raises(Refused, match="not public"):
            await fetch.fetch(WEB, "capitals", "sample", tmp_path / "fetched")
    assert not asked


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden"])
async def test_a_name_leads_nowhere_else(tmp_path: Path, name: str) -> None:
    async with fetcher(tmp_path, {}) as (fetch, asked):
        with pytest.raises(Refused, match="cannot be the name"):
            await fetch.fetch(WEB, name, "sample", tmp_path / "fetched")
        with pytest.raises(Refused, match="cannot be the name"):
            await fetch.fetch(WEB, "capitals", name, tmp_path / "fetched")
    assert not asked
