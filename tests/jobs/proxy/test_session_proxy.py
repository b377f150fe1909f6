"""The socket itself: who may come, how many, and that nothing outlives the session."""

import asyncio
import json

import httpx
import pytest

from demo.model_api import Reply, Stall
from jobs.proxy.session_proxy import MAX_CONNECTIONS
from tests.jobs.proxy.opened import TOKEN, a_body, opened_proxy


async def raw(socket, sent: bytes) -> bytes:
    """Send bytes as they are, and give what comes until the proxy closes."""
    reader, writer = await asyncio.open_unix_connection(socket)
    writer.write(sent)
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_a_path_may_be_longer_than_the_kernel_allows_for_sockets(server, tmp_path):
    folder = tmp_path / ("deep" * 40)
    folder.mkdir()
    async with opened_proxy(folder, server.anthropic_url) as opened:
        assert len(str(opened.socket)) > 107
        assert opened.socket.is_socket()
        assert opened.socket.stat().st_mode & 0o777 == 0o666


async def test_after_the_session_nobody_is_served(api, server, tmp_path):
    api.fail(Stall(after_events=2))
    async with opened_proxy(tmp_path, server.anthropic_url) as opened:
        request = opened.client.build_request(
            "POST", "/v1/messages", json=a_body(), headers={"x-api-key": TOKEN}
        )
        answer = await opened.client.send(request, stream=True)
        chunks = answer.aiter_raw()
        async with asyncio.timeout(10):
            await anext(chunks)
    with pytest.raises(httpx.HTTPError):
        async for _ in chunks:
            pass
    await answer.aclose()
    with pytest.raises(OSError):
        await asyncio.open_unix_connection(opened.socket)
    assert opened.usage.requests == 1


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000,
        b"POST /v1/messages HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n",
    ],
)
async def test_what_is_no_http_costs_its_own_connection_alone(api, opened, sent):
    api.script(Reply(text="42"))
    if sent.endswith(b"HTTP/1.1\r\n"):
        _, writer = await asyncio.open_unix_connection(opened.socket)
        writer.write(sent)
        writer.close()
    else:
        assert b"200 OK" not in await raw(opened.socket, sent)
    assert (await opened.ask()).status_code == 200


async def test_a_body_without_end_is_refused(opened):
    head = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: the-token-of-this-session\r\n"
    head += b"Content-Length: 99999999999\r\n\r\n"
    answer = await raw(opened.socket, head + b"x" * (33 * 1024 * 1024))
    assert b"413" in answer.split(b"\r\n")[0]


async def test_a_client_that_asks_before_it_sends_is_told_to_go_on(api, opened):
    """`curl` does so for large requests."""
    api.script(Reply(text="42"))
    answer = await opened.client.post(
        "/v1/messages",
        json=a_body(),
        headers={"x-api-key": TOKEN, "expect": "100-continue"},
    )
    assert answer.status_code == 200


async def test_there_is_an_end_to_the_connections_of_one_session(opened):
    writers = []
    async with asyncio.timeout(20):
        for _ in range(MAX_CONNECTIONS):
            _, writer = await asyncio.open_unix_connection(opened.socket)
            writers.append(writer)
        assert await raw(opened.socket, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") == b""
        for writer in writers:
            writer.close()


async def test_one_connection_serves_many_requests(api, opened):
    api.script(Reply(text="42"), forever=True)
    reader, writer = await asyncio.open_unix_connection(opened.socket)
    async with asyncio.timeout(10):
        for _ in range(3):
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_what_a_client_sends_before_it_has_its_answer_does_not_pile_up(api, opened):
    """A session could fill the memory of its worker, and end all others with it."""
    waiting = Stall()
    api.script(waiting)
    body = json.dumps(a_body()).encode()
    head = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: %b\r\nContent-Length: %d\r\n\r\n"
    _, writer = await asyncio.open_unix_connection(opened.socket)

    async def flood() -> None:
        for _ in range(64):
            writer.write(b"x" * 1024 * 1024)
            await writer.drain()

    async with asyncio.timeout(20):
        writer.write(head % (TOKEN.encode(), len(body)) + body)
        await waiting.gate.reached.wait()
        with pytest.raises(ConnectionError):
            await flood()
    writer.close()


async def test_a_little_that_is_sent_ahead_is_answered_in_its_turn(api, opened):
    api.script(Reply(text="42"), forever=True)
    reader, writer = await asyncio.open_unix_connection(opened.socket)
    async with asyncio.timeout(20):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
        for _ in range(3):
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_a_tunnel_that_is_asked_for_with_a_body_is_refused_in_words(opened):
    asked = b"CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
    assert b"400" in (await raw(opened.socket, asked)).split(b"\r\n")[0]


async def test_headers_that_are_no_ascii_stay_behind(api, opened):
    """No client of ours sends any, and a key must not stand in the log of a failure."""
    api.script(Reply(text="42"))
    headers = {"x-api-key": TOKEN.encode(), "anthropic-beta": "\xfc".encode("latin-1")}
    answer = await opened.client.post("/v1/messages", json=a_body(), headers=headers)
    assert answer.status_code == 200
