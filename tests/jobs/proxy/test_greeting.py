"""The name in a tunnel's greeting: that of the host which was allowed, or nothing passes."""

import asyncio
import ssl

import pytest

from jobs.proxy.greeting import HostRefused, read_greeting
from tests.jobs.proxy.net import PUBLIC, Net
from tests.jobs.proxy.opened import opened_proxy

HOST = "cran.example"


def hello(name: str | None) -> bytes:
    """The first bytes of a real TLS client that asks for `name`."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    written = ssl.MemoryBIO()
    client = context.wrap_bio(ssl.MemoryBIO(), written, server_hostname=name)
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return written.read()


def heard(*pieces: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    return reader


@pytest.mark.parametrize("cut", [0, 1, 5, 60, 10_000])
async def test_a_greeting_that_names_the_host_is_given_back_whole(cut):
    said = hello(HOST)
    assert await read_greeting(heard(said[cut:]), said[:cut], HOST) == said


async def test_the_case_of_a_name_is_nothing():
    said = hello("CRAN.Example")
    assert await read_greeting(heard(said), b"", HOST) == said


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        pytest.param(hello("evil.example"), "evil.example", id="another host"),
        pytest.param(hello(f"{HOST}.evil.example"), f"{HOST}.evil.example", id="longer"),
        pytest.param(hello(None), "nobody", id="no name"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: cran.example\r\n\r\n", "not by TLS", id="plain"),
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n", "not by TLS", id="ssh"),
        pytest.param(b"\x16\x03\x01\x40\x00\x01\x00" + b"x" * 200_000, "not by TLS", id="endless"),
        pytest.param(hello(HOST)[:40], "nobody", id="cut off"),
    ],
)
async def test_everything_else_is_refused_by_what_it_asked_for(said, asked):
    with pytest.raises(HostRefused, match=asked):
        await read_greeting(heard(said), b"", HOST)


async def test_a_client_that_leaves_without_a_word_asked_for_nothing():
    assert await read_greeting(heard(), b"", HOST) == b""


@pytest.mark.parametrize(("name", "passes"), [(HOST, True), ("evil.example", False)])
async def test_behind_an_allowed_host_no_other_is_reached(server, tmp_path, name, passes):
    """Hosts of many people stand behind one address; the greeting decides who answers."""
    net = Net({HOST: [PUBLIC]})
    gate = net.strict_gate(HOST)
    async with net.echoing(), opened_proxy(tmp_path, server.anthropic_url, gate=gate) as opened:
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_unix_connection(opened.socket)
            writer.write(f"CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            writer.write(hello(name) + b"\n")
            answered = b""
            if passes:
                writer.write_eof()
                answered = await reader.read()
            else:
                with pytest.raises((ConnectionError, EOFError)):
                    await reader.readexactly(1)
            writer.close()
    assert bool(answered) is passes
    assert list(gate.refused.values()) == (
        [] if passes else [f"through its tunnel something else was asked for: {name}"]
    )
