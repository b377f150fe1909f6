"""Credentials: the App's JWT, installation tokens, and what each may reach."""

import time
from datetime import timedelta

import httpx
import pytest

from demo.github import make_private_key
from tests.demo.github.conftest import Stage, bearer, make_jwt

REPO = "/repos/octo/skills"


async def test_a_token_is_dead_after_sixty_minutes_and_a_fresh_one_works(stage: Stage) -> None:
    stage.clock.pass_time(timedelta(minutes=59, seconds=59))
    assert (await stage.http.get(REPO)).status_code == 200
    stage.clock.pass_time(timedelta(seconds=1))
    refused = await stage.http.get(REPO)
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")
    token = (await stage.new_token()).json()["token"]
    assert (await stage.http.get(REPO, headers=bearer(token))).status_code == 200


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("", "Requires authentication"),
        ("Bearer ghs_unknown", "Bad credentials"),
        ("Basic bWFyaWE6eA==", "Bad credentials"),
        ("Bearer a.b.c", "A JSON web token could not be decoded"),
    ],
)
async def test_wrong_credentials_are_refused_with_githubs_words(
    stage: Stage, header: str, message: str
) -> None:
    answer = await stage.http.get(REPO, headers={"authorization": header})
    assert (answer.status_code, answer.json()["message"]) == (401, message)
    assert answer.json()["status"] == "401"


@pytest.mark.parametrize(
    ("claims", "part"),
    [
        ({"exp": -300}, "'Expiration time' claim"),
        ({"exp": 3600}, "too far in the future"),
        ({"iat": 300}, "'Issued at' claim"),
        ({"iss": "12345"}, "'Issuer' claim"),
    ],
)
async def test_a_jwt_with_a_wrong_claim_is_refused_by_that_claims_name(
    stage: Stage, claims: dict[str, object], part: str
) -> None:
    now = int(time.time())  # not when the tests were collected, which may be long ago
    claims = {name: now + one if isinstance(one, int) else one for name, one in claims.items()}
    answer = await stage.app.get("/app", headers=bearer(make_jwt(stage.gh, **claims)))
    assert answer.status_code == 401
    assert part in answer.json()["message"]


async def test_a_jwt_of_another_key_is_refused(stage: Stage) -> None:
    stage.gh.private_key_pem = make_private_key()
    answer = await stage.app.get("/app", headers=bearer(make_jwt(stage.gh)))
    assert answer.json()["message"] == "A JSON web token could not be decoded"


async def test_jwt_and_token_each_open_only_their_own_doors(stage: Stage) -> None:
    assert (await stage.http.get("/app")).status_code == 401
    assert (await stage.app.get(REPO)).status_code == 403


async def test_a_suspended_installation_gets_no_token_while_another_is_served(stage: Stage) -> None:
    other = stage.gh.add_repository("acme", "skills")
    stage.gh.suspend("octo")
    assert (await stage.new_token()).status_code == 403
    assert (await stage.http.get(REPO)).status_code == 403
    installation = (await stage.app.get("/repos/acme/skills/installation")).json()["id"]
    made = await stage.app.post(f"/app/installations/{installation}/access_tokens")
    headers = bearer(made.json()["token"])
    answer = await stage.http.get(f"/repos/{other.full_name}", headers=headers)
    assert answer.status_code == 200
    stage.gh.suspend("octo", is_suspended=False)
    assert (await stage.new_token()).status_code == 201


async def test_after_uninstalling_tokens_and_installation_are_gone(stage: Stage) -> None:
    address = f"/app/installations/{stage.gh.installation_id}/access_tokens"
    stage.gh.uninstall("octo")
    assert (await stage.http.get(REPO)).status_code == 401
    assert (await stage.app.post(address)).status_code == 404
    assert (await stage.app.get(f"{REPO}/installation")).status_code == 404


async def test_a_narrowed_token_may_do_no_more_than_it_was_given(stage: Stage) -> None:
    stage.gh.add_repository("octo", "private", private=True)
    stage.repo.open_issue(author="maria", title="T", body="")
    narrow = await stage.new_token(repositories=["skills"], permissions={"issues": "read"})
    headers = bearer(narrow.json()["token"])
    assert (await stage.http.get(f"{REPO}/issues/1", headers=headers)).status_code == 200
    write = await stage.http.post(f"{REPO}/issues/1/comments", json={"body": "x"}, headers=headers)
    assert write.status_code == 403
    assert write.json()["message"] == "Resource not accessible by integration"
    assert write.headers["x-accepted-github-permissions"] == "issues=write"
    assert (await stage.http.get("/repos/octo/private", headers=headers)).status_code == 404
    asked_too_much = await stage.new_token(permissions={"administration": "write"})
    assert asked_too_much.status_code == 422
    assert (await stage.new_token(repositories=["nowhere"])).status_code == 422


async def test_a_token_sees_anothers_public_repository_but_writes_nothing_there(
    stage: Stage,
) -> None:
    public = stage.gh.add_repository("acme", "open")
    public.open_issue(author="visitor", title="T", body="")
    stage.gh.add_repository("acme", "closed", private=True)
    assert (await stage.http.get("/repos/acme/open/issues/1")).status_code == 200
    write = await stage.http.post("/repos/acme/open/issues/1/comments", json={"body": "x"})
    assert write.status_code == 403
    assert (await stage.http.get("/repos/acme/closed")).status_code == 404


async def test_a_caller_without_a_name_is_turned_away(stage: Stage) -> None:
    headers = {**stage.http.headers, "user-agent": ""}
    async with httpx.AsyncClient(base_url=stage.served.api_url) as nameless:
        answer = await nameless.get(REPO, headers=headers)
    assert answer.status_code == 403
    assert "User-Agent" in answer.json()["message"]
