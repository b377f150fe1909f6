"""How the API is asked: parts of lists, again, wrongly, and from other sites."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.store.run_index import REPOS
from tests.bot.api.described import ROOT, DescribedApi
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.dashboard import Dashboard, dashboard
from tests.bot.web_pages.ledger_seed import MODELS, REPO, SKILLS, some_records
from tests.builders import a_run_record

RUNS = f"/repos/{REPO}/runs"
WAIT_S = 60.0
SITE = {"origin": "https://charts.example.org"}


@pytest.fixture
async def board(redis_url: str, tmp_path: Path) -> AsyncIterator[Dashboard]:
    async with dashboard(redis_url, tmp_path, some_records(130)) as board:
        yield board


async def test_a_list_is_walked_by_its_links(board: Dashboard) -> None:
    api = await DescribedApi.read(board.client)
    rows = await api.walk(f"{RUNS}?most=33&model={MODELS[1]}", "rows")
    meant = [one for one in reversed(some_records(130)) if one.model == MODELS[1]]
    assert [row["run"] for row in rows] == [one.run for one in meant]


async def test_a_name_that_no_header_can_hold_breaks_nothing(board: Dashboard) -> None:
    """U+212A is a `k` in small letters, so it names a repository as well."""
    other = REPO.replace("k", "%E2%84%AA")
    answer = await board.client.get(f"{ROOT}/repos/{other}/runs?most=2")
    assert answer.status_code == 200
    assert (await board.client.get(answer.links["next"]["url"])).status_code == 200


async def test_runs_that_end_meanwhile_shift_no_part(board: Dashboard) -> None:
    api = await DescribedApi.read(board.client)
    first = (await api.get(f"{RUNS}?most=100")).json()
    now = datetime.now(UTC)
    later = [a_run_record(repo=REPO, run=f"{n:012x}", finished_at=now) for n in range(3)]
    await board.put(*later)
    rest = (await api.get(f"{RUNS}?most=100&after={first['next']}")).json()
    assert len({row["run"] for row in (*first["rows"], *rest["rows"])}) == 130


async def test_repositories_come_in_parts_by_name(redis_url: str, tmp_path: Path) -> None:
    names = [f"Acme/skills-{n}" for n in range(5)]
    records = [one for name in names for one in some_records(1, repo=name)]
    async with dashboard(redis_url, tmp_path, records) as board:
        api = await DescribedApi.read(board.client)
        found = await api.walk("/repos?most=2", "repos")
        assert [one["repo"] for one in found] == names


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ("most=201", "query.most"),
        ("most=0", "query.most"),
        ("most=many", "query.most"),
        ("state=broken", "query.state"),
        ("after=5", "query.after"),
        ("after=1.a%20b", "query.after"),
        ("modle=x", "query.modle"),
        (f"skill={'x' * 1001}", "query.skill"),
    ],
)
async def test_what_is_not_understood_is_named(board: Dashboard, query: str, where: str) -> None:
    api = await DescribedApi.read(board.client)
    found = (await api.get(f"{RUNS}?{query}", 422)).json()
    assert [fault["where"] for fault in found["errors"]] == [where]
    assert where in found["detail"]


async def test_a_skill_without_its_path_is_not_understood(board: Dashboard) -> None:
    api = await DescribedApi.read(board.client)
    found = (await api.get(f"/repos/{REPO}/skill", 422)).json()
    assert found["detail"] == "query.path: is missing"


@pytest.mark.parametrize(
    "path",
    [
        "/repos",
        f"/repos/{REPO}",
        f"/repos/{REPO}/skills",
        f"/repos/{REPO}/skill?path={SKILLS[0]}",
        RUNS,
        f"{RUNS}?state=complete",
    ],
)
async def test_what_is_known_is_not_sent_again_until_a_run_ends(
    board: Dashboard, path: str
) -> None:
    api = await DescribedApi.read(board.client)
    async with asyncio.timeout(WAIT_S):
        tag = await board.settle(ROOT + path)
    again = await api.get(path, 304, **tag)
    assert again.headers["etag"] == tag["if-none-match"]
    await board.put(*some_records(1, repo=REPO, skills=[SKILLS[0]]))
    await api.get(path, 200, **tag)


async def test_an_answer_is_of_its_own_for_each_question(board: Dashboard) -> None:
    async with asyncio.timeout(WAIT_S):
        await board.settle(ROOT + RUNS)
    asked = [RUNS, f"{RUNS}?most=3", f"{RUNS}?most=4"]
    tags = {(await board.client.get(ROOT + path)).headers["etag"] for path in asked}
    assert len(tags) == 3


async def test_heads_are_those_of_the_answers(board: Dashboard) -> None:
    async with asyncio.timeout(WAIT_S):
        await board.settle(ROOT + RUNS)
    for path in (RUNS, f"{RUNS}?most=x", "/none"):
        head = await board.client.head(ROOT + path)
        answer = await board.client.get(ROOT + path)
        assert (head.status_code, head.content) == (answer.status_code, b"")
        for name in ("content-length", "content-type", "etag"):
            assert head.headers.get(name) == answer.headers.get(name)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_it_is_only_read(board: Dashboard, method: str) -> None:
    answer = await board.client.request(method, ROOT + RUNS)
    assert answer.status_code == 405
    assert answer.json()["detail"] == "This is only read: ask with GET."


async def test_scripts_of_other_sites_read_nothing_by_default(board: Dashboard) -> None:
    answer = await board.client.get(ROOT + "/repos", headers=SITE)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.json()["repos"] == []


async def test_scripts_of_a_named_site_read_what_everybody_sees(
    redis_url: str, tmp_path: Path
) -> None:
    named = {"api_origins": "https://charts.example.org, https://other.example"}
    records = [*some_records(2), *some_records(2, repo="acme/secret")]
    async with dashboard(redis_url, tmp_path, records, public_pages=True, **named) as board:
        await board.see(REPO, is_private=False)
        await board.see("acme/secret", is_private=True)
        answer = await board.client.get(ROOT + "/repos", headers=SITE)
        assert answer.headers["access-control-allow-origin"] == SITE["origin"]
        assert "access-control-allow-credentials" not in answer.headers
        assert "origin" in answer.headers["vary"]
        assert [one["repo"] for one in answer.json()["repos"]] == [REPO]
        stranger = {"origin": "https://evil.example"}
        answer = await board.client.get(ROOT + "/repos", headers=stranger)
        assert "access-control-allow-origin" not in answer.headers
        asked = {**SITE, "access-control-request-method": "DELETE"}
        answer = await board.client.options(ROOT + "/repos", headers=asked)
        assert answer.status_code == 400


async def test_without_redis_it_says_to_ask_again(tmp_path: Path) -> None:
    settings = some_settings(f"unix://{tmp_path}/none.sock", data_dir=tmp_path / "data")
    async with web_client(settings) as client:
        api = await DescribedApi.read(client)
        for path in ("/repos", f"/repos/{REPO}", RUNS, "/queue", "/live"):
            answer = await api.get(path, 503)
            assert int(answer.headers["retry-after"]) > 0
            assert "ask again soon" in answer.json()["detail"]


async def test_a_defect_tells_nothing_of_itself(board: Dashboard) -> None:
    """Here: what Redis holds is of another kind than anything of ours."""
    await board.redis.set(REPOS, "of another kind")
    answer = await board.client.get(f"{ROOT}/repos")
    assert answer.status_code == 503
    assert "WRONGTYPE" not in answer.text
