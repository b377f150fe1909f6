"""Runs of datasets, their cases and comparisons, each answer as it is described."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from bot.store.words import word_key
from bot.web.asking import make_request
from bot.web.runs import Runs
from jobs.requests import DatasetOptions
from tests.bot.api.described import ROOT, DescribedApi
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.reaching import OPERATOR, a_world, give
from tests.bot.web_pages.seeded import (
    CANCELLED,
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
from tests.jobs.datasets.given_results import a_result

RUNS = "/datasets/runs"
PATHS = (
    "/datasets",
    RUNS,
    f"{RUNS}/{ENDED}",
    f"{RUNS}/{ENDED}/cases",
    f"{RUNS}/{ENDED}/case?id=lost",
    f"/datasets/compare?a={ENDED}&b={CANCELLED}",
)
WAITING = "eeeeeeeeeeee"


@pytest.fixture
async def api(pages: Seeded) -> DescribedApi:
    return await DescribedApi.read(pages.client)


async def ask_for(pages: Seeded, run_id: str) -> None:
    """A run that was asked for on the pages, and that no worker has planned."""
    options = DatasetOptions(benchmark="healthbench", dataset="sample", run_id=run_id)
    request = make_request(options, models=(), asker="local", now=NOON + timedelta(hours=2))
    await Runs(pages.redis, "").ask(request)


async def test_runs_come_newest_first_and_in_parts(pages: Seeded, api: DescribedApi) -> None:
    await ask_for(pages, WAITING)
    for most in (1, 2, 3, 50):
        rows = await api.walk(f"{RUNS}?most={most}", "rows")
        assert [row["run"] for row in rows] == [WAITING, RUNNING, CANCELLED, ENDED]
    assert [row["state"] for row in rows] == ["waiting", "running", "cancelled", "complete"]
    assert (rows[0]["total"], rows[0]["average"], rows[0]["cost_usd"]) == (None, None, None)
    assert (rows[3]["graded"], rows[3]["ungraded"]) == (69, 1)


async def test_runs_that_begin_meanwhile_shift_no_part(
    pages: Seeded, api: DescribedApi, tmp_path: Path
) -> None:
    first = (await api.get(f"{RUNS}?most=2")).json()
    later = a_plan("f" * 12, ["one"], started_at=NOON + timedelta(hours=9))
    await put_run(pages, later, [], "running", tmp_path)
    rest = (await api.get(f"{RUNS}?most=2&after={first['next']}")).json()
    assert [row["run"] for row in rest["rows"]] == [ENDED]


async def test_a_run_that_has_ended_tells_its_figures(api: DescribedApi) -> None:
    found = (await api.get(f"{RUNS}/{ENDED}")).json()
    run, report = found["run"], found["report"]
    assert run["average"] == pytest.approx(0.498, abs=0.001)
    assert report["average_interval"]["low"] < run["average"] < report["average_interval"]["high"]
    assert report["ungraded_because"] == {"target": 1}
    assert "Average score 49.8%" in report["headline"]
    assert {"theme:hedging", "theme:emergency"} <= {one["tag"] for one in report["by_tag"]}
    assert [one["tag"] for one in report["by_criterion"]] == ["axis:accuracy"]
    assert found["setup"]["fields"] == {"model": "claude-sonnet", "system_prompt": "Be brief."}
    assert (found["seconds_left"], found["in_flight"]) == (None, [])


async def test_a_run_that_goes_on_tells_what_is_in_flight_and_what_is_left(
    api: DescribedApi,
) -> None:
    found = (await api.get(f"{RUNS}/{RUNNING}")).json()
    assert (found["run"]["done"], found["run"]["total"]) == (20, 70)
    assert [one["id"] for one in found["in_flight"]] == ["hb_020", "hb_021", "hb_022"]
    assert found["seconds_left"] > 0
    assert found["report"] is None


async def test_what_is_left_is_not_news(api: DescribedApi, pages: Seeded) -> None:
    """It grows by the second; only what happens in the run makes another answer."""
    path = f"{RUNS}/{RUNNING}"
    tag = {"if-none-match": (await api.get(path)).headers["etag"]}
    await api.get(path, 304, **tag)
    await pages.live.set_state(RUNNING, "cancelled")
    await api.get(path, 200, **tag)


async def test_what_is_not_counted_is_not_known(pages: Seeded, api: DescribedApi) -> None:
    """An emptied Redis has forgotten how far a run has come, and no zero says so."""
    await pages.redis.flushall()
    rows = (await api.get(RUNS)).json()["rows"]
    assert [row["run"] for row in rows] == [RUNNING, CANCELLED, ENDED]
    assert [row["done"] for row in rows] == [None, 40, 70]
    assert rows[0]["total"] == 70


async def test_a_run_that_was_refused_says_why(pages: Seeded, api: DescribedApi) -> None:
    await ask_for(pages, WAITING)
    assert (await api.get(f"{RUNS}/{WAITING}")).json()["run"]["state"] == "waiting"
    await pages.keeping.blobs.put(word_key(WAITING), b"there is no dataset")
    found = (await api.get(f"{RUNS}/{WAITING}")).json()
    assert (found["run"]["state"], found["word"]) == ("refused", "there is no dataset")
    assert found["setup"] is None
    await api.get(f"{RUNS}/{WAITING}/cases", 404)


async def test_cases_are_walked_and_chosen_by_their_outcome(api: DescribedApi) -> None:
    rows = await api.walk(f"{RUNS}/{ENDED}/cases?most=33", "rows")
    assert [row["id"] for row in rows] == [one.id for one in some_results()]
    for outcome in ("pass", "fail", "scored", "ungraded"):
        chosen = await api.walk(f"{RUNS}/{ENDED}/cases?most=7&outcome={outcome}", "rows")
        assert chosen == [row for row in rows if row["outcome"] == outcome]
        assert chosen
    [lost] = chosen
    assert (lost["id"], lost["trouble"], lost["score"]) == ("lost", "target", None)


async def test_cases_of_a_run_that_goes_on_stand_as_they_are(api: DescribedApi) -> None:
    path = f"{RUNS}/{RUNNING}/cases"
    rows = await api.walk(f"{path}?most=30", "rows")
    assert len(rows) == 70
    assert {row["outcome"] for row in rows[:20]} == {"pass", "fail"}
    flying = [(row["outcome"], row["turn"]) for row in rows[20:23]]
    assert flying == [("running", 0), ("running", 1), ("running", 2)]
    assert {row["outcome"] for row in rows[23:]} == {"waiting"}
    refused = (await api.get(f"{path}?outcome=fail", 422)).json()
    assert "once the run has a report" in refused["detail"]


async def test_a_case_tells_its_dialogue_and_what_was_found(api: DescribedApi) -> None:
    path = f"{RUNS}/{ENDED}/case?{urlencode({'id': ODD_ID})}"
    found = (await api.get(path)).json()
    assert (found["before"], found["after"]) == ("lost", None)
    turns = found["result"]["dialogue"]["turns"]
    assert (turns[0]["said"]["text"], turns[0]["reply"]["text"]) == ("What now?", "See a doctor.")
    assert found["findings"][0]["verdict"] == "met"
    open_case = (await api.get(f"{RUNS}/{RUNNING}/case?id=hb_060")).json()
    assert (open_case["result"], open_case["findings"]) == (None, [])


async def test_texts_that_cannot_be_written_are_mended(
    pages: Seeded, api: DescribedApi, tmp_path: Path
) -> None:
    """JSON can spell half of a character, which no answer can hold."""
    await put_run(pages, a_plan("d" * 12, ["half"]), [a_result("half", score=1.0)], "complete",
                  tmp_path)  # fmt: skip
    key = f"datasets/{'d' * 12}/summary.json"
    stored = await pages.keeping.blobs.get(key)
    assert stored is not None
    await pages.keeping.blobs.put(key, stored.replace(b'"title": "', b'"title": "\\ud83d '))
    [row] = (await api.get(f"{RUNS}/{'d' * 12}/cases")).json()["rows"]
    assert row["title"].startswith("? ")


async def test_two_runs_are_compared_in_figures(api: DescribedApi) -> None:
    path = f"/datasets/compare?a={ENDED}&b={CANCELLED}"
    answer = await api.get(path)
    found = answer.json()
    whole = found["differences"][0]
    assert "B scores higher than A (+9.4 points" in found["conclusion"]
    assert whole["name"] == "all cases"
    assert whole["difference"] == pytest.approx(0.094, abs=0.001)
    assert whole["interval"]["low"] < whole["difference"] < whole["interval"]["high"]
    assert (found["only_first"], found["only_second"]) == (30, 0)
    await api.get(path, 304, **{"if-none-match": answer.headers["etag"]})


async def test_what_cannot_be_compared_says_why(
    pages: Seeded, api: DescribedApi, tmp_path: Path
) -> None:
    other = "dddddddddddd"
    await put_run(pages, a_plan(other, ["another"]), [a_result("another", score=1.0)], "complete",
                  tmp_path)  # fmt: skip
    found = (await api.get(f"/datasets/compare?a={ENDED}&b={other}", 422)).json()
    assert "no case in common" in found["detail"]
    await api.get(f"/datasets/compare?a={ENDED}&b={RUNNING}", 404)


@pytest.mark.parametrize("path", PATHS)
async def test_what_is_known_is_not_sent_again(api: DescribedApi, path: str) -> None:
    answer = await api.get(path)
    assert answer.headers["cache-control"] == "private, no-cache"
    await api.get(path, 304, **{"if-none-match": answer.headers["etag"]})


@pytest.mark.parametrize(
    ("path", "where"),
    [
        (f"{RUNS}?most=0", "query.most"),
        (f"{RUNS}?after=5", "query.after"),
        (f"{RUNS}?after=1.{'g' * 12}", "query.after"),
        (f"{RUNS}/{ENDED}/cases?outcome=error", "query.outcome"),
        (f"{RUNS}/{ENDED}/cases?after=-1", "query.after"),
        (f"{RUNS}/{ENDED}/cases?page=2", "query.page"),
        (f"{RUNS}/{ENDED}/case", "query.id"),
        (f"/datasets/compare?a={ENDED}", "query.b"),
    ],
)
async def test_what_is_not_understood_is_named(api: DescribedApi, path: str, where: str) -> None:
    found = (await api.get(path, 422)).json()
    assert [fault["where"] for fault in found["errors"]] == [where]


@pytest.mark.parametrize("run", ["f" * 12, "..%2f..%2fetc", "%00", quote("ü🧮")])
async def test_a_run_that_is_not_there_is_said_so(api: DescribedApi, run: str) -> None:
    for path in ("", "/cases", "/case?id=lost"):
        await api.get(f"{RUNS}/{run}{path}", 404)
    await api.get(f"/datasets/compare?a={run}&b={ENDED}", 404)
    await api.get(f"{RUNS}/{ENDED}/case?id=none", 404)


async def test_benchmarks_that_can_be_run_are_named(api: DescribedApi) -> None:
    assert (await api.get("/datasets")).json() == [
        {"benchmark": "healthbench", "description": "", "datasets": ["sample"],
         "targets": ["llm_api"], "problem": ""},
    ]  # fmt: skip


async def test_nothing_was_run_yet(redis_url: str, tmp_path: Path) -> None:
    async with seeded_server(redis_url, tmp_path) as seeded:
        api = await DescribedApi.read(seeded.client)
        assert (await api.get(RUNS)).json() == {"rows": [], "next": ""}
        assert (await api.get("/datasets")).json() == []


async def test_without_redis_it_says_to_ask_again(tmp_path: Path) -> None:
    settings = some_settings(f"unix://{tmp_path}/none.sock", data_dir=tmp_path / "data")
    async with web_client(settings) as client:
        api = await DescribedApi.read(client)
        for path in (RUNS, f"{RUNS}/{ENDED}", f"{RUNS}/{ENDED}/cases"):
            await api.get(path, 503)


async def test_only_the_operators_users_see_anything(redis_url: str, tmp_path: Path) -> None:
    """For all others there is nothing, whatever they may see of repositories."""
    site = "https://charts.example.org"
    async with a_world(redis_url, tmp_path, public_pages=True, api_origins=site) as world:
        give(world, "mona", "acme/secret", "admin")
        api = await DescribedApi.read(world.client)
        absent = await world.client.get(f"{ROOT}/no-such")
        for path in PATHS:
            assert (await api.get(path, 404)).content == absent.content
        await world.sign_in("mona")
        for path in PATHS:
            assert (await api.get(path, 404)).content == absent.content
        await world.sign_in(OPERATOR)
        assert (await api.get(RUNS)).json()["rows"] == []
        await api.get(RUNS, 404, origin=site)
