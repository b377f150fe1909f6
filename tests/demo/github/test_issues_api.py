"""Issues, comments and labels over REST: the refusals and the pages of long lists."""

import json
from typing import Any

import pytest

from tests.demo.github.conftest import Stage

REPO = "/repos/octo/skills"


@pytest.fixture
def issue(stage: Stage) -> str:
    """Path of a fresh issue."""
    return f"{REPO}/issues/{stage.repo.open_issue(author='maria', title='T', body='b').number}"


async def test_a_comment_may_have_65536_characters_and_not_one_more(
    stage: Stage, issue: str
) -> None:
    fits = await stage.http.post(f"{issue}/comments", json={"body": "🧮" * 65_536})
    assert fits.status_code == 201
    too_long = {"body": "x" * 65_537}
    address = f"{REPO}/issues/comments/{fits.json()['id']}"
    for answer in (
        await stage.http.post(f"{issue}/comments", json=too_long),
        await stage.http.patch(address, json=too_long),
        await stage.http.patch(issue, json=too_long),
    ):
        assert answer.status_code == 422
        error = answer.json()["errors"][0]
        assert (error["field"], error["code"]) == ("body", "custom")
        assert "65536" in error["message"]
    assert len(stage.repo.issue(1).comments) == 1


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"body": ', 400),
        (b'["body"]', 400),
        (b"{}", 422),
        (b'{"body": 7}', 422),
        (b'{"body": "  "}', 422),
    ],
)
async def test_a_comment_without_a_text_is_refused(
    stage: Stage, issue: str, content: bytes, status: int
) -> None:
    answer = await stage.http.post(f"{issue}/comments", content=content)
    assert answer.status_code == status
    assert answer.json()["documentation_url"].startswith("https://docs.github.com")


async def test_137_comments_come_in_pages_whose_links_lead_to_all_of_them(
    stage: Stage, issue: str
) -> None:
    for number in range(137):
        stage.repo.comment(1, by="maria", body=f"comment {number}")
    seen: list[str] = []
    sizes: list[int] = []
    address: str | None = f"{issue}/comments?per_page=500"
    while address:
        page = await stage.http.get(address)
        sizes.append(len(page.json()))
        seen += [row["body"] for row in page.json()]
        address = page.links.get("next", {}).get("url")
        assert address is None or address.startswith(stage.served.api_url)
    assert sizes == [100, 37]
    assert seen == [f"comment {number}" for number in range(137)]
    middle = await stage.http.get(f"{issue}/comments", params={"page": "2"})
    assert set(middle.links) == {"prev", "next", "last", "first"}
    assert len(middle.json()) == 30


async def test_labels_refuse_what_github_refuses(stage: Stage, issue: str) -> None:
    http = stage.http
    label = {"name": "Needs-Benchmark", "color": "fbca04"}
    assert (await http.post(f"{REPO}/labels", json=label)).status_code == 201
    again = await http.post(f"{REPO}/labels", json=label | {"name": "needs-benchmark"})
    assert again.status_code == 422
    assert again.json()["errors"][0]["code"] == "already_exists"
    wrong = await http.post(f"{REPO}/labels", json={"name": "x", "color": "#fff"})
    assert wrong.status_code == 422
    absent = await http.delete(f"{issue}/labels/needs-benchmark")
    assert (absent.status_code, absent.json()["message"]) == (404, "Label does not exist")
    assert (await http.get(f"{REPO}/labels/nothing")).status_code == 404


async def test_a_label_is_put_once_whatever_its_case(stage: Stage, issue: str) -> None:
    stage.repo.add_label("Needs-Benchmark")
    for name in ("needs-benchmark", "NEEDS-BENCHMARK"):
        answer = await stage.http.post(f"{issue}/labels", json={"labels": [name]})
    assert [row["name"] for row in answer.json()] == ["Needs-Benchmark"]
    assert [event.kind for event in stage.repo.issue(1).events] == ["labeled"]


async def test_a_deleted_issue_is_gone_a_moved_one_redirects_and_its_comments_are_lost(
    stage: Stage, issue: str
) -> None:
    target = stage.gh.add_repository("octo", "other")
    moving = stage.repo.open_issue(author="maria", title="Moving", body="")
    stage.repo.comment(moving.number, by="maria", body="kept")
    moved = stage.repo.transfer_issue(moving.number, target, by="maria")
    stage.repo.delete_issue(1, by="maria")
    assert (await stage.http.get(issue)).status_code == 410
    assert (await stage.http.get(f"{issue}/comments")).status_code == 410
    followed = await stage.http.get(f"{REPO}/issues/2", follow_redirects=True)
    assert followed.json()["repository_url"].endswith("/repos/octo/other")
    assert (await stage.http.get(f"{REPO}/issues/2/comments")).status_code == 404
    assert [comment.body for comment in moved.comments] == ["kept"]


async def test_the_app_cannot_comment_on_a_locked_issue_and_a_person_can(
    stage: Stage, issue: str
) -> None:
    stage.repo.lock(1, by="maria")
    answer = await stage.http.post(f"{issue}/comments", json={"body": "x"})
    assert answer.status_code == 403
    assert "locked" in answer.json()["message"]
    stage.repo.comment(1, by="maria", body="still here")
    assert stage.repo.comments(1) == ["still here"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({}, ["three", "one"]),
        ({"state": "all", "direction": "asc"}, ["one", "two", "three"]),
        ({"state": "closed"}, ["two"]),
        ({"labels": "a,b"}, ["one"]),
        ({"creator": "Visitor", "state": "all"}, ["three"]),
        ({"state": "all", "sort": "comments"}, ["two", "three", "one"]),
    ],
)
async def test_issues_are_listed_as_asked(
    stage: Stage, query: dict[str, str], titles: list[str]
) -> None:
    stage.repo.open_issue(author="maria", title="one", body="", labels=["a", "b"])
    stage.repo.open_issue(author="maria", title="two", body="", labels=["a"])
    stage.repo.open_issue(author="visitor", title="three", body="")
    stage.repo.comment(2, by="maria", body="x")
    stage.repo.close(2, by="maria")
    rows = (await stage.http.get(f"{REPO}/issues", params=query)).json()
    assert [row["title"] for row in rows] == titles


@pytest.mark.parametrize(
    ("login", "expected"),
    [
        ("maria", ("write", "write")),
        ("Triager", ("read", "triage")),
        ("keeper", ("write", "maintain")),
        ("visitor", ("read", "read")),
    ],
)
async def test_permission_is_told_in_the_old_words_and_the_role_in_the_new(
    stage: Stage, login: str, expected: tuple[str, str]
) -> None:
    stage.gh.add_person("triager", {"octo/skills": "triage"})
    stage.gh.add_person("keeper", {"octo/skills": "maintain"})
    answer = (await stage.http.get(f"{REPO}/collaborators/{login}/permission")).json()
    assert (answer["permission"], answer["role_name"]) == expected


async def test_a_bot_or_nobody_has_no_permission_to_tell(stage: Stage) -> None:
    stage.gh.add_bot("renovate[bot]")
    bot = await stage.http.get(f"{REPO}/collaborators/renovate[bot]/permission")
    assert (bot.status_code, bot.json()["message"]) == (404, "renovate[bot] is not a user")
    assert (await stage.http.get(f"{REPO}/collaborators/nobody/permission")).status_code == 404


async def test_in_a_private_repository_a_stranger_has_none(stage: Stage) -> None:
    stage.gh.add_repository("octo", "closed", private=True)
    address = "/repos/octo/closed/collaborators/visitor/permission"
    assert (await stage.http.get(address)).json()["permission"] == "none"


async def test_an_unchanged_answer_is_not_sent_twice(stage: Stage, issue: str) -> None:
    first = await stage.http.get(issue)
    tag = {"if-none-match": first.headers["etag"]}
    assert (await stage.http.get(issue, headers=tag)).status_code == 304
    stage.repo.comment(1, by="maria", body="news")
    assert (await stage.http.get(issue, headers=tag)).status_code == 200


@pytest.mark.parametrize(
    "mutation",
    [
        {
            "query": "mutation M($id: ID!) { minimizeComment(input: {subjectId: $id, "
            "classifier: RESOLVED}) { minimizedComment { isMinimized } } }",
            "variables": {"id": "NODE"},
        },
        {
            "query": 'mutation { minimizeComment(input: {subjectId: "NODE", classifier: '
            "RESOLVED}) { minimizedComment { isMinimized } } }"
        },
    ],
)
async def test_a_comment_is_folded_away_by_graphql(
    stage: Stage, issue: str, mutation: dict[str, Any]
) -> None:
    comment = stage.repo.comment(1, by="maria", body="old news")
    row = (await stage.http.get(f"{REPO}/issues/comments/{comment.id}")).json()
    filled = json.loads(json.dumps(mutation).replace("NODE", row["node_id"]))
    answer = (await stage.http.post("/graphql", json=filled)).json()
    assert answer["data"]["minimizeComment"]["minimizedComment"]["isMinimized"] is True
    assert comment.minimized == "resolved"


async def test_graphql_refuses_what_it_does_not_speak(stage: Stage) -> None:
    answer = await stage.http.post("/graphql", json={"query": "{ viewer { login } }"})
    assert answer.status_code == 200
    assert "minimizeComment" in answer.json()["errors"][0]["message"]


async def test_an_address_that_does_not_exist_answers_404_in_json(stage: Stage) -> None:
    for method, path in (("GET", "/nothing/here"), ("PUT", f"{REPO}/issues/1")):
        answer = await stage.http.request(method, path)
        assert (answer.status_code, answer.json()["message"]) == (404, "Not Found")
