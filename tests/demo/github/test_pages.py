"""The pages: what they show, whom their forms act as, and what they refuse."""

import json
import re
from collections.abc import AsyncIterator

import httpx
import pytest

from demo.github.code_actions import CodeActions, ReleaseDraft, Upload
from tests.demo.github.conftest import Stage
from tests.demo.github.receiver import receiving

ISSUE = "/octo/skills/issues/1"


@pytest.fixture
async def browser(stage: Stage) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(
        base_url=stage.served.web_url, follow_redirects=True, verify=False
    ) as client:
        stage.repo.add_label("needs-benchmark", color="fbca04", description="measure it")
        stage.repo.open_issue(author="maria", title="Does <b> help?", body="See **this**.")
        yield client


async def _act_as(browser: httpx.AsyncClient, login: str) -> None:
    answer = await browser.post("/_person", data={"login": login, "back": ISSUE})
    assert answer.url.path == ISSUE


async def test_an_issue_page_shows_texts_labels_reactions_and_events(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    stage.repo.label(1, "needs-benchmark", by="maria")
    comment = (
        await stage.http.post(
            "/repos/octo/skills/issues/1/comments",
            json={"body": "| a |\n|---|\n| 1 |\n\n<!-- hidden {} -->"},
        )
    ).json()
    await stage.http.post(
        f"/repos/octo/skills/issues/comments/{comment['id']}/reactions",
        json={"content": "rocket"},
    )
    html = (await browser.get(ISSUE)).text
    assert "Does &lt;b&gt; help?" in html
    assert "<strong>this</strong>" in html
    assert "<td>1</td>" in html
    assert "🚀 <span>1</span>" in html
    assert "hidden {}" not in html
    assert f'id="issuecomment-{comment["id"]}"' in html
    assert re.search(r"maria</a>\s+added <a class=\"label\"[^>]*>needs-benchmark</a>", html)
    assert '<span class="pill">bot</span>' in html


async def test_the_comment_box_speaks_as_the_chosen_person_and_the_app_hears_it(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    async with receiving() as receiver:
        stage.gh.set_webhook(receiver.url, "secret")
        await _act_as(browser, "visitor")
        answer = await browser.post(f"{ISSUE}/comments", data={"body": "@skillbench\r\nhelp"})
        assert answer.status_code == 200
        await stage.gh.deliveries_done()
        payload = json.loads(receiver.bodies[0])
    assert payload["sender"]["login"] == "visitor"
    # a browser sends line ends as CR LF, and GitHub keeps them
    assert payload["comment"]["body"] == "@skillbench\r\nhelp"


async def test_who_comes_from_an_app_is_still_the_chosen_person(browser: httpx.AsyncClient) -> None:
    answer = await browser.post("/_person", data={"login": "visitor"}, follow_redirects=False)
    assert "samesite=lax" in answer.headers["set-cookie"].lower()


async def test_the_label_button_puts_a_label_and_takes_it_off(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    for expected in (["needs-benchmark"], []):
        await browser.post(f"{ISSUE}/labels", data={"name": "needs-benchmark"})
        assert stage.repo.labels(1) == expected


async def test_a_reader_is_offered_no_labels_and_may_set_none(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    await _act_as(browser, "visitor")
    assert "Apply labels" not in (await browser.get(ISSUE)).text
    refused = await browser.post(f"{ISSUE}/labels", data={"name": "needs-benchmark"})
    assert refused.status_code == 403
    assert stage.repo.labels(1) == []


async def test_only_its_author_edits_a_text(stage: Stage, browser: httpx.AsyncClient) -> None:
    comment = stage.repo.comment(1, by="maria", body="first")
    fields = {"body": "second", "comment": str(comment.id)}
    await _act_as(browser, "visitor")
    assert (await browser.post(f"{ISSUE}/edit", data=fields)).status_code == 403
    await _act_as(browser, "maria")
    await browser.post(f"{ISSUE}/edit", data=fields)
    await browser.post(f"{ISSUE}/edit", data={"body": "## Skills\r\ncount"})
    assert comment.body == "second"
    assert stage.repo.issue(1).body == "## Skills\r\ncount"
    unknown = await browser.post(f"{ISSUE}/edit", data={"body": "x", "comment": "7"})
    assert unknown.status_code == 403


async def test_a_new_issue_is_opened_from_its_page(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    assert (await browser.get("/octo/skills/issues/new")).status_code == 200
    answer = await browser.post("/octo/skills/issues/new", data={"title": "Second", "body": "text"})
    assert answer.url.path == "/octo/skills/issues/2"
    assert stage.repo.issue(2).author.login == "maria"
    refused = await browser.post("/octo/skills/issues/new", data={"title": " ", "body": "kept"})
    assert refused.status_code == 422
    assert ">kept</textarea>" in refused.text


async def test_an_empty_comment_comes_back_with_the_reason(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    answer = await browser.post(f"{ISSUE}/comments", data={"body": " "})
    assert answer.status_code == 422
    assert "Body can&#39;t be blank" in answer.text
    assert stage.repo.comments(1) == []


async def test_closing_takes_a_comment_along(stage: Stage, browser: httpx.AsyncClient) -> None:
    await browser.post(f"{ISSUE}/comments", data={"body": "done", "toggle": "1"})
    assert (stage.repo.comments(1), stage.repo.issue(1).is_open) == (["done"], False)
    await browser.post(f"{ISSUE}/comments", data={"body": "", "toggle": "1"})
    assert stage.repo.issue(1).is_open


async def test_a_reaction_is_put_and_taken_back(stage: Stage, browser: httpx.AsyncClient) -> None:
    comment = stage.repo.comment(1, by="maria", body="x")
    for place, reactions in (
        ({}, stage.repo.issue(1).reactions),
        ({"comment": str(comment.id)}, comment.reactions),
    ):
        for expected in (1, 0):
            await browser.post(f"{ISSUE}/reactions", data={"content": "heart", **place})
            assert len(reactions) == expected


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
    ],
)
async def test_a_form_on_another_site_cannot_act_here(
    stage: Stage, browser: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    fields = {"body": "spam"}
    answer = await browser.post(f"{ISSUE}/comments", data=fields, headers=headers)
    assert answer.status_code == 403
    own = await browser.post(
        f"{ISSUE}/comments", data=fields, headers={"origin": stage.served.web_url}
    )
    assert own.status_code == 200
    assert stage.repo.comments(1) == ["spam"]


async def test_the_living_part_is_sent_only_when_it_moved(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    first = await browser.get(f"{ISSUE}/live")
    tag = {"if-none-match": first.headers["etag"]}
    assert (await browser.get(f"{ISSUE}/live", headers=tag)).status_code == 304
    comment = stage.repo.comment(1, by="maria", body="queued")
    moved = await browser.get(f"{ISSUE}/live", headers=tag)
    assert moved.status_code == 200
    assert f'id="issuecomment-{comment.id}"' in moved.text
    page = (await browser.get(ISSUE)).text
    assert moved.text.strip() in page


async def test_nothing_on_a_page_comes_from_elsewhere(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    stage.repo.comment(1, by="visitor", body="![x](https://evil.example/x.png)")
    page = await browser.get(ISSUE)
    sources = re.findall(r'(?:src|action)="([^"]*)"', page.text)
    sources += re.findall(r'<link[^>]*href="([^"]*)"', page.text)
    assert sources
    assert all(source.startswith("/") for source in sources)
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for source in {s for s in sources if s.startswith(("/_static", "/avatars"))}:
        assert (await browser.get(source)).status_code == 200


async def test_lists_files_and_releases_have_pages(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    bot = stage.gh.site.state.app.bot
    code = CodeActions(stage.gh.site)
    draft = ReleaseDraft(tag="r-1", target="main", name="Results", body="*archives*")
    release = code.create_release(stage.repo.repository, bot, draft)
    code.attach(release, bot, Upload(name="a.zip", content=b"zip", content_type="x"))
    expected = {
        "/": "octo/skills",
        "/octo": "octo/skills",
        "/maria": "Person",
        "/apps/skillbench": "App",
        "/octo/skills": "<h1>Sample</h1>",
        "/octo/skills/tree/main/skills/count": "SKILL.md",
        "/octo/skills/blob/main/skills/count/SKILL.md": "name: count",
        f"/octo/skills/commit/{stage.repo.head}": "README.md",
        "/octo/skills/issues": "Does &lt;b&gt; help?",
        "/octo/skills/issues?state=closed": "Nothing closed yet.",
        "/octo/skills/issues?label=needs-benchmark": "No open issues.",
        "/octo/skills/releases": "<em>archives</em>",
        "/octo/skills/releases/tag/r-1": "/octo/skills/releases/download/r-1/a.zip",
    }
    for path, text in expected.items():
        page = await browser.get(path)
        assert page.status_code == 200, path
        assert text in page.text, path


@pytest.mark.parametrize(
    "path",
    ["/nobody", "/octo/nothing", "/octo/skills/issues/9", "/octo/skills/tree/main/no", "/a/b/c/d"],
)
async def test_a_page_that_does_not_exist_says_so(browser: httpx.AsyncClient, path: str) -> None:
    page = await browser.get(path)
    assert page.status_code == 404
    assert "not the page you are looking for" in page.text


async def test_a_raw_file_is_never_run_by_a_browser(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    raw = await browser.get("/octo/skills/raw/main/skills/count/run.sh")
    assert raw.text == "#!/bin/sh\n"
    assert raw.headers["content-type"].startswith("text/plain")
    assert raw.headers["x-content-type-options"] == "nosniff"
    assert stage.repo.repository.head is not None
