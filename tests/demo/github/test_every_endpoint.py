"""One walk over the whole API, judged by GitHub's own description of it."""

from collections.abc import Callable

from demo.github import LocalGitHub
from demo.github.registration import register
from demo.github.rest_releases import UPLOAD_ENDPOINTS
from demo.github.server import ENDPOINTS
from tests.demo.github.conftest import Stage

REPO = "/repos/octo/skills"


async def _walk_app(stage: Stage) -> None:
    installation = f"/app/installations/{stage.gh.installation_id}"
    for path in ("/app", "/app/installations", installation, f"{REPO}/installation"):
        assert (await stage.app.get(path)).status_code == 200
    narrow = await stage.new_token(repositories=["skills"], permissions={"issues": "read"})
    assert narrow.status_code == 201
    assert narrow.json()["repository_selection"] == "selected"
    revoked = {"authorization": f"token {narrow.json()['token']}"}
    assert (await stage.http.delete("/installation/token", headers=revoked)).status_code == 204
    assert (await stage.app.get("/app/hook/config")).status_code == 200
    rows = (await stage.app.get("/app/hook/deliveries", params={"per_page": 1})).json()
    delivery = f"/app/hook/deliveries/{rows[0]['id']}"
    assert (await stage.app.get(delivery)).json()["guid"] == rows[0]["guid"]
    assert (await stage.app.post(f"{delivery}/attempts")).status_code == 202
    person = {
        "authorization": f"token {stage.gh.site.tokens.issue_to(stage.gh.site.account('maria'))}"
    }
    assert (await stage.http.get("/user", headers=person)).json()["login"] == "maria"
    reached = (await stage.http.get("/user/installations", headers=person)).json()
    assert [one["id"] for one in reached["installations"]] == [stage.gh.installation_id]
    theirs = f"/user/installations/{stage.gh.installation_id}/repositories"
    [found] = (await stage.http.get(theirs, headers=person)).json()["repositories"]
    assert found["permissions"]["pull"]
    for path in ("/installation/repositories", "/rate_limit", "/users/maria", "/users/octo"):
        assert (await stage.http.get(path)).status_code == 200


async def _walk_code(stage: Stage) -> None:
    head = stage.repo.head
    tree = (await stage.http.get(f"{REPO}/git/trees/{head}", params={"recursive": "1"})).json()
    assert {row["path"]: row["mode"] for row in tree["tree"]}["count"] == "120000"
    folder = next(row["sha"] for row in tree["tree"] if row["path"] == "skills")
    for path in (
        REPO,
        f"{REPO}/commits",
        f"{REPO}/commits/main",
        f"{REPO}/commits/{head[:8]}",
        f"{REPO}/branches/main",
        f"{REPO}/git/trees/{folder}",
        f"{REPO}/contents",
        f"{REPO}/contents/README.md",
        f"{REPO}/contents/count",
        f"{REPO}/contents/skills/count",
        f"{REPO}/collaborators/maria/permission",
        f"{REPO}/compare/main...{head}",
    ):
        assert (await stage.http.get(path)).status_code == 200, path
    for path in (f"{REPO}/tarball", f"{REPO}/tarball/{head}"):
        assert (await stage.http.get(path)).status_code == 302


async def _walk_issues(stage: Stage) -> None:
    http = stage.http
    new = await http.post(f"{REPO}/issues", json={"title": "T", "body": "B", "labels": ["a"]})
    issue = f"{REPO}/issues/{new.json()['number']}"
    listing = await http.get(f"{REPO}/issues", params={"state": "all", "labels": "a"})
    assert [row["title"] for row in listing.json()] == ["T"]
    patch = {"title": "T2", "labels": ["b"], "state": "closed", "state_reason": "not_planned"}
    changed = (await http.patch(issue, json=patch)).json()
    stage.repo.lock(changed["number"], by="maria")
    events = (await http.get(f"{issue}/events", params={"per_page": 100})).json()
    assert {row["event"] for row in events} == {
        *("labeled", "unlabeled", "renamed", "closed", "locked")
    }
    assert (changed["state"], changed["state_reason"]) == ("closed", "not_planned")
    assert (await http.get(issue)).json()["title"] == "T2"

    label = {"name": "needs/benchmark", "color": "FBCA04", "description": "ask"}
    assert (await http.post(f"{REPO}/labels", json=label)).status_code == 201
    names = [row["name"] for row in (await http.get(f"{REPO}/labels")).json()]
    assert names == ["a", "b", "needs/benchmark"]
    assert (await http.get(f"{REPO}/labels/needs%2Fbenchmark")).json()["color"] == "fbca04"
    await http.post(f"{issue}/labels", json={"labels": ["needs/benchmark"]})
    assert (await http.get(f"{issue}/labels")).status_code == 200
    left = await http.delete(f"{issue}/labels/needs%2Fbenchmark")
    assert [row["name"] for row in left.json()] == ["b"]
    assert (await http.put(f"{issue}/labels", json={"labels": ["a"]})).status_code == 200
    assert (await http.delete(f"{issue}/labels")).status_code == 204


async def _walk_moved_issue(stage: Stage) -> None:
    target = stage.gh.add_repository("octo", "elsewhere")
    moving = stage.repo.open_issue(author="maria", title="Moves", body="")
    stage.repo.transfer_issue(moving.number, target, by="maria")
    redirect = await stage.http.get(f"{REPO}/issues/{moving.number}")
    assert redirect.status_code == 301
    assert (await stage.http.get(redirect.headers["location"])).json()["title"] == "Moves"


async def _walk_comments(stage: Stage) -> None:
    http = stage.http
    issue = stage.repo.open_issue(author="maria", title="Talk", body="")
    place = f"{REPO}/issues/{issue.number}"
    comment = (await http.post(f"{place}/comments", json={"body": "one"})).json()
    address = f"{REPO}/issues/comments/{comment['id']}"
    assert (await http.patch(address, json={"body": "two"})).json()["body"] == "two"
    assert (await http.get(address)).json()["body"] == "two"
    for path in (f"{place}/comments", f"{REPO}/issues/comments"):
        assert [row["body"] for row in (await http.get(path)).json()] == ["two"]
    for reacted in (place, address):
        made = [await http.post(f"{reacted}/reactions", json={"content": "eyes"}) for _ in range(2)]
        assert [answer.status_code for answer in made] == [201, 200]
        assert len((await http.get(f"{reacted}/reactions")).json()) == 1
        gone = await http.delete(f"{reacted}/reactions/{made[0].json()['id']}")
        assert gone.status_code == 204
    mutation = (
        "mutation($input: MinimizeCommentInput!) { minimizeComment(input: $input) { __typename } }"
    )
    given = {"input": {"subjectId": comment["node_id"], "classifier": "OUTDATED"}}
    await http.post("/graphql", json={"query": mutation, "variables": given})
    assert (await http.get(address)).json()["minimized"] == {"reason": "outdated"}
    assert (await http.delete(address)).status_code == 204


async def _walk_git_and_pulls(stage: Stage) -> None:
    http, head = stage.http, stage.repo.head
    blob = await http.post(f"{REPO}/git/blobs", json={"content": "aGk=", "encoding": "base64"})
    row = {"path": "hi.txt", "mode": "100644", "type": "blob", "sha": blob.json()["sha"]}
    root = (await http.get(f"{REPO}/git/commits/{head}")).json()["tree"]["sha"]
    tree = await http.post(f"{REPO}/git/trees", json={"base_tree": root, "tree": [row]})
    parts = {"message": "Say hi", "tree": tree.json()["sha"], "parents": [head]}
    commit = (await http.post(f"{REPO}/git/commits", json=parts)).json()["sha"]
    ref = {"ref": "refs/heads/say/hi", "sha": commit}
    assert (await http.post(f"{REPO}/git/refs", json=ref)).status_code == 201
    found = await http.get(f"{REPO}/git/ref/heads/say/hi")
    assert found.json()["object"]["sha"] == commit
    row = {"path": "hi.txt", "mode": "100644", "type": "blob", "content": "hi again"}
    again = await http.post(f"{REPO}/git/trees", json={"base_tree": root, "tree": [row]})
    parts |= {"tree": again.json()["sha"], "parents": [commit, head]}
    commit = (await http.post(f"{REPO}/git/commits", json=parts)).json()["sha"]
    moved = await http.patch(f"{REPO}/git/refs/heads/say/hi", json={"sha": commit})
    assert moved.json()["object"]["sha"] == commit

    draft = {"title": "Hi", "body": "", "head": "say/hi", "base": "main"}
    pull = (await http.post(f"{REPO}/pulls", json=draft)).json()
    address = f"{REPO}/pulls/{pull['number']}"
    assert (await http.patch(address, json={"body": "Hi there"})).json()["body"] == "Hi there"
    assert (await http.get(address)).json()["changed_files"] == 1
    listed = await http.get(f"{REPO}/pulls", params={"head": "octo:say/hi", "state": "all"})
    assert [one["number"] for one in listed.json()] == [pull["number"]]

    comments = f"{REPO}/commits/{head}/comments"
    made = (await http.post(comments, json={"body": "one"})).json()
    comment = f"{REPO}/comments/{made['id']}"
    assert (await http.patch(comment, json={"body": "two"})).json()["body"] == "two"
    assert [one["body"] for one in (await http.get(comments)).json()] == ["two"]
    assert (await http.delete(comment)).status_code == 204


async def _walk_checks(stage: Stage) -> None:
    http, head = stage.http, stage.repo.head
    begun = {"name": "skillbench", "head_sha": head, "external_id": "push:1"}
    check = (await http.post(f"{REPO}/check-runs", json=begun)).json()
    address = f"{REPO}/check-runs/{check['id']}"
    remark = {"path": "README.md", "start_line": 1, "end_line": 2, "annotation_level": "notice"}
    output = {"title": "T", "summary": "S", "annotations": [remark | {"message": "odd"}]}
    button = {"label": "Run", "description": "Run it", "identifier": "run"}
    end = {"conclusion": "neutral", "output": output, "actions": [button]}
    assert (await http.patch(address, json=end)).json()["status"] == "completed"
    assert (await http.get(address)).json()["output"]["annotations_count"] == 1
    assert [row["message"] for row in (await http.get(f"{address}/annotations")).json()] == ["odd"]
    listed = await http.get(f"{REPO}/commits/{head}/check-runs", params={"filter": "all"})
    assert [row["id"] for row in listed.json()["check_runs"]] == [check["id"]]


async def _walk_releases(stage: Stage) -> None:
    http = stage.http
    draft = {"tag_name": "results-1", "name": "Results", "prerelease": True}
    release = (await http.post(f"{REPO}/releases", json=draft)).json()
    upload = release["upload_url"].partition("{")[0]
    asset = await http.post(
        upload,
        params={"name": "run 1.zip"},
        content=b"PK",
        headers={"content-type": "application/zip"},
    )
    assert asset.json()["name"] == "run.1.zip"
    for path in (
        f"{REPO}/releases",
        f"{REPO}/releases/tags/results-1",
        f"{REPO}/releases/{release['id']}",
        f"{REPO}/releases/{release['id']}/assets",
        f"{REPO}/releases/assets/{asset.json()['id']}",
    ):
        assert (await http.get(path)).status_code == 200, path
    download = await http.get(asset.json()["browser_download_url"])
    assert download.content == b"PK"
    removed = await http.delete(f"{REPO}/releases/assets/{asset.json()['id']}")
    assert removed.status_code == 204


async def _walk_registration(stage: Stage) -> None:
    await stage.gh.deliveries_done()
    stage.gh.set_webhook(None)
    manifest = {"default_permissions": {"issues": "write"}, "default_events": ["issues"]}
    code = register(stage.gh.site, manifest, "another", stage.gh.site.account("maria"))
    answer = await stage.http.post(f"/app-manifests/{code}/conversions")
    assert answer.status_code == 201
    assert answer.json()["slug"] == "another"


async def test_every_endpoint_is_understood_and_answers_as_github_describes(
    stage: Stage, openapi_checked: Callable[[LocalGitHub], LocalGitHub]
) -> None:
    openapi_checked(stage.gh)
    stage.gh.set_webhook(f"{stage.served.web_url}/no-hook-here", "secret")
    stage.repo.open_issue(author="maria", title="First", body="text", labels=["a"])
    await stage.gh.deliveries_done()
    await _walk_app(stage)
    await _walk_code(stage)
    stage.repo.delete_issue(1, by="maria")
    await _walk_issues(stage)
    await _walk_moved_issue(stage)
    await _walk_comments(stage)
    await _walk_releases(stage)
    await _walk_git_and_pulls(stage)
    await _walk_checks(stage)
    await _walk_registration(stage)  # last: it puts another App in the place of this one
    walked = {(exchange.method, exchange.route) for exchange in stage.gh.requests}
    offered = {(row.method, row.path) for row in (*ENDPOINTS, *UPLOAD_ENDPOINTS)}
    assert walked >= offered, sorted(offered - walked)
    assert not [e for e in stage.gh.requests if e.status >= 400]
