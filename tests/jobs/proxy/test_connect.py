"""The way to other machines: by name, to public addresses, and nowhere else."""

import asyncio

import pytest

from jobs.proxy.connect import MAX_REMEMBERED, is_public
from jobs.proxy.greeting import HostRefused
from tests.jobs.proxy.net import PUBLIC, Net
from tests.jobs.proxy.opened import opened_proxy


async def connect(socket, target: str) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
    return await reader.readuntil(b"\r\n\r\n"), reader, writer


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True),
        ("2606:4700:4700::1111", True),
        ("64:ff9b::5db8:d822", True),
        ("::ffff:93.184.216.34", True),
        ("127.0.0.1", False),
        ("127.9.9.9", False),
        ("::1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fd00:ec2::254", False),
        ("fec0::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2002:7f00:1::", False),
        ("224.0.0.1", False),
        ("ff02::1", False),
        ("255.255.255.255", False),
        ("192.0.2.1", False),
        ("", False),
        ("localhost", False),
    ],
)
def test_only_addresses_of_the_open_internet_are_public(address, public):
    assert is_public(address) is public


async def test_a_tunnel_carries_both_ways_to_an_allowed_host(server, tmp_path):
    net = Net({"cran.example": [PUBLIC]})
    gate = net.gate("cran.example")
    async with net.echoing(), opened_proxy(tmp_path, server.anthropic_url, gate=gate) as opened:
        async with asyncio.timeout(10):
            head, reader, writer = await connect(opened.socket, "cran.example:443")
            assert head.startswith(b"HTTP/1.1 200")
            writer.write(b"hello\n")
            assert await reader.readline() == b"HELLO\n"
            writer.write_eof()
            assert await reader.read() == b""
            writer.close()
    assert net.dialled == [(PUBLIC, 443)]
    assert list(gate.reached) == ["cran.example"]
    assert not gate.refused


async def test_what_is_sent_along_with_the_request_is_not_lost(server, tmp_path):
    net = Net({"cran.example": [PUBLIC]})
    gate = net.gate("cran.example")
    async with net.echoing(), opened_proxy(tmp_path, server.anthropic_url, gate=gate) as opened:
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_unix_connection(opened.socket)
            writer.write(b"CONNECT cran.example:443 HTTP/1.1\r\nHost: x\r\n\r\nearly\n")
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readline() == b"EARLY\n"
            writer.close()


@pytest.mark.parametrize(
    "target",
    [
        "example.org:443",
        "cran.example:80",
        "cran.example:22",
        "cran.example",
        "sub.cran.example:443",
        "cran.example.evil.example:443",
        "evilcran.example:443",
        "93.184.216.34:443",
        "127.0.0.1:443",
        "[::1]:443",
        "localhost:443",
        "cran.example@evil.example:443",
        "cran.example:443@evil.example:443",
        "cran.example:0443",
        ":443",
    ],
)
async def test_everything_else_is_refused_and_remembered(server, tmp_path, target):
    net = Net({"cran.example": [PUBLIC], "example.org": [PUBLIC]})
    gate = net.gate("cran.example")
    async with opened_proxy(tmp_path, server.anthropic_url, gate=gate) as opened:
        async with asyncio.timeout(10):
            head, reader, writer = await connect(opened.socket, target)
            assert head.startswith(b"HTTP/1.1 403")
            assert b"is not reached" in await reader.read()
            writer.close()
    assert net.dialled == []
    assert list(gate.refused) == [target]


@pytest.mark.parametrize("written", ["CRAN.Example:443", "cran.example.:443"])
async def test_a_hosts_name_has_no_case_and_may_end_in_a_dot(written):
    net = Net({"cran.example": [PUBLIC]})
    async with net.echoing():
        _, writer = await net.gate(" Cran.Example").open(written)
        writer.close()
    assert net.dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["10.0.0.5", "::1"], ["169.254.169.254"], []], ids=str
)
async def test_a_name_that_leads_inside_is_refused(addresses):
    """The name is allowed; where it leads is not."""
    net = Net({"cran.example": addresses})
    gate = net.gate("cran.example")
    with pytest.raises(HostRefused, match="public"):
        await gate.open("cran.example:443")
    assert net.dialled == []
    assert "public" in gate.refused["cran.example:443"]


async def test_of_mixed_addresses_only_public_ones_are_dialled():
    net = Net({"cran.example": ["127.0.0.1", PUBLIC]})
    async with net.echoing():
        _, writer = await net.gate("cran.example").open("cran.example:443")
        writer.close()
    assert net.dialled == [(PUBLIC, 443)]


async def test_a_host_that_does_not_answer_is_named():
    gate = Net({}).gate("gone.example")
    with pytest.raises(HostRefused, match="could not be reached"):
        await gate.open("gone.example:443")
    assert gate.refused == {"gone.example:443": "it could not be reached"}


async def test_what_is_remembered_has_an_end():
    gate = Net({}).gate()
    for number in range(MAX_REMEMBERED + 20):
        with pytest.raises(HostRefused):
            await gate.open(f"host{number}.example:443\n" + "x" * 5_000)
    assert len(gate.refused) == MAX_REMEMBERED
    assert max(len(host) for host in gate.refused) < 300
    assert not any("\n" in host for host in gate.refused)


async def test_plain_http_is_refused_by_the_hosts_name(server, tmp_path):
    """Programs are sent here with it, so that the report can say what they wanted."""
    gate = Net({"cran.example": [PUBLIC]}).gate("cran.example")
    async with opened_proxy(tmp_path, server.anthropic_url, gate=gate) as opened:
        async with asyncio.timeout(10):
            reader, writer = await asyncio.open_unix_connection(opened.socket)
            writer.write(b"GET http://cran.example/a?b HTTP/1.1\r\nHost: cran.example\r\n\r\n")
            assert b"403" in await reader.readline()
            writer.close()
    assert gate.refusals == ("cran.example: only HTTPS is open",)
