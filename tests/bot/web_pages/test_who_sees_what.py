"""Every address of the dashboard, asked for by everybody: nothing of a private repository leaks."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from bot.blobs import Blobs
from bot.store.run_index import versions_key
from bot.web.access import SESSION
from tests.bot.web_pages.ledger_seed import put_ended_run, put_records, some_records
from tests.bot.web_pages.queue_seed import a_request, let_fail, let_wait
from tests.bot.web_pages.reaching import OPERATOR, World, a_world, give
from tests.builders import a_run_spec

SECRET, RUN = "acme/secret", "abcdefabcdef"
SKILL = "hidden-skill"
QUERY = urlencode({"path": SKILL})
HERE, API, CHARTS = f"/repos/{SECRET}", f"/api/v1/repos/{SECRET}", f"/charts/{SECRET}"
ADDRESSES = (
    HERE,
    f"{HERE}/skill?{QUERY}",
    f"{HERE}/runs",
    f"{HERE}/runs/{RUN}",
    f"{HERE}/runs/{RUN}/files",
    f"{HERE}/runs/{RUN}/file?arm=with_skill&trial=1&path=response.md",
    f"{HERE}/runs/{RUN}/archive.zip",
    f"{HERE}/runs/{RUN}/run.json",
    f"{HERE}/runs/{RUN}/transcript?arm=with_skill&trial=1",
    f"{HERE}/runs/{RUN}/diff?with={RUN}",
    f"{HERE}/runs/{RUN}/events",
    f"{CHARTS}/difference.svg",
    f"{CHARTS}/versions.svg?{urlencode({'skill': SKILL})}",
    f"{CHARTS}/badge.png?{urlencode({'skill': SKILL})}",
    API,
    f"{API}/skills",
    f"{API}/skill?{QUERY}",
    f"{API}/runs",
    f"{API}/runs/{RUN}",
    f"{API}/runs/{RUN}/live",
)
LISTS = ("/", "/queue", "/api/v1/repos", "/api/v1/queue", "/api/v1/live")
WORDS = ("secret", SKILL, "mallory", RUN)
"""Of the private repository; none of them may reach anybody else."""


@asynccontextmanager
async def a_full_world(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[World]:
    """A private repository with runs, a run whose files are kept, and requests."""
    async with a_world(redis_url, folder, **changes) as world:
        records = some_records(12, repo=SECRET, skills=(SKILL,))
        last = records[-2].model_copy(update={"run": RUN})
        await put_records(world.redis, [*records[:-2], last])
        blobs = Blobs((folder / "data/blobs").absolute().as_uri())
        spec = a_run_spec(run_id=RUN).model_copy(update={"repo": world.repo(SECRET)})
        await put_ended_run(blobs, folder / "run", run_id=RUN, spec=spec)
        repo = world.repo(SECRET)
        await let_wait(world.redis, a_request(repo, 21, asker="mallory"))
        await let_fail(world.redis, a_request(repo, 22, asker="mallory"))
        yield world


async def ask(client: httpx.AsyncClient, path: str) -> httpx.Response:
    """An answer to its end, or to where a stream begins."""
    async with client.stream("GET", path) as answer:
        if "event-stream" not in answer.headers.get("content-type", ""):
            await answer.aread()
        return answer


@pytest.mark.parametrize("who", ["nobody", "mallory"])
async def test_nothing_of_a_private_repository_reaches_who_may_not_read_it(
    redis_url: str, tmp_path: Path, who: str
) -> None:
    async with a_full_world(redis_url, tmp_path, public_pages=True) as world:
        if who != "nobody":
            await world.sign_in(who)
        own = {who, "mallory"} if who == "mallory" else set()
        for path in ADDRESSES:
            answer = await ask(world.client, path)
            other = await ask(world.client, path.replace(SECRET, "acme/nothing"))
            assert answer.status_code == other.status_code == 404, path
            said = answer.text.replace(SECRET, "acme/nothing")
            assert said == other.text, f"{path} tells that it is there"
        for path in LISTS:
            answer = await ask(world.client, path)
            assert answer.status_code == 200, path
            if "event-stream" not in answer.headers["content-type"]:
                assert not [one for one in WORDS if one in answer.text and one not in own], path


async def test_who_may_read_it_on_github_sees_all_of_it(redis_url: str, tmp_path: Path) -> None:
    async with a_full_world(redis_url, tmp_path) as world:
        give(world, "mona", SECRET, "read")
        for login in ("mona", OPERATOR):
            await world.sign_in(login)
            for path in ADDRESSES:
                if not path.endswith(("/live", "/events")):  # of a run that has ended long ago
                    assert (await ask(world.client, path)).status_code == 200, (login, path)
            for path in ("/", "/queue", "/api/v1/repos", "/api/v1/queue"):
                assert SECRET in (await ask(world.client, path)).text, (login, path)


async def test_once_they_may_not_any_more_an_hour_ends_it_everywhere(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_full_world(redis_url, tmp_path) as world:
        give(world, "mona", SECRET, "admin")
        await world.sign_in("mona")
        await world.let_an_hour_pass()
        assert world.client.cookies[SESSION]
        for path in ADDRESSES:
            answer = await ask(world.client, path)
            assert answer.status_code in {303, 401, 404}, path
            assert SKILL not in answer.text or answer.status_code == 303, path


async def test_every_answer_has_a_policy_under_which_nothing_of_others_runs(
    redis_url: str, tmp_path: Path
) -> None:
    """Also those that say that there is nothing, not in that way, or that something broke."""
    async with a_full_world(redis_url, tmp_path, public_pages=True) as world:
        odd = ("HSET", versions_key("acme/open"), b"\xff", b"no text")
        await world.redis.execute_command(*odd)  # type: ignore[no-untyped-call]
        asked = (
            ("POST", "/", 405), ("PUT", "/queue", 405), ("GET", "/queue/cancel", 405),
            ("GET", "/sign-out", 405), ("POST", "/static/style.css", 405),
            ("POST", "/charts/acme/open/badge.svg", 405), ("DELETE", "/api/v1/repos", 405),
            ("GET", "/nowhere", 404), ("GET", "/repos/acme/%0aopen", 404),
            ("GET", "/charts/x", 404), ("GET", "/static/nothing", 404),
            ("GET", "/repos/acme/open", 500), ("GET", "/api/v1/repos/acme/open", 500),
            ("GET", "/charts/acme/open/difference.svg", 500),
            ("GET", "/tasks", 303), ("GET", "/sign-in/callback", 403),
        )  # fmt: skip
        for method, path, status in asked:
            answer = await world.client.request(method, path)
            assert answer.status_code == status, (path, answer.text)
            assert "default-src 'none'" in answer.headers["content-security-policy"], path
            assert answer.headers["x-content-type-options"] == "nosniff", path
            assert "Traceback" not in answer.text
            assert (status == 405) == ("allow" in answer.headers), path


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_what_a_page_of_another_site_loads_is_loaded_by_nobody(
    redis_url: str, tmp_path: Path, site: str
) -> None:
    """It cannot read it, but would see by errors and times what is there for its reader."""
    async with a_full_world(redis_url, tmp_path, host="127.0.0.1") as world:
        for path in ADDRESSES[:-1]:  # the last is of a run that goes on
            if path.endswith("/events"):
                continue
            for dest, mode in (("image", "no-cors"), ("iframe", "navigate"), ("object", "navigate"),
                               ("empty", "no-cors")):  # fmt: skip
                asked = {"sec-fetch-site": site, "sec-fetch-dest": dest, "sec-fetch-mode": mode}
                held_back = await world.client.get(path, headers=asked)
                assert held_back.status_code == 404, path
        link = {"sec-fetch-site": site, "sec-fetch-dest": "document", "sec-fetch-mode": "navigate"}
        assert (await world.client.get(HERE, headers=link)).status_code == 200
