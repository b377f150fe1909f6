"""The forwarder by itself: a process between a port and a socket, and around a program."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jobs.proxy import forwarder

FILE = Path(forwarder.__file__)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


@asynccontextmanager
async def forwarding(socket_path: Path, *argv: str):
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-c", FILE.read_text(), str(port), str(socket_path), *argv),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(20):
            yield process, port
    finally:
        # the program too: it would keep the pipes open
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@asynccontextmanager
async def echo_server(path: Path):
    """Answers every line in capitals, and closes after the line `bye`."""
    tasks = []

    async def serve(reader, writer):
        tasks.append(asyncio.current_task())
        while line := await reader.readline():
            writer.write(line.upper())
            await writer.drain()
            if line == b"bye\n":
                break
        writer.close()

    async with await asyncio.start_unix_server(serve, path, limit=2**24):
        yield
        await asyncio.gather(*tasks)


READY = "print('ready', flush=True); import sys; sys.stdin.read()"
"""A program that says when it runs, and ends when its input does."""


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", 128 + signal.SIGKILL),
        ("kill -TERM $$", 128 + signal.SIGTERM),
    ],
)
async def test_the_programs_exit_code_is_its_own(tmp_path, script, code):
    async with forwarding(tmp_path / "none.sock", "sh", "-c", script) as (process, _):
        assert await process.wait() == code


async def test_a_program_that_is_not_there_is_told(tmp_path):
    async with forwarding(tmp_path / "none.sock", "/no/such/program") as (process, _):
        _, errors = await process.communicate()
    assert process.returncode == 127
    assert errors == b"/no/such/program cannot be run: No such file or directory\n"


async def test_input_and_output_are_the_programs(tmp_path):
    async with forwarding(tmp_path / "none.sock", "tr", "a-z", "A-Z") as (process, _):
        output, _ = await process.communicate(b"hello " * 100_000)
    assert output == b"HELLO " * 100_000


async def test_bytes_go_both_ways_while_the_program_runs(tmp_path):
    path = tmp_path / "s.sock"
    async with echo_server(path), forwarding(path, sys.executable, "-c", READY) as (process, port):
        assert await process.stdout.readline() == b"ready\n"
        connections = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
        for number, (reader, writer) in enumerate(connections):
            writer.write(f"line {number}\n".encode())
            assert await reader.readline() == f"LINE {number}\n".encode()
            writer.close()


async def test_megabytes_arrive_whole_and_the_end_is_passed_on(tmp_path):
    path = tmp_path / "s.sock"
    async with echo_server(path), forwarding(path, sys.executable, "-c", READY) as (process, port):
        await process.stdout.readline()
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        sent = b"x" * 5_000_000 + b"\nbye\n"
        writer.write(sent)
        assert await reader.read() == sent.upper()
        writer.close()


async def test_a_proxy_that_is_gone_ends_a_connection_and_nothing_else(tmp_path):
    program = (sys.executable, "-c", READY)
    async with forwarding(tmp_path / "none.sock", *program) as (process, port):
        await process.stdout.readline()
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read() == b""
            writer.close()
        process.stdin.close()
        assert await process.wait() == 0


async def test_more_connections_than_at_a_time_wait_their_turn(tmp_path):
    path = tmp_path / "s.sock"
    async with echo_server(path), forwarding(path, sys.executable, "-c", READY) as (process, port):
        await process.stdout.readline()
        many = [
            await asyncio.open_connection("127.0.0.1", port)
            for _ in range(forwarder.MAX_CONNECTIONS + 6)
        ]
        for reader, writer in many:
            writer.write(b"bye\n")
            assert await reader.read() == b"BYE\n"
            writer.close()


def test_it_needs_nothing_but_the_standard_library():
    """The sandbox starts it with the system's Python, without site-packages."""
    words = {line.split()[1] for line in FILE.read_text().splitlines() if line.startswith("import")}
    assert words <= set(sys.stdlib_module_names)
    assert "from " not in "".join(
        line for line in FILE.read_text().splitlines() if line.startswith("from")
    )


def test_it_leaves_no_trace_of_the_worker_in_its_text():
    assert os.path.expanduser("~") not in FILE.read_text()  # noqa: PTH111
