"""A pull request and a commit as a person sees them, and what the App hears of a merge."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from demo.github.commits import load_folder
from demo.github.diffs import find_diffs
from demo.github.pull_actions import PullActions, PullDraft
from tests.demo.github.conftest import Stage, write_sample
from tests.demo.github.receiver import receiving
from tests.openapi import load_description

PULL = "/octo/skills/pull/1"
SKILL = "skills/count/SKILL.md"


@pytest.fixture
async def browser(stage: Stage, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A pull request that changes a skill, and a browser to look at it."""
    folder = write_sample(tmp_path / "changed")
    (folder / SKILL).write_text("---\nname: count\ndescription: <b>Counts</b>.\n---\nCount.\n")
    stage.repo.push(folder, by="maria", branch="better", message="Describe it")
    draft = PullDraft(title="Describe it", body="Why: *so*.", head="better", base="main")
    maria = stage.gh.site.account("maria")
    PullActions(stage.gh.site).open(stage.repo.repository, maria, draft)
    async with httpx.AsyncClient(
        base_url=stage.served.web_url, follow_redirects=True, verify=False
    ) as client:
        yield client


async def test_its_page_shows_words_branches_and_the_difference(browser: httpx.AsyncClient) -> None:
    html = (await browser.get(PULL)).text
    assert "Why: <em>so</em>." in html
    assert "wants to merge <code>better</code> into <code>main</code>" in html
    assert f"<code>{SKILL}</code>" in html
    assert '<td class="line">description: &lt;b&gt;Counts&lt;/b&gt;.</td>' in html
    assert html.count('class="diff-added"') == 1
    assert 'class="diff-removed"' not in html


async def test_a_merge_is_a_push_to_the_default_branch_that_the_app_hears_of(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    old = stage.repo.head
    async with receiving() as receiver:
        stage.gh.set_webhook(receiver.url, "secret")
        html = (await browser.post(f"{PULL}/merge")).text
        await stage.gh.deliveries_done()
    assert "Merged" in html
    assert "Merge pull request</button>" not in html
    (push,) = [one for one in stage.gh.deliveries if one.event == "push"]
    assert (push.payload["ref"], push.payload["before"]) == ("refs/heads/main", old)
    assert push.payload["commits"][0]["modified"] == [SKILL]
    assert (await browser.post(f"{PULL}/merge")).status_code == 405
    listed = await stage.http.get("/repos/octo/skills/pulls", params={"state": "closed"})
    assert listed.json()[0]["merged_at"]


async def test_only_who_may_write_may_merge(stage: Stage, browser: httpx.AsyncClient) -> None:
    await browser.post("/_person", data={"login": "visitor", "back": PULL})
    assert "Merge pull request</button>" not in (await browser.get(PULL)).text
    assert (await browser.post(f"{PULL}/merge")).status_code == 403
    assert (await browser.post("/octo/skills/pull/99/merge")).status_code == 404


async def test_a_commits_page_shows_its_difference_and_its_comments(
    stage: Stage, browser: httpx.AsyncClient
) -> None:
    sha = stage.repo.repository.branches["better"]
    body = {"body": "**Measured.** <script>x</script>"}
    made = await stage.http.post(f"/repos/octo/skills/commits/{sha}/comments", json=body)
    html = (await browser.get(httpx.URL(made.json()["html_url"]).path)).text
    assert f'id="commitcomment-{made.json()["id"]}"' in html
    assert "<strong>Measured.</strong>" in html
    assert "<script>x" not in html
    assert "description: &lt;b&gt;Counts" in html
    assert (await browser.get("/octo/skills/commit/nothing")).status_code == 404


async def test_opening_one_is_told_to_an_app_that_listens(stage: Stage, tmp_path: Path) -> None:
    app = stage.gh.site.state.app
    app.events = (*app.events, "pull_request")
    async with receiving() as receiver:
        stage.gh.set_webhook(receiver.url, "secret")
        stage.repo.push(write_sample(tmp_path / "next"), by="maria", branch="next")
        draft = {"title": "Next", "head": "next", "base": "main"}
        assert (await stage.http.post("/repos/octo/skills/pulls", json=draft)).status_code == 201
        await stage.gh.deliveries_done()
    (opened,) = [one for one in stage.gh.deliveries if one.event == "pull_request"]
    load_description().validate_webhook("pull_request", opened.payload)
    assert opened.payload["pull_request"]["head"]["ref"] == "next"


@pytest.mark.parametrize(
    ("change", "status", "word"),
    [
        ({"head": "nothing"}, 422, "invalid"),
        ({"base": "nothing"}, 422, "invalid"),
        ({"head": "main"}, 422, "No commits between"),
        ({}, 422, "already exists for octo:better"),
    ],
)
async def test_what_github_would_not_open_is_refused(
    stage: Stage, browser: httpx.AsyncClient, change: dict[str, str], status: int, word: str
) -> None:
    del browser
    draft = {"title": "Again", "head": "better", "base": "main"} | change
    answer = await stage.http.post("/repos/octo/skills/pulls", json=draft)
    assert answer.status_code == status
    assert word in answer.text


def test_a_difference_leaves_out_what_is_far_from_it(stage: Stage, tmp_path: Path) -> None:
    lines = [f"line {number}" for number in range(30)]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    (tmp_path / "b.bin").write_bytes(b"\0")
    before = stage.repo.repository.commits[stage.repo.push(tmp_path)]
    lines[20] = "other"
    (tmp_path / "a.txt").write_text("\n".join(lines))
    (tmp_path / "b.bin").write_bytes(b"\0\0")
    after = stage.repo.repository.commits[stage.repo.push(tmp_path)]
    text, binary = find_diffs(before, after)
    assert [line.text for line in text.lines] == [
        *("…", "line 17", "line 18", "line 19", "line 20", "other", "line 21", "line 22", "line 23")
    ]
    assert (text.count("added"), text.count("removed"), text.lines[5].new) == (1, 1, 21)
    assert (binary.path, binary.lines) == ("b.bin", ())
    assert load_folder(tmp_path).entries == after.entries
