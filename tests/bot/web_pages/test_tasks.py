"""What the pages show of runs, and what their forms ask for."""

import json
import re
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from bot.queues import JOB_KEY, REQUESTS
from bot.store.words import word_key
from jobs.datasets.report_files import read_report
from jobs.requests import WEB, Request
from tests.bot.web_pages.seeded import (
    CANCELLED,
    ENDED,
    HOSTILE,
    ODD_ID,
    RUNNING,
    Seeded,
    a_plan,
    put_run,
    seeded_server,
)
from tests.bot.web_pages.test_access import key_of
from tests.jobs.datasets.given_results import a_result


async def post(pages: Seeded, path: str, **form: str) -> httpx.Response:
    return await pages.client.post(path, data=form | {"key": await key_of(pages.client)})


async def queued(pages: Seeded) -> list[Request]:
    names = [name.decode() for name in await pages.redis.zrange(REQUESTS, 0, -1)]
    jobs = [await pages.redis.get(JOB_KEY + name) for name in names]
    return [Request.model_validate(json.loads(job)["a"][0]) for job in jobs]


async def test_a_form_becomes_a_request_whose_page_waits(pages: Seeded) -> None:
    answer = await post(
        pages, "/tasks", dataset="healthbench/sample", target_type="llm_api", model="gpt-4.1",
        limit="10", parallel="0", ids="c1, c2\nc1", judge="claude-opus", user_model="claude-haiku",
        system_prompt="Be\r\nbrief.", fields="top_k = 5\n\n", max_usd="$2.50",
    )  # fmt: skip
    [request] = await queued(pages)
    options = request.dataset
    assert answer.headers["location"] == f"/tasks/{options.run_id}"
    assert (request.kind, request.repo, request.issue, request.origin) == ("dataset", WEB, 0, "web")
    assert (request.asker, request.models) == ("local", ("gpt-4.1",))
    assert (options.benchmark, options.dataset, options.target_type) == (
        "healthbench", "sample", "llm_api",
    )  # fmt: skip
    assert (options.limit, options.parallel, options.ids) == (10, 0, ("c1", "c2"))
    assert (options.eval_model, options.user_model) == ("claude-opus", "claude-haiku")
    assert options.typed == {"top_k": "5", "system_prompt": "Be\nbrief."}
    assert options.max_usd == Decimal("2.50")
    page = await pages.client.get(f"/tasks/{options.run_id}")
    assert page.status_code == 200
    assert "A worker will plan it" in page.text
    assert f"/tasks/{options.run_id}" in (await pages.client.get("/tasks")).text


async def test_an_empty_form_asks_for_what_is_usual(pages: Seeded) -> None:
    await post(pages, "/tasks", dataset="healthbench/sample")
    [request] = await queued(pages)
    assert request.models == ()
    assert request.dataset.model_dump(exclude={"run_id"}, exclude_defaults=True) == {
        "benchmark": "healthbench", "dataset": "sample",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dataset", ""),
        ("dataset", "healthbench"),
        ("dataset", "../../etc/passwd"),
        ("dataset", "healthbench/.hidden"),
        ("target_type", "no_such"),
        ("model", "x" * 201),
        ("model", "a\x1bb"),
        ("limit", "0"),
        ("limit", "-1"),
        ("limit", "1e3"),
        ("limit", "²"),
        ("limit", "9" * 30),
        ("parallel", "many"),
        ("max_usd", "0"),
        ("max_usd", "nan"),
        ("max_usd", "1e999"),
        ("fields", "no sign"),
        ("fields", "UP=1"),
        ("fields", "a="),
        ("system_prompt", "x" * 60_000),
        ("ids", "x" * 201),
    ],
)
async def test_what_cannot_be_is_told_at_its_field_and_nothing_is_begun(
    pages: Seeded, field: str, value: str
) -> None:
    kept = {"dataset": "healthbench/sample", "model": "kept-model"} | {field: value}
    answer = await post(pages, "/tasks", **kept)
    assert answer.status_code == 422
    assert f'id="{field}-said"' in answer.text
    assert 'aria-invalid="true"' in answer.text or field in {"fields", "system_prompt", "ids",
                                                              "target_type"}  # fmt: skip
    assert field == "model" or "kept-model" in answer.text
    assert await queued(pages) == []


async def test_a_form_that_is_too_large_does_nothing(pages: Seeded) -> None:
    answer = await post(pages, "/tasks", dataset="healthbench/sample", ids="x," * 100_000)
    assert answer.status_code == 403
    assert await queued(pages) == []


async def test_why_a_run_was_not_begun_stands_on_its_page(pages: Seeded) -> None:
    """A worker's last word on a request takes the place that an issue has elsewhere."""
    answer = await post(pages, "/tasks", dataset="healthbench/nothing")
    address = answer.headers["location"]
    word = f"there is no dataset `nothing` {HOSTILE}".encode()
    await pages.keeping.blobs.put(word_key(address.rpartition("/")[2]), word)
    page = (await pages.client.get(address)).text
    assert "It was not begun" in page
    assert "there is no dataset" in page
    assert "<script>document" not in page
    assert "refused" in (await pages.client.get("/tasks")).text


async def test_a_run_that_has_ended_shows_its_figures(pages: Seeded) -> None:
    page = (await pages.client.get(f"/tasks/{ENDED}")).text
    assert "Average score 49.8%" in page
    assert "69 of 70 cases graded" in page
    assert "Ungraded, and in no average: 1 case, the target gave no answer." in page
    assert "theme:hedging" in page
    assert "axis:accuracy" in page
    assert "Page 1 of 2" in page
    second = (await pages.client.get(f"/tasks/{ENDED}?page=2")).text
    assert "hb_067" in second
    assert "hb_001<" not in second
    ungraded = (await pages.client.get(f"/tasks/{ENDED}?result=error")).text
    assert re.findall(r'case\?id=([^"]+)"', ungraded) == ["lost"]


@pytest.mark.parametrize("query", ["page=0", "page=-3", "page=x", "page=99999999", "result=zzz"])
async def test_an_odd_query_is_no_error(pages: Seeded, query: str) -> None:
    assert (await pages.client.get(f"/tasks/{ENDED}?{query}")).status_code == 200


async def test_a_case_is_shown_as_a_conversation_with_what_was_found(pages: Seeded) -> None:
    answer = await pages.client.get(f"/tasks/{ENDED}/case", params={"id": ODD_ID})
    page = answer.text
    for text in ("Hello, how can I help?", "What now?", "See a doctor.", "Advises a doctor",
                 "It says so.", "not met", "points: 5", "Score 50%"):  # fmt: skip
        assert text in page
    assert "<script>document" not in page
    assert "<img src=x" not in page
    assert "\u202e" not in page
    lost = (await pages.client.get(f"/tasks/{ENDED}/case?id=lost")).text
    assert "Ungraded: the target gave no answer." in lost
    assert "No answer came." in lost
    open_case = (await pages.client.get(f"/tasks/{RUNNING}/case?id=hb_060")).text
    assert "has not ended" in open_case


async def test_reports_are_taken_along_whole_and_in_short(pages: Seeded, tmp_path: Path) -> None:
    whole = await pages.client.get(f"/tasks/{ENDED}/report.json")
    name = f'attachment; filename="healthbench_sample_{ENDED}.json"'
    assert whole.headers["content-disposition"] == name
    (tmp_path / "r.json").write_bytes(whole.content)
    assert len(read_report(tmp_path / "r.json")["cases"]) == 70
    page = await pages.client.get(f"/tasks/{ENDED}/report.html")
    assert "Average score 49.8%" in page.text
    assert "sandbox" in page.headers["content-security-policy"]
    words = await pages.client.get(f"/tasks/{ENDED}/report.md")
    assert words.text.startswith("### healthbench/sample")
    for kind in ("json", "html", "md"):
        none = await pages.client.get(f"/tasks/{RUNNING}/report.{kind}")
        assert none.status_code == 404


async def test_two_reports_are_compared_case_by_case(pages: Seeded) -> None:
    page = (await pages.client.get(f"/tasks/compare?a={ENDED}&b={CANCELLED}")).text
    assert "B scores higher than A (+9.4 points" in page
    assert "the second is not complete: cancelled" in page
    assert "Only in A: 30 cases" in page


async def test_two_reports_without_a_common_case_are_refused(pages: Seeded, tmp_path: Path) -> None:
    other = "dddddddddddd"
    results = [a_result("another", score=1.0)]
    await put_run(pages, a_plan(other, ["another"]), results, "complete", tmp_path)
    answer = await pages.client.get(f"/tasks/compare?a={ENDED}&b={other}")
    assert answer.status_code == 422
    assert "no case in common" in answer.text


async def test_cancel_asks_every_worker_to_stop(pages: Seeded) -> None:
    answer = await post(pages, f"/tasks/{RUNNING}/cancel")
    assert answer.headers["location"] == f"/tasks/{RUNNING}"
    assert await pages.live.find_cancelled(RUNNING) == "local"
    await post(pages, f"/tasks/{ENDED}/cancel")
    assert await pages.live.find_cancelled(ENDED) is None


async def test_what_was_stopped_is_resumed_and_what_is_complete_is_not(pages: Seeded) -> None:
    page = (await pages.client.get(f"/tasks/{CANCELLED}")).text
    assert "Resume" in page
    answer = await post(pages, f"/tasks/{CANCELLED}/resume")
    assert answer.headers["location"] == f"/tasks/{CANCELLED}"
    [request] = await queued(pages)
    assert (request.dataset.run_id, request.dataset.resume) == (CANCELLED, True)
    for run_id in (ENDED, RUNNING):
        assert (await post(pages, f"/tasks/{run_id}/resume")).status_code == 409


async def test_what_is_ungraded_is_run_again_as_a_run_of_its_own(pages: Seeded) -> None:
    answer = await post(pages, f"/tasks/{ENDED}/rerun")
    [request] = await queued(pages)
    options = request.dataset
    assert options.again_of == ENDED
    assert options.run_id != ENDED
    assert answer.headers["location"] == f"/tasks/{options.run_id}"
    for run_id in (RUNNING, CANCELLED):  # one goes on, the other has nothing ungraded
        assert (await post(pages, f"/tasks/{run_id}/rerun")).status_code == 409


async def test_an_emptied_redis_hides_no_run_that_is_stored(pages: Seeded) -> None:
    await pages.redis.flushall()
    page = (await pages.client.get("/tasks")).text
    assert all(f"/tasks/{run_id}" in page for run_id in (ENDED, RUNNING, CANCELLED))
    ended = (await pages.client.get(f"/tasks/{ENDED}")).text
    assert "Average score 49.8%" in ended


async def test_with_nothing_run_the_page_says_how_to_begin(redis_url: str, tmp_path: Path) -> None:
    async with seeded_server(redis_url, tmp_path) as seeded:
        assert "Nothing has been run yet" in (await seeded.client.get("/tasks")).text
        form = (await seeded.client.get("/tasks/new")).text
        assert "No dataset lies in" in form
