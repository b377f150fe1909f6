"""What the web process tells an operator, and what it refuses to start without."""

import asyncio
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from bot.app import create_app
from bot.embedded_redis import embedded_redis
from bot.metrics import Counts
from config.repo_schema import schema_text
from jobs.errors import Error, Transient
from tests.bot.web import a_comment_payload, deliver, queued_events, some_settings, web_client


@pytest.mark.parametrize(
    ("changes", "variable"),
    [
        ({"github_webhook_secret": ""}, "SKILLBENCH_GITHUB_WEBHOOK_SECRET"),
        ({"redis_url": ""}, "SKILLBENCH_REDIS_URL"),
    ],
)
def test_it_does_not_start_without_what_deliveries_need(
    changes: dict[str, str], variable: str
) -> None:
    """An empty secret would let anybody sign."""
    with pytest.raises(Error, match=variable):
        create_app(some_settings(**({"redis_url": "redis://127.0.0.1:1"} | changes)))


def test_all_that_is_missing_is_named_at_once() -> None:
    with pytest.raises(Error, match=r"(?s)WEBHOOK_SECRET.*REDIS_URL"):
        create_app(some_settings("", github_webhook_secret=""))


async def test_it_is_alive_and_ready(web: httpx.AsyncClient) -> None:
    assert (await web.get("/healthz")).json() == {"status": "ok"}
    ready = await web.get("/readyz")
    assert ready.status_code == 200
    assert ready.json() == {"ready": True, "redis": "ok", "credentials": "ok"}


async def test_redis_away_and_back(short_path: Path) -> None:
    """Deliveries are refused rather than dropped, and taken again without a restart."""
    async with embedded_redis(short_path) as url:
        pass
    async with web_client(some_settings(url)) as web:
        assert (await web.get("/healthz")).status_code == 200
        ready = await web.get("/readyz")
        assert ready.status_code == 503
        assert "SKILLBENCH_REDIS_URL" in ready.json()["redis"]
        refused = await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
        assert refused.status_code == 503
        assert (await deliver(web, "ping", {"zen": "…"})).status_code == 200
        assert b"skillbench_deliveries_total" in (await web.get("/metrics")).content
        async with embedded_redis(short_path), Redis.from_url(url) as redis:
            assert (await web.get("/readyz")).status_code == 200
            taken = await deliver(
                web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1"
            )
            assert taken.status_code == 202
            assert len(await queued_events(redis)) == 1
        async with embedded_redis(short_path):  # the pool still holds a closed connection
            taken = await deliver(web, "issue_comment", a_comment_payload())
            assert taken.status_code == 202


async def test_a_full_redis_takes_no_delivery_and_says_so(
    web: httpx.AsyncClient, redis: Redis
) -> None:
    """It still answers to PING, so only a write tells."""
    await redis.config_set("maxmemory-policy", "noeviction")
    await redis.config_set("maxmemory", "1")
    try:
        ready = await web.get("/readyz")
        assert ready.status_code == 503
        assert "full" in ready.json()["redis"]
        refused = await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
        assert refused.status_code == 503
    finally:
        await redis.config_set("maxmemory", "0")
    assert (await web.get("/readyz")).status_code == 200
    taken = await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
    assert taken.status_code == 202


async def test_bad_credentials_make_it_unready_and_are_named(redis_url: str) -> None:
    async def refuse() -> None:
        raise Transient("GitHub refuses the App's key")

    async with web_client(some_settings(redis_url), check_credentials=refuse) as web:
        ready = await web.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["credentials"] == "GitHub refuses the App's key"


async def test_an_unexpected_failure_of_the_check_tells_no_secret(redis_url: str) -> None:
    async def leak() -> None:
        raise ValueError("-----BEGIN RSA PRIVATE KEY-----")

    async with web_client(some_settings(redis_url), check_credentials=leak) as web:
        ready = await web.get("/readyz")
    assert ready.status_code == 503
    assert "BEGIN" not in ready.text


@pytest.mark.parametrize("outcome", [None, Transient("GitHub refuses the App's key")])
async def test_however_many_ask_the_credentials_are_proven_once(
    redis_url: str, outcome: Exception | None
) -> None:
    """Anybody may probe; GitHub's patience is limited, whether it answers yes or no."""
    proven = 0
    gate = asyncio.Event()

    async def prove() -> None:
        nonlocal proven
        proven += 1
        await gate.wait()
        if outcome is not None:
            raise outcome

    async with web_client(some_settings(redis_url), check_credentials=prove) as web:
        asking = [asyncio.create_task(web.get("/readyz")) for _ in range(5)]
        async with asyncio.timeout(10):
            while not proven:
                await asyncio.sleep(0.005)
        gate.set()
        answers = [*await asyncio.gather(*asking), await web.get("/readyz")]
    assert proven == 1
    assert {answer.status_code for answer in answers} == {503 if outcome else 200}


async def test_metrics_count_deliveries_and_the_workers_sums(
    web: httpx.AsyncClient, redis: Redis
) -> None:
    await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
    await deliver(web, "issue_comment", a_comment_payload(), X_GitHub_Delivery="d-1")
    await deliver(web, "ping", {})
    counts = Counts(redis)
    await counts.add("runs", "graded")
    await counts.add("runs", "graded")
    await counts.add("sessions", 'odd "end"\n')
    page = (await web.get("/metrics")).text
    for line in (
        'skillbench_deliveries_total{outcome="queued"} 1.0',
        'skillbench_deliveries_total{outcome="repeated"} 1.0',
        'skillbench_deliveries_total{outcome="ignored"} 1.0',
        'skillbench_runs_total{outcome="graded"} 2.0',
        'skillbench_sessions_total{outcome="odd \\"end\\"\\n"} 1.0',
        'skillbench_queued_jobs{queue="events"} 1.0',
        'skillbench_queued_jobs{queue="requests"} 0.0',
    ):
        assert line in page.splitlines()


async def test_a_count_that_redis_cannot_take_costs_nothing_else(short_path: Path) -> None:
    async with embedded_redis(short_path) as url:
        redis = Redis.from_url(url)
    await Counts(redis).add("runs", "graded")
    await redis.aclose()


HEAVY = (
    *("anthropic", "openai", "pydantic_ai", "githubkit", "arq", "markdown_it", "obstore"),
    *("fastapi", "jinja2", "numpy", "scipy", "matplotlib"),
)

MEMORY = "[line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0]"
"""The most memory a process has held, in KB; unlike `getrusage`, without that of its parent."""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_web_process_loads_no_heavy_library_and_stays_small() -> None:
    """Measured in a process of its own: CPU seconds, since this machine may be busy."""
    program = (
        "import sys, time\n"
        "started = time.process_time()\n"
        "import bot.app\n"
        "used = time.process_time() - started\n"
        "modules = sorted({name.split('.')[0] for name in sys.modules})\n"
        f"print(used, ({MEMORY}), *modules)\n"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    _, peak, *modules = printed[0]
    assert "starlette" in modules
    assert [name for name in HEAVY if name in modules] == []
    assert int(peak) / 1024 < 120
    assert min(float(line[0]) for line in printed) < 1.0


async def test_editors_find_the_schema_of_the_repositorys_file(web: httpx.AsyncClient) -> None:
    answer = await web.get("/skillbench.schema.json")
    assert answer.headers["content-type"] == "application/schema+json"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.text == schema_text()
