"""Everything that a session can reach, read from inside one by the real agent's own tools."""

import asyncio
import json
import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from demo.model_api import Gate, Reply, Stall
from jobs.sessions.prepared import Prepared
from jobs.values import SKILL_OR_NONE, Arm, SessionEnd
from tests.jobs.claude_code.sessions import (
    KEY,
    a_session_spec,
    make_launcher,
    run_session,
)
from tests.jobs.looking import LOOK_AROUND, SEEN, look, set_up_worker

KNOCK = r"""
import json, os, socket, sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

port, own = int(sys.argv[1]), os.environ["ANTHROPIC_BASE_URL"]
for place in [("127.0.0.1", port), ("192.0.2.1", 443), ("169.254.169.254", 80)]:
    try:
        socket.create_connection(place, 3)
        print("REACHED", place)
    except OSError as error:
        print("refused", place, error)
body = {"max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
tries = [("/v1/messages", "claude-opus-4-8", os.environ["ANTHROPIC_API_KEY"]),
         ("/v1/messages", "claude-sonnet-4-6", "another token"),
         ("/v1/models", "claude-sonnet-4-6", os.environ["ANTHROPIC_API_KEY"])]
for path, model, key in tries:
    try:
        asked = json.dumps({**body, "model": model}).encode()
        print("ANSWERED", urlopen(Request(own + path, asked, {"x-api-key": key}), timeout=5).status)
    except HTTPError as error:
        print("refused", error.code, dict(error.headers), error.read())
with socket.create_connection(("127.0.0.1", 8999), 5) as tunnel:
    tunnel.sendall(b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n")
    print(tunnel.recv(100))
"""


@pytest.fixture
def launcher(claude, server):
    return make_launcher(claude, server.anthropic_url)


@pytest.fixture
def looks(api):
    """Lets the scripted model run a Python script in its session, and gives what it printed."""

    def looks(script: str, *arguments: str) -> None:
        api.script(Reply(calls=(look(script, *arguments),)), Reply(text="looked"))

    return looks


@pytest.fixture
def worker(tmp_path, monkeypatch):
    return set_up_worker(tmp_path, monkeypatch)


async def test_no_key_no_data_of_the_worker_and_no_other_session_is_in_reach(
    launcher, api, looks, worker, tmp_path
):
    """Environments and command lines of all processes, open files, mounts, the whole tree."""
    other_folder, own_folder = tmp_path / "other", tmp_path / "own"
    other_folder.mkdir()
    own_folder.mkdir()
    stall = Stall(gate=Gate())
    api.fail(stall)
    other = a_session_spec(other_folder, Arm.WITH_SKILL)
    async with asyncio.timeout(60):
        waiting = asyncio.create_task(run_session(launcher, other))
        await stall.gate.reached.wait()  # the other session is alive while this one looks
        looks(LOOK_AROUND)
        ran = await run_session(launcher, a_session_spec(own_folder))
        stall.gate.released.set()
        await waiting
    seen = ran.output(SEEN)
    assert ran.result.end is SessionEnd.COMPLETED
    assert "===== /proc/1/environ" in seen
    assert "===== names" in seen
    assert "CLAUDE_CONFIG_DIR" in seen
    for secret in worker:
        assert secret not in seen
    assert "people lose track" not in seen
    assert str(other_folder) not in seen
    assert str(Path(__file__).parents[3]) not in seen.replace(
        str(launcher.conversations.cli.binary), ""
    )
    assert "with_skill" not in seen
    assert "without_skill" not in seen
    assert f"'{os.uname().nodename}'" not in seen


async def test_nothing_but_the_sessions_own_model_answers_a_knock(launcher, api, looks, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as host_service:
        host_service.setblocking(False)
        looks(KNOCK, str(host_service.getsockname()[1]))
        ran = await run_session(launcher, a_session_spec(tmp_path))
        with pytest.raises(BlockingIOError):
            host_service.accept()
    seen = ran.output(SEEN)
    assert [line.split()[0] for line in seen.splitlines()[:6]] == ["refused"] * 6
    assert "REACHED" not in seen
    assert "ANSWERED" not in seen
    assert "HTTP/1.1 403" in seen
    assert KEY not in seen
    assert ran.result.refused_hosts == (
        "example.org:443: the environment does not allow this host",
    )
    assert {asked.model for asked in api.requests} == {"claude-sonnet-4-6"}


async def test_two_sessions_have_tokens_of_their_own(launcher, looks, tmp_path):
    """One session's token is worth nothing at the socket of another."""
    tokens = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        looks("import os; print(os.environ['ANTHROPIC_API_KEY'])")
        ran = await run_session(launcher, a_session_spec(tmp_path / name))
        tokens.append(ran.output(SEEN).strip())
    assert len(set(tokens)) == 2
    assert all(token.startswith("session-") and len(token) > 30 for token in tokens)


async def test_hosts_that_are_allowed_are_told_to_both_arms(launcher, api, looks, tmp_path):
    prepared = Prepared(hosts=("cran.example",))
    seen = []
    for arm in SKILL_OR_NONE:
        (tmp_path / arm).mkdir()
        looks("import json, os; print(json.dumps(dict(os.environ)))")
        spec = replace(a_session_spec(tmp_path / arm, arm), prepared=prepared)
        ran = await run_session(launcher, spec)
        environment = json.loads(ran.output(SEEN))
        seen.append(
            {name: environment[name] for name in ("https_proxy", "HTTPS_PROXY", "no_proxy")}
        )
        assert "cran.example" in api.requests[-1].system
    assert seen[0] == seen[1]
    assert seen[0]["https_proxy"] == "http://127.0.0.1:8999"
