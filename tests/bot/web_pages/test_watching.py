"""A run is told as it goes on: server-sent events, until it has ended or the server goes."""

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from bot.app import create_app
from bot.cli.server import Server, make_config
from bot.cli.serving import listen
from jobs.datasets.live import LiveCase, end_of
from tests.bot.web import some_settings
from tests.bot.web_pages.seeded import (
    ENDED,
    ODD_ID,
    RUNNING,
    Seeded,
    a_plan,
    put_run,
    seeded_server,
    some_results,
)
from tests.jobs.datasets.given import NOON


def events_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = re.findall(r"event: (\w+)\ndata: (.+)\n\n", text)
    return [(name, json.loads(data)) for name, data in found]


async def test_a_run_is_told_as_it_goes_on_until_it_has_ended(pages: Seeded) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    results = some_results()
    async with pages.client.stream("GET", f"/tasks/{RUNNING}/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for piece in answer.aiter_text():
            seen += events_in(piece)
            if len(seen) == 1:
                case = LiveCase(id=ODD_ID, turn=2, since=NOON + timedelta(hours=1))
                await pages.live.turned(RUNNING, case)
            elif len(seen) == 2:
                await pages.live.ended(RUNNING, end_of(results[21]))
            elif seen[-1][1].get("done") == 21:
                await pages.live.set_state(RUNNING, "cancelled")
    assert seen[0][0] == "progress"
    assert seen[0][1]["shown"]["done"] == "20 of 70"
    assert seen[0][1]["shown"]["passes"] == "65%"
    assert {"id": ODD_ID, "turn": 2} in seen[1][1]["in_flight"]
    assert seen[2][1]["done"] == 21
    assert seen[-1] == ("ended", {"state": "cancelled"})


async def test_a_run_that_has_ended_is_told_once(pages: Seeded) -> None:
    answer = await pages.client.get(f"/tasks/{ENDED}/events")
    assert [name for name, _ in events_in(answer.text)] == ["progress", "ended"]


async def test_a_server_that_goes_waits_for_nobody_who_watches(
    redis_url: str, tmp_path: Path
) -> None:
    """A stream has no end of its own; the browser asks the next server again."""
    app = create_app(some_settings(redis_url, data_dir=tmp_path / "data"))
    bound = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with seeded_server(redis_url, tmp_path) as seeded:
        await put_run(seeded, a_plan(RUNNING, ["c1"]), [], "running", tmp_path)
        serving = asyncio.create_task(Server(make_config(app)).serve_until(end, bound))
        async with (
            httpx.AsyncClient(base_url=url, timeout=30) as client,
            client.stream("GET", f"/tasks/{RUNNING}/events") as answer,
        ):
            pieces = answer.aiter_text()
            assert "progress" in await anext(pieces)
            end.set_result(None)
            assert [piece async for piece in pieces] == []  # ended, and not broken off
        await serving
