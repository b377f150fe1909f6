"""The long-running commands as processes: they start, serve, hide secrets, and end in order."""

import asyncio
import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from bot.cli.serving import listen
from bot.embedded_redis import embedded_redis
from demo.github import LocalGitHub
from jobs.errors import Error
from tests.bot.cli.processes import client_of, command
from tests.bot.web import SECRET, a_comment_payload, deliver, headers_for, queued_events


def served(redis_url: str, **changes: str) -> dict[str, str]:
    """What a web process needs."""
    return {"port": "0", "redis_url": redis_url, "github_webhook_secret": SECRET} | changes


async def test_one_delivery_to_two_web_processes_at_once_is_taken_once(
    tmp_path: Path, redis_url: str, redis: Redis
) -> None:
    """Both are answered with a 2xx; both end in order when they are told to."""
    async with (
        command("serve", home=tmp_path, **served(redis_url)) as one,
        command("serve", home=tmp_path, **served(redis_url)) as other,
        client_of(one) as first,
        client_of(other) as second,
    ):
        answers = await asyncio.gather(
            *(
                deliver(client, "issue_comment", a_comment_payload(), X_GitHub_Delivery=f"d-{n}")
                for n in range(20)
                for client in (first, second)
            )
        )
        assert sorted(answer.status_code for answer in answers) == [200] * 20 + [202] * 20
        assert len(await queued_events(redis)) == 20
        assert await one.stopped(signal.SIGTERM) == 0
        assert await other.stopped(signal.SIGINT) == 0


async def test_every_delivery_leaves_a_line_that_says_why_and_none_that_tells_a_secret(
    tmp_path: Path, redis_url: str
) -> None:
    async with (
        command("serve", home=tmp_path, **served(redis_url)) as serving,
        client_of(serving) as client,
    ):
        await deliver(client, "ping", {"zen": "…"}, X_GitHub_Delivery="d-ping")
        await deliver(client, "push", {"ref": "x", "secret": SECRET}, X_GitHub_Delivery="d-push")
        body = b'{"action": "created"}'
        bad = headers_for(body, "issues") | {"X-Hub-Signature-256": f"sha256={SECRET}"}
        await client.post("/webhook", content=body, headers=bad)
        assert await serving.stopped(signal.SIGTERM) == 0
    lines = [json.loads(line) for line in serving.lines]
    ignored = {line["delivery"]: line["reason"] for line in lines if "delivery" in line}
    assert ignored == {"d-ping": "no handler for ping", "d-push": "a push to no branch"}
    [turned] = [line for line in lines if line["event"] == "delivery_turned_away"]
    assert (turned["status"], turned["level"]) == (401, "warning")
    assert SECRET not in "".join(serving.lines)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_the_web_process_stays_small_when_it_has_proven_its_credentials(
    tmp_path: Path, redis_url: str, gh: LocalGitHub
) -> None:
    async with gh.serve() as github:
        app = {
            "github_app_id": str(gh.app_id),
            "github_private_key": gh.private_key_pem,
            "github_api_url": github.api_url,
        }
        async with (
            command("serve", home=tmp_path, **served(redis_url, **app)) as serving,
            client_of(serving) as client,
        ):
            ready = await client.get("/readyz")
            assert ready.json() == {"ready": True, "redis": "ok", "credentials": "ok"}
            status = Path(f"/proc/{serving.pid}/status").read_text(encoding="ascii")
            [peak] = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
            assert int(peak) / 1024 < 120
            assert await serving.stopped(signal.SIGTERM) == 0


async def test_a_web_process_without_credentials_is_not_ready_and_says_which_settings(
    tmp_path: Path, redis_url: str
) -> None:
    async with (
        command("serve", home=tmp_path, **served(redis_url)) as serving,
        client_of(serving) as client,
    ):
        ready = await client.get("/readyz")
        assert ready.status_code == 503
        assert "SKILLBENCH_GITHUB_APP_ID" in ready.json()["credentials"]


async def test_a_worker_ends_in_order(tmp_path: Path, redis_url: str, app_key: str) -> None:
    settings = {
        "redis_url": redis_url,
        "github_app_id": "7",
        "github_private_key": app_key,
        "sandbox": "none",
    }
    async with command("worker", home=tmp_path, **settings) as working:
        await working.logged("working")
        assert await working.stopped(signal.SIGTERM) == 0
    assert "Traceback" not in "".join(working.lines)


async def test_everything_in_one_process_ends_in_order_and_its_redis_with_it(
    tmp_path: Path, app_key: str
) -> None:
    settings = {
        "port": "0",
        "github_webhook_secret": SECRET,
        "github_app_id": "7",
        "github_private_key": app_key,
        "sandbox": "none",
        "data_dir": str(tmp_path / "data"),
    }
    async with command("up", home=tmp_path, **settings) as everything:
        async with client_of(everything) as client:
            await everything.logged("working")
            taken = await deliver(client, "issue_comment", a_comment_payload("hello"))
            assert taken.status_code == 202
        assert await everything.stopped(signal.SIGTERM) == 0
    assert "Traceback" not in "".join(everything.lines)
    folder = tmp_path / "data/redis"
    async with embedded_redis(folder, append_only=True) as url, Redis.from_url(url) as redis:
        kept = await redis.keys("skillbench:delivery:*")
    assert len(kept) == 1, "the delivery is remembered over the restart"


async def test_all_that_everything_in_one_process_lacks_is_told_at_once(tmp_path: Path) -> None:
    """A key that is not there among it, as after a copy of the example of `.env`."""
    given = {"port": "0", "data_dir": str(tmp_path / "data"), "github_private_key": "./no.pem"}
    async with command("up", home=tmp_path, **given) as up:
        assert await up.ended() == 2
    said = "".join(up.lines)
    assert "SKILLBENCH_GITHUB_APP_ID is empty" in said
    assert "SKILLBENCH_GITHUB_WEBHOOK_SECRET is empty" in said
    assert "SKILLBENCH_GITHUB_PRIVATE_KEY names a file that cannot be read" in said
    assert not (tmp_path / "data").exists(), "nothing was started"


async def test_a_port_in_use_is_named_with_the_settings_to_change(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        settings: dict[str, Any] = served("redis://127.0.0.1:1", port=port)
        async with command("serve", home=tmp_path, **settings) as serving:
            assert await serving.ended() == 2
    said = "".join(serving.lines)
    assert "SKILLBENCH_PORT" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("host", ["x" * 300, "192.0.2.1"])
def test_an_address_that_is_not_ours_is_an_error_that_names_the_settings(host: str) -> None:
    with pytest.raises(Error, match=r"SKILLBENCH_HOST"):
        listen(host, 0)


def test_any_free_port_can_be_asked_for() -> None:
    with listen("127.0.0.1", 0) as bound:
        assert bound.getsockname()[1] > 0
