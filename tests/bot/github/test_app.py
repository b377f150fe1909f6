"""The App itself: identity, installations, tokens, and what it never tells."""

import asyncio
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.github.app import GitHubApp
from bot.github.failures import BadCredentials
from config.settings import Settings
from demo.github import make_private_key
from jobs.errors import Gone, IssueMoved, Transient
from tests.bot.github.conftest import World


async def test_the_app_knows_itself_after_one_call(world: World):
    for _ in range(3):
        identity = await world.app.identity()
    assert identity.app_id == world.gh.app_id
    assert identity.bot_login == "skillbench[bot]"
    assert identity.owner == "skillbench-operator"
    assert len(world.calls()) == 1


async def test_the_installation_of_a_repository_is_found(world: World):
    assert await world.app.installation_of("acme", "skills") == world.repo.installation_id
    with pytest.raises(Gone, match="not installed on acme/nothing"):
        await world.app.installation_of("acme", "nothing")
    world.gh.suspend("acme")
    with pytest.raises(Gone, match="suspended"):
        await world.app.installation_of("acme", "skills")


@pytest.mark.parametrize(
    ("there", "may_be_told"),
    [("acme/attic", True), ("Acme/attic", True), ("acme/nothing", False), ("other/attic", False)],
)
async def test_a_moved_issue_is_told_where_the_app_is_installed_for_the_same_owner(
    world: World, there: str, may_be_told: bool
):
    for owner in ("acme", "other"):
        world.gh.add_repository(owner, "attic")
    moved = IssueMoved("issue moved", repository=there, number=1)
    assert (await world.app.find_moved(world.repo, moved) is not None) == may_be_told


async def test_a_token_that_expired_is_replaced_at_once(world: World):
    """A run of two hours; GitHub rejects tokens older than one."""
    await world.client.issue(7)
    world.clock.now += timedelta(hours=2).total_seconds()
    await world.client.comment(7, "Report", tag="report:1")
    assert len(world.handle.comments(7)) == 1
    assert [sent.status for sent in world.calls("GET")][:2] == [200, 401]


async def test_an_upload_survives_an_expired_token(world: World, tmp_path: Path):
    archive = tmp_path / "archive.zip"
    archive.write_bytes(b"x" * 3_000_000)
    await world.client.upload("2026-05", "one.zip", archive)
    world.gh.faults.answer(401, on="POST */assets")
    await world.client.upload("2026-05", "two.zip", archive)
    release = world.handle.release("benchmark-results-2026-05")
    assert release is not None
    assert [len(asset.content) for asset in release.assets] == [3_000_000, 3_000_000]


async def test_a_token_that_is_never_accepted_is_not_asked_for_without_end(world: World):
    world.gh.faults.answer(401, on="GET /repos/*", times=None)
    with pytest.raises(BadCredentials, match="SKILLBENCH_GITHUB_PRIVATE_KEY"):
        await world.client.issue(7)
    assert len(world.calls("GET")) == 2


async def test_a_suspended_installation_is_gone_and_others_are_served(world: World):
    other = world.gh.add_repository("good", "skills")
    world.gh.add_person("lisa")
    other.open_issue(author="lisa", title="Fine", body="", number=1)
    suspended, served = world.client, world.app.repository(world.repo_of(other))
    world.gh.suspend("acme")
    with pytest.raises(Gone, match="suspended"):
        await suspended.comment(7, "Report", tag="t")
    assert (await served.issue(1)).title == "Fine"
    world.gh.suspend("acme", is_suspended=False)
    assert (await suspended.issue(7)).title == "Case 7"


async def test_an_installation_suspended_while_we_hold_a_token_is_gone(world: World):
    await world.client.issue(7)
    world.gh.suspend("acme")
    with pytest.raises(Gone, match="suspended"):
        await world.client.issue(7)


async def test_an_app_that_was_uninstalled_is_gone(world: World):
    client = world.client
    await client.issue(7)
    world.gh.uninstall("acme")
    with pytest.raises(Gone, match="not installed any more"):
        await client.issue(7)


async def test_a_missing_permission_is_gone_in_githubs_words(world: World):
    world.gh.site.state.app.permissions["issues"] = "read"
    with pytest.raises(Gone, match="not accessible by integration"):
        await world.client.comment(7, "Report", tag="t")


async def test_the_connection_is_kept_over_tasks(world: World):
    """Each job is a task of its own; none of them may cost a new client."""
    client = world.app._client(world.repo.installation_id)

    async def held() -> Any:
        await world.client.issue(7)
        return client._github._held

    first = await asyncio.create_task(held())
    second = await asyncio.create_task(held())
    assert first is second
    assert first is not None


async def test_planning_a_label_takes_few_calls(world: World, tmp_path: Path):
    client = world.client
    await client.permission("mona")
    await client.issue(7)
    await client.comments(7)
    await client.download_tarball(await client.default_commit(), tmp_path / "commit.tar.gz")
    assert len(world.calls()) == 5


async def test_the_check_finds_nothing_where_all_is_well(world: World):
    assert await world.app.check() is None
    assert (await world.app.prove()).slug == "skillbench"


async def test_a_proof_that_fails_is_raised_without_trying_again(world: World):
    world.gh.faults.answer(503, on="GET /app", times=None)
    with pytest.raises(Transient, match="does not answer"):
        await world.app.prove()
    assert len(world.calls()) == 1


async def test_the_check_names_what_the_app_was_not_granted(world: World):
    world.gh.site.state.app.permissions["issues"] = "read"
    world.gh.site.state.app.events = ("push",)
    problem = await world.app.check()
    assert problem is not None
    assert "permission issues: write" in problem
    assert "event issue_comment" in problem
    await world.app.prove()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"github_app_id": ""}, "SKILLBENCH_GITHUB_APP_ID"),
        ({"github_app_id": "12"}, "SKILLBENCH_GITHUB_APP_ID"),
        ({"github_private_key": ""}, "no private key is set"),
        ({"github_private_key": "/nowhere/key.pem"}, "FileNotFoundError"),
        ({"github_private_key": "-----BEGIN NONSENSE-----"}, "SKILLBENCH_GITHUB_PRIVATE_KEY"),
        ({"github_private_key": make_private_key()}, "SKILLBENCH_GITHUB_PRIVATE_KEY"),
        ({"github_api_url": "http://127.0.0.1:1"}, "http://127.0.0.1:1 does not answer"),
    ],
)
async def test_the_check_names_the_setting_to_change(
    world: World, app_key: str, changes: dict[str, str], word: str
):
    settings = Settings(
        _env_file=None,
        **(
            {
                "github_app_id": str(world.gh.app_id),
                "github_private_key": app_key,
                "github_api_url": world.settings.github_api_url,
            }
            | changes
        ),
    )
    async with GitHubApp(settings) as app:
        problem = await app.check()
    assert problem is not None
    assert word in problem
    assert "PRIVATE KEY-----" not in problem


async def test_the_check_says_when_what_answers_is_not_github(world: World):
    root = world.settings.github_api_url.removesuffix("/api/v3")
    app = await world.another_app(github_api_url=f"{root}/acme/skills")
    assert await app.check() is not None


async def test_no_token_key_or_text_reaches_a_log_or_an_exception(
    world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    world.handle.repository.is_private = True
    world.gh.faults.answer(502, on="POST */comments")
    errors = []
    with capture_logs() as entries:
        await world.client.download_tarball(world.handle.head, tmp_path / "commit.tar.gz")
        await world.client.comment(7, "The report's own words", tag="t")
        world.gh.faults.answer(422, on="PATCH *")
        with pytest.raises(Exception, match="422") as caught:
            await world.client.comment(7, "Other words", tag="t")
        errors.append(caught.value)
    secrets = [token.text for token in world.gh.site.tokens.issued]
    secrets += list(world.gh.site.download_tokens)
    assert len(secrets) >= 2
    told = caplog.text + repr(entries) + repr(errors)
    for secret in [*secrets, "own words", "Other words", "PRIVATE KEY"]:
        assert secret not in told
