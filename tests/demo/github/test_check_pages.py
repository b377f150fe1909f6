"""Check runs on pages: what they say, and what their buttons tell the App."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.demo.github.conftest import Stage
from tests.demo.github.receiver import receiving
from tests.openapi import load_description

REPO = "/repos/octo/skills"
BUTTON = {"label": "Run benchmark", "description": "Compare it", "identifier": "run"}


@pytest.fixture
async def browser(stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=stage.served.web_url) as client:
        client.cookies.set("local_github_person", "maria")
        yield client


async def a_check(stage: Stage, **changes: object) -> str:
    """Make one with a button; gives the path of its page."""
    remark = {"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "warning"}
    body = {
        "name": "skillbench",
        "head_sha": stage.repo.head,
        "conclusion": "neutral",
        "actions": [BUTTON],
        "output": {
            "title": "Not asked yet",
            "summary": "**Press** the button. <script>x</script>",
            "annotations": [remark | {"title": "Odd", "message": "too <b>long</b>"}],
        },
    } | changes
    made = await stage.http.post(f"{REPO}/check-runs", json=body)
    assert made.status_code == 201, made.text
    return httpx.URL(made.json()["html_url"]).path


async def test_its_page_says_all_of_it(stage: Stage, browser: httpx.AsyncClient) -> None:
    html = (await browser.get(await a_check(stage))).text
    assert "<strong>Press</strong> the button." in html
    assert "<script>x" not in html
    assert "too &lt;b&gt;long" in html
    assert 'value="run" title="Compare it">Run benchmark</button>' in html


async def test_the_living_part_is_sent_once_while_it_stays(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    page = await a_check(stage)
    first = await browser.get(f"{page}/live")
    again = await browser.get(f"{page}/live", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code) == (200, 304)


async def test_a_commit_lists_the_newest_of_a_name(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    old = await a_check(stage)
    new = await a_check(stage)
    html = (await browser.get(f"/octo/skills/commit/{stage.repo.head}")).text
    assert f'href="{new}"' in html
    assert f'href="{old}"' not in html
    assert (await browser.get("/octo/skills/runs/1")).status_code == 404


async def test_a_button_tells_the_app_what_was_pressed_and_by_whom(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    async with receiving() as receiver:
        stage.gh.set_webhook(receiver.url, "secret")
        page = await a_check(stage)
        assert (await browser.post(page, data={"press": "run"})).status_code == 303
        assert (await browser.post(page, data={"again": "1"})).status_code == 303
        assert (await browser.post(page, data={"press": "none"})).status_code == 404
        await stage.gh.deliveries_done()
    told = [one for one in stage.gh.deliveries if one.event == "check_run"]
    assert [one.action for one in told] == ["completed", "requested_action", "rerequested"]
    for one in told:
        load_description().validate_webhook("check_run", one.payload)
    assert told[1].payload["requested_action"] == {"identifier": "run"}
    assert told[1].payload["sender"]["login"] == "maria"
    assert told[1].payload["check_run"]["head_sha"] == stage.repo.head


async def test_a_stranger_and_another_site_press_nothing(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    page = await a_check(stage)
    foreign = {"origin": "https://elsewhere.example"}
    assert (await browser.post(page, data={"press": "run"}, headers=foreign)).status_code == 403
    stage.gh.add_person("nobody")
    browser.cookies.set("local_github_person", "nobody")
    assert "Run benchmark" not in (await browser.get(page)).text
    assert (await browser.post(page, data={"press": "run"})).status_code == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"head_sha": "0" * 40},
        {"status": "completed", "conclusion": None},
        {"status": "odd"},
        {"actions": [BUTTON | {"label": "x" * 21}]},
        {"actions": [BUTTON] * 4},
        {"output": {"title": "t", "summary": "x" * 65_536}},
        {"output": {"title": "t", "summary": "s", "annotations": [{}] * 51}},
    ],
)
async def test_what_github_would_not_take_is_refused(
    stage: Stage, wrong: dict[str, object]
) -> None:
    body = {"name": "skillbench", "head_sha": stage.repo.head} | wrong
    answer = await stage.http.post(f"{REPO}/check-runs", json=body)
    assert answer.status_code == 422
    assert not stage.repo.repository.checks
