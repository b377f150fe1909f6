"""Repositories that change under a bot's hands: renamed, archived; and an issue's own log."""

from datetime import timedelta

import pytest

from tests.demo.github.conftest import Stage
from tests.demo.github.receiver import receiving

REPO = "/repos/octo/skills"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", REPO, 301),
        ("GET", f"{REPO}/issues/1/comments?per_page=5", 301),
        ("POST", f"{REPO}/issues/1/comments", 307),
    ],
)
async def test_a_former_name_redirects_to_the_repositorys_id(
    stage: Stage, method: str, path: str, status: int
) -> None:
    """A client that follows gets there, with its query and its method."""
    stage.repo.open_issue(author="maria", title="T", body="b", number=1)
    stage.repo.rename("abilities")
    body = {"body": "Hello"} if method == "POST" else None
    answer = await stage.http.request(method, path, json=body)
    assert answer.status_code == status
    where = answer.headers["location"]
    rest = path.removeprefix(REPO)
    assert where == f"{stage.served.api_url}/repositories/{stage.repo.repository.id}{rest}"
    followed = await stage.http.request(method, where, json=body)
    assert followed.status_code == (201 if method == "POST" else 200)


async def test_an_archived_repository_is_read_and_not_written(stage: Stage) -> None:
    issue = stage.repo.open_issue(author="maria", title="T", body="b")
    stage.repo.archive()
    assert (await stage.http.get(REPO)).json()["archived"] is True
    path = f"{REPO}/issues/{issue.number}"
    assert (await stage.http.get(path)).status_code == 200
    refused = await stage.http.post(f"{path}/comments", json={"body": "Hello"})
    assert refused.status_code == 403
    assert "archived" in refused.json()["message"]


async def test_an_issue_tells_who_labelled_it_and_when(stage: Stage) -> None:
    issue = stage.repo.open_issue(author="visitor", title="T", body="b")
    stage.clock.pass_time(timedelta(minutes=1))
    stage.repo.label(issue.number, "ask", by="maria")
    answer = await stage.http.get(f"{REPO}/issues/{issue.number}/events")
    [event] = answer.json()
    assert (event["event"], event["actor"]["login"], event["label"]["name"]) == (
        *("labeled", "maria", "ask"),
    )
    assert event["created_at"] == stage.clock().strftime("%Y-%m-%dT%H:%M:%SZ")


async def test_the_log_of_deliveries_forgets_after_three_days(stage: Stage) -> None:
    """What is older cannot be delivered again, by anybody."""
    async with receiving() as end:
        stage.gh.set_webhook(end.url)
        stage.repo.open_issue(author="maria", title="T", body="b")
        await stage.gh.deliveries_done()
        assert len((await stage.app.get("/app/hook/deliveries")).json()) == 1
        stage.clock.pass_time(timedelta(days=3, seconds=1))
        assert (await stage.app.get("/app/hook/deliveries")).json() == []
