"""Every answer is as the description has it, over no run, one and thousands."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.bot.api.described import DescribedApi
from tests.bot.web_pages.dashboard import dashboard
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, some_records
from tests.bot.web_pages.live_seed import RUN, live_stage
from tests.bot.web_pages.queue_seed import a_request, let_fail, let_live, let_run, let_wait
from tests.bot.web_pages.run_seed import run_pages, seed_runs
from tests.builders import a_run_record

WAIT_S = 60.0
OF_REPO = f"/repos/{REPO}"
ODD_SKILLS = (".", "a:b", "ü/ß 🧮 & more?", "<script>alert(1)</script>", "a%2Fb", "a+b", " ")


async def find_made(api: DescribedApi) -> list[dict[str, Any]]:
    """The cards of all skills, once they are made."""
    async with asyncio.timeout(WAIT_S):
        while True:
            cards = list((await api.get(f"{OF_REPO}/skills")).json())
            if all(card["made_at"] for card in cards):
                return cards


@pytest.mark.parametrize("count", [0, 1, 5_000])
async def test_every_list_and_figure_is_as_it_is_described(
    redis_url: str, tmp_path: Path, count: int
) -> None:
    records = some_records(count)
    async with dashboard(redis_url, tmp_path, records) as board:
        await board.see(REPO, is_private=False)
        await board.ask("one")
        api = await DescribedApi.read(board.client)
        skills = await find_made(api)
        repos = (await api.get("/repos")).json()
        assert repos["total"] == min(count, 1)
        assert len(skills) == min(count, len(SKILLS))
        assert sum(card["runs"] for card in skills) == count
        one = (await api.get(OF_REPO)).json()
        assert (one["queued"], one["running"], one["cards"]) == (1, 0, skills)
        if count:
            assert repos["repos"] == [one]
        for card in skills:
            path = urlencode({"path": card["skill"]})
            found = (await api.get(f"{OF_REPO}/skill?{path}")).json()
            assert found["card"] == card
        for query in ({}, {"skill": SKILLS[0]}, {"model": MODELS[0], "state": "ungraded"}):
            found = (await api.get(f"{OF_REPO}/runs?{urlencode(query)}")).json()
            assert len(found["rows"]) == min(50, found["total"])
        await api.get("/queue")
        await api.get("/live")


async def test_runs_of_every_kind_are_told_as_they_are_described(
    redis_url: str, tmp_path: Path
) -> None:
    async with run_pages(redis_url, tmp_path) as stage:
        await seed_runs(stage)
        api = await DescribedApi.read(stage.client)
        rows = await api.walk(f"{OF_REPO}/runs?most=2", "rows")
        assert len(rows) > 6
        for row in rows:
            found = (await api.get(f"{OF_REPO}/runs/{row['run']}")).json()
            assert found["record"]["run"] == row["run"]
            assert found["details"]["row"]["difference"] == row["difference"]
            await api.get(f"{OF_REPO}/runs/{row['run']}?trial=2")


async def test_a_run_that_goes_on_is_told_as_it_is_described(redis_url: str) -> None:
    async with live_stage(redis_url) as stage:
        api = await DescribedApi.read(stage.client)
        await api.get(f"{OF_REPO}/runs/{RUN}/live", 404)
        stage.show_second_trial()
        async with asyncio.timeout(WAIT_S):
            while not (found := (await api.get("/live")).json()):
                pass
        assert [one["head"]["run"] for one in found] == [RUN]
        alone = (await api.get(f"{OF_REPO}/runs/{RUN}/live")).json()
        assert alone["head"]["repo"] == REPO
        await api.get(f"/repos/acme/other/runs/{RUN}/live", 404)


async def test_the_queue_is_told_as_it_is_described(redis_url: str, tmp_path: Path) -> None:
    async with dashboard(redis_url, tmp_path) as board:
        running, waiting = a_request(issue=1), a_request(issue=2, asker="maria")
        await let_wait(board.redis, running, waiting)
        await let_run(board.redis, running)
        await let_live(board.redis)
        await let_fail(board.redis, a_request(issue=3))
        api = await DescribedApi.read(board.client)
        found = (await api.get("/queue")).json()
        assert [one["issue"] for one in found["running"]] == [1]
        assert [one["asker"] for one in found["waiting"]] == ["maria"]
        assert [one["issue"] for one in found["failed"]] == [3]
        assert found["workers"] == 1


async def test_odd_names_come_through_whole(redis_url: str, tmp_path: Path) -> None:
    records = [
        a_run_record(repo=REPO, run=f"{n:012x}", skill=skill, finished_at=datetime.now(UTC))
        for n, skill in enumerate(ODD_SKILLS)
    ]
    async with dashboard(redis_url, tmp_path, records) as board:
        api = await DescribedApi.read(board.client)
        for skill in ODD_SKILLS:
            found = (await api.get(f"{OF_REPO}/skill?{urlencode({'path': skill})}")).json()
            assert (found["card"]["skill"], found["card"]["runs"]) == (skill, 1)
            runs = (await api.get(f"{OF_REPO}/runs?{urlencode({'skill': skill})}")).json()
            assert [row["skill"] for row in runs["rows"]] == [skill]


@pytest.mark.parametrize(
    "path",
    [
        "/repos/acme/none",
        f"/repos/{quote('a/b', safe='')}/skills",
        "/repos/ü/🧮/runs",
        f"{OF_REPO}/skill?path=no/such",
        f"{OF_REPO}/runs/{'f' * 12}",
        f"{OF_REPO}/runs/..%2f..%2fetc",
        f"{OF_REPO}/runs/%00",
        f"{OF_REPO}/runs/{'f' * 12}/live",
    ],
)
async def test_what_is_not_there_is_said_so(redis_url: str, tmp_path: Path, path: str) -> None:
    async with dashboard(redis_url, tmp_path, some_records(2)) as board:
        answer = await board.client.get(f"/api/v1{path}")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"].startswith("There is nothing at this address")
