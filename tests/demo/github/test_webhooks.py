"""Webhooks: what is sent, how it is signed, and what the log says of it."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.demo.github.conftest import Stage
from tests.demo.github.receiver import Receiver, receiving
from tests.openapi import load_description

REPO = "/repos/octo/skills"
SECRET = "s3cret"


@pytest.fixture
async def receiver(stage: Stage) -> AsyncIterator[Receiver]:
    async with receiving() as end:
        stage.gh.set_webhook(end.url, SECRET)
        yield end


async def _events(stage: Stage, receiver: Receiver) -> list[tuple[str, str | None, Any]]:
    await stage.gh.deliveries_done()
    names = [headers["x-github-event"] for headers in receiver.headers]
    payloads = [json.loads(body) for body in receiver.bodies]
    return [(n, p.get("action"), p) for n, p in zip(names, payloads, strict=True)]


async def test_a_delivery_is_signed_over_its_bytes_and_names_its_hook(
    stage: Stage, receiver: Receiver
) -> None:
    stage.repo.open_issue(author="maria", title="Zähle Wörter 🧮", body="x")
    await stage.gh.deliveries_done()
    headers, body = receiver.headers[0], receiver.bodies[0]
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={digest}"
    assert headers["content-type"] == "application/json"
    assert headers["x-github-hook-installation-target-id"] == str(stage.gh.app_id)
    assert headers["x-github-hook-installation-target-type"] == "integration"
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    assert headers["x-github-delivery"] == stage.gh.deliveries[0].guid
    assert "🧮".encode() in body


async def test_opening_with_labels_tells_of_the_opening_and_of_each_label(
    stage: Stage, receiver: Receiver
) -> None:
    stage.repo.open_issue(author="maria", title="T", body="b", labels=["one", "two"])
    events = await _events(stage, receiver)
    assert [(name, action) for name, action, _ in events] == [
        ("issues", "opened"),
        ("issues", "labeled"),
        ("issues", "labeled"),
    ]
    assert [p["label"]["name"] for _, action, p in events if action == "labeled"] == ["one", "two"]
    assert [label["name"] for label in events[0][2]["issue"]["labels"]] == ["one", "two"]


async def test_what_the_app_does_itself_is_told_with_its_bot_as_sender(
    stage: Stage, receiver: Receiver
) -> None:
    stage.repo.open_issue(author="maria", title="T", body="b")
    await stage.http.post(f"{REPO}/issues/1/labels", json={"labels": ["benchmarked"]})
    await stage.http.post(f"{REPO}/issues/1/comments", json={"body": "done"})
    events = await _events(stage, receiver)
    assert [action for _, action, _ in events] == ["opened", "labeled", "created"]
    for _, _, payload in events[1:]:
        assert payload["sender"]["login"] == stage.gh.bot_login
        assert payload["sender"]["type"] == "Bot"
    app = events[2][2]["comment"]["performed_via_github_app"]
    assert app["id"] == stage.gh.app_id


async def test_an_edit_carries_the_text_before_it(stage: Stage, receiver: Receiver) -> None:
    stage.repo.open_issue(author="maria", title="T", body="b")
    comment = stage.repo.comment(1, by="maria", body="before")
    stage.repo.edit_comment(comment.id, by="maria", body="after")
    stage.repo.edit_issue(1, by="maria", body="b2")
    events = await _events(stage, receiver)
    assert events[-2][2]["changes"] == {"body": {"from": "before"}}
    assert events[-2][2]["comment"]["body"] == "after"
    assert events[-1][2]["changes"] == {"body": {"from": "b"}}


async def test_every_payload_is_as_github_describes_it(
    stage: Stage, receiver: Receiver, tmp_path: Path
) -> None:
    repo = stage.repo
    target = stage.gh.add_repository("octo", "other")
    repo.open_issue(author="maria", title="T", body="b", labels=["x"])
    comment = repo.comment(1, by="visitor", body="hello")
    repo.edit_comment(comment.id, by="visitor", body="hello again")
    repo.delete_comment(comment.id, by="visitor")
    repo.edit_issue(1, by="maria", title="T2", body="b2")
    repo.unlabel(1, "x", by="maria")
    await stage.http.post(f"{REPO}/issues/1/comments", json={"body": "by the App"})
    repo.close(1, by="maria")
    repo.lock(1, by="maria")
    pull = repo.open_issue(author="maria", title="PR", body="", is_pull_request=True)
    repo.comment(pull.number, by="maria", body="on a pull request")
    repo.transfer_issue(1, target, by="maria")
    repo.open_issue(author="maria", title="D", body="")
    repo.delete_issue(3, by="maria")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/new.txt").write_text("new")
    repo.push(tmp_path / "tree", by="maria")
    events = await _events(stage, receiver)
    for name, _, payload in events:
        load_description().validate_webhook(name, payload)
    assert {f"{name}.{action}" for name, action, _ in events} >= {
        "issues.opened",
        "issues.edited",
        "issues.labeled",
        "issues.unlabeled",
        "issues.closed",
        "issues.locked",
        "issues.transferred",
        "issues.deleted",
        "issue_comment.created",
        "issue_comment.edited",
        "issue_comment.deleted",
        "push.None",
    }
    on_pull = [p for n, _, p in events if n == "issue_comment" and "pull_request" in p["issue"]]
    assert len(on_pull) == 1
    assert all(payload["installation"]["id"] == stage.gh.installation_id for *_, payload in events)


async def test_a_failed_delivery_stays_in_the_log_and_goes_out_again_under_its_id(
    stage: Stage, receiver: Receiver
) -> None:
    receiver.status = 503
    stage.repo.open_issue(author="maria", title="T", body="b")
    await stage.gh.deliveries_done()
    row = (await stage.app.get("/app/hook/deliveries")).json()[0]
    assert (row["status_code"], row["redelivery"]) == (503, False)
    receiver.status = 202
    assert (await stage.app.post(f"/app/hook/deliveries/{row['id']}/attempts")).status_code == 202
    await stage.gh.deliveries_done()
    again, first = (await stage.app.get("/app/hook/deliveries")).json()
    assert (again["guid"], again["redelivery"], again["status"]) == (first["guid"], True, "OK")
    assert receiver.bodies[0] == receiver.bodies[1]
    detail = (await stage.app.get(f"/app/hook/deliveries/{again['id']}")).json()
    assert detail["response"]["payload"] == "noted"
    assert detail["request"]["payload"]["action"] == "opened"


async def test_a_hook_that_nobody_answers_is_logged_as_unreachable(stage: Stage) -> None:
    async with receiving() as gone:
        stage.gh.set_webhook(gone.url, SECRET)
    stage.repo.open_issue(author="maria", title="T", body="b")
    await stage.gh.deliveries_done()
    assert stage.gh.deliveries[0].status == "failed to connect to host"


async def test_the_log_is_read_page_by_page_with_a_cursor(stage: Stage, receiver: Receiver) -> None:
    for number in range(5):
        stage.repo.open_issue(author="maria", title=f"T{number}", body="")
    await stage.gh.deliveries_done()
    seen: list[int] = []
    address: str | None = "/app/hook/deliveries?per_page=2"
    while address:
        page = await stage.app.get(address)
        seen += [row["id"] for row in page.json()]
        address = page.links.get("next", {}).get("url")
    assert seen == [delivery.id for delivery in stage.gh.deliveries[::-1]]
    assert len(receiver.bodies) == 5


async def test_where_the_app_is_not_installed_or_suspended_no_issue_is_told_of(
    stage: Stage, receiver: Receiver
) -> None:
    other = stage.gh.add_repository("elsewhere", "skills", installed=False)
    other.open_issue(author="maria", title="T", body="")
    stage.gh.suspend("octo")
    stage.repo.open_issue(author="maria", title="T", body="")
    await stage.gh.deliveries_done()
    assert [headers["x-github-event"] for headers in receiver.headers] == ["installation"]
