"""`/setup` on a socket: strangers get nowhere, nothing is good twice, and nothing leaks."""

import asyncio
import json
import re
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.github.identity import NEEDED_EVENTS, NEEDED_PERMISSIONS, WISHED_EVENTS
from bot.setup.app import Setup
from bot.setup.credentials import FILE, AppCredentials, find_leak, store, with_stored
from bot.setup.gate import LIFETIME_S, Gate
from config.settings import Settings
from demo.github import LocalGitHub
from demo.github.serving import open_socket, serving
from jobs.errors import Error
from tests.openapi import load_description

CREDENTIALS: dict[str, Any] = {
    "id": 7,
    "slug": "mine",
    "html_url": "https://github.com/apps/mine",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\n",
    "webhook_secret": "a webhook's secret",
    "client_secret": "a client's secret",
}


@dataclass
class Stage:
    """A bot in its first start, and a browser without a face."""

    setup: Setup
    gate: Gate
    browser: httpx.AsyncClient
    tokens: list[str]
    data_dir: Path
    gh: LocalGitHub
    now: list[float] = field(default_factory=lambda: [0.0])

    async def prove(self, token: str) -> httpx.Response:
        return await self.browser.post("/setup", data={"token": token})

    async def fill_in(self, **changes: str) -> httpx.Response:
        fields = {
            "key": self.gate.form_key,
            "name": "mine",
            "organization": "",
            "webhook_url": "https://bot.test/webhook",
        }
        return await self.browser.post("/setup/app", data=fields | changes)


@pytest.fixture
async def stage(tmp_path: Path, gh: LocalGitHub) -> AsyncIterator[Stage]:
    async with a_stage(tmp_path, gh) as running:
        yield running


@asynccontextmanager
async def a_stage(tmp_path: Path, gh: LocalGitHub, **changes: Any) -> AsyncIterator[Stage]:
    tokens: list[str] = []
    now = [0.0]
    bound = open_socket("127.0.0.1", 0)
    base = f"http://127.0.0.1:{bound.getsockname()[1]}"
    async with gh.serve() as served:
        given: dict[str, Any] = {
            "github_api_url": served.api_url,
            "github_web_url": served.web_url,
            "data_dir": tmp_path / "data",
        }
        settings = Settings(_env_file=None, **(given | changes))
        gate = Gate(tokens.append, now=lambda: now[0])
        gate.ensure_token()
        setup = Setup(settings, gate)
        async with serving(setup.app(), bound), httpx.AsyncClient(base_url=base) as browser:
            yield Stage(setup, gate, browser, tokens, tmp_path / "data", gh, now)


async def begin(stage: Stage) -> dict[str, str]:
    """Up to the button that leads to GitHub: its address and the manifest."""
    await stage.prove(stage.tokens[-1])
    page = (await stage.fill_in()).text
    unescaped = page.replace("&#34;", '"').replace("&amp;", "&")
    [action] = re.findall(r'<form method="post" action="([^"]+)">', unescaped)
    [manifest] = re.findall(r'name="manifest" value="(.+?)">', unescaped)
    return {"action": action, "manifest": manifest, "state": action.partition("state=")[2]}


async def test_without_the_token_nothing_can_be_chosen_and_nothing_registered(
    stage: Stage,
) -> None:
    for typed in ("", "guess", stage.tokens[0][:-1], stage.tokens[0] + "x", "ä" * 50):
        assert (await stage.prove(typed)).status_code == 403
    assert (await stage.fill_in()).status_code == 403
    assert (await stage.browser.get("/setup/callback?code=c&state=")).status_code == 403
    assert stage.gh.requests == []
    assert not stage.data_dir.exists()


async def test_a_token_is_good_once_and_for_an_hour(stage: Stage) -> None:
    [first] = stage.tokens
    stage.now[0] = LIFETIME_S
    assert (await stage.prove(first)).status_code == 403
    second = stage.tokens[-1]
    assert second != first, "the log tells the next one"
    assert (await stage.prove(second)).status_code == 303
    stage.browser.cookies.clear()
    assert (await stage.prove(second)).status_code == 403
    assert len(stage.tokens) == 3


async def test_a_later_token_ends_the_session_before_it(stage: Stage) -> None:
    await stage.prove(stage.tokens[-1])
    first = dict(stage.browser.cookies)
    stage.browser.cookies.clear()
    await stage.browser.get("/setup")
    await stage.prove(stage.tokens[-1])
    assert "What shall the App be called" in (await stage.browser.get("/setup")).text
    stage.browser.cookies.clear()
    stage.browser.cookies.update(first)
    assert "What shall the App be called" not in (await stage.browser.get("/setup")).text


async def test_the_manifest_asks_for_what_the_bot_uses_and_for_nothing_else(stage: Stage) -> None:
    begun = await begin(stage)
    manifest = json.loads(begun["manifest"])
    assert manifest["default_permissions"] == NEEDED_PERMISSIONS
    assert tuple(manifest["default_events"]) == NEEDED_EVENTS + WISHED_EVENTS
    assert manifest["hook_attributes"] == {"url": "https://bot.test/webhook", "active": True}
    assert manifest["redirect_url"] == f"{stage.browser.base_url}/setup/callback".replace(
        "//s", "/s"
    )
    assert manifest["public"] is False
    assert begun["action"].startswith(f"{stage.gh.site.addresses.web}/settings/apps/new?state=")


async def test_an_organization_owns_it_where_one_is_named(stage: Stage) -> None:
    await stage.prove(stage.tokens[-1])
    page = await stage.fill_in(organization="acme")
    assert "/organizations/acme/settings/apps/new?state=" in page.text


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "n" * 35},
        {"organization": "../../evil"},
        {"webhook_url": "javascript:alert(1)"},
        {"webhook_url": "https://"},
    ],
)
async def test_a_form_that_cannot_be_is_shown_again_with_what_is_wrong(
    stage: Stage, fields: dict[str, str]
) -> None:
    await stage.prove(stage.tokens[-1])
    page = await stage.fill_in(**fields)
    assert page.status_code == 422
    assert 'role="alert"' in page.text


async def test_a_form_of_another_site_does_nothing(stage: Stage) -> None:
    await stage.prove(stage.tokens[-1])
    assert (await stage.fill_in(key="")).status_code == 403
    assert (await stage.fill_in(key="guess")).status_code == 403


async def test_what_is_typed_stays_text_on_the_page(stage: Stage) -> None:
    await stage.prove(stage.tokens[-1])
    page = await stage.fill_in(name='"><script>x</script>')
    assert "<script>" not in page.text
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


async def test_github_is_asked_only_for_a_trip_that_began_here_and_only_once(stage: Stage) -> None:
    state = (await begin(stage))["state"]
    for query in ("code=c", "code=c&state=", "code=c&state=guess", f"code=c&state={state}"):
        answer = await stage.browser.get(f"/setup/callback?{query}")
        assert answer.status_code == 403, "a wrong one ends the trip"
    assert stage.gh.requests == []
    state = (await begin_again(stage))["state"]
    answer = await stage.browser.get(f"/setup/callback?code=never-given&state={state}")
    assert answer.status_code == 502
    assert "does not take the code" in answer.text
    assert [one.path for one in stage.gh.requests] == ["/app-manifests/never-given/conversions"]
    assert not stage.setup.done.is_set()


async def begin_again(stage: Stage) -> dict[str, str]:
    await stage.browser.get("/setup")
    stage.browser.cookies.clear()
    await stage.browser.get("/setup")
    return await begin(stage)


async def test_two_returns_at_once_register_one_app(stage: Stage) -> None:
    """A browser that is impatient, or a reload."""
    stage.gh.add_person("maria")
    begun = await begin(stage)
    async with httpx.AsyncClient() as github:
        answer = await github.post(
            begun["action"].replace("/new", "/manifest"),
            data={"manifest": begun["manifest"], "state": begun["state"], "owner": "maria"},
        )
    back = answer.headers["location"]
    answers = await asyncio.gather(*(stage.browser.get(back) for _ in range(3)))
    assert sorted(one.status_code for one in answers) == [200, 403, 403]
    assert stage.setup.done.is_set()
    load_description().validate_response(
        "POST", "/app-manifests/c/conversions", 201, stage.gh.requests[0].answer
    )
    kept = json.loads((stage.data_dir / FILE).read_text())
    assert kept["id"] == stage.gh.app_id
    assert not any(kept["pem"][40:80] in one.text for one in answers)


async def test_the_rest_of_the_bot_is_not_there_yet(stage: Stage) -> None:
    assert (await stage.browser.get("/healthz")).status_code == 200
    assert (await stage.browser.get("/readyz")).status_code == 503
    assert (await stage.browser.post("/webhook", content=b"{}")).status_code == 503
    assert (await stage.browser.get("/")).headers["location"] == "/setup"
    assert (await stage.browser.get("/runs/x")).status_code == 404


async def test_a_form_of_megabytes_is_none(stage: Stage) -> None:
    assert (await stage.prove("x" * 2_000_000)).status_code == 403
    many = "&".join(f"f{number}=1" for number in range(5000))
    answer = await stage.browser.post("/setup", content=many.encode())
    assert answer.status_code == 403


def test_stored_credentials_are_for_us_alone_and_hold_where_the_environment_names_none(
    tmp_path: Path,
) -> None:
    place = store(AppCredentials.model_validate(CREDENTIALS), tmp_path)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == [FILE]
    settings = with_stored(Settings(_env_file=None, data_dir=tmp_path))
    assert settings.github_app_id == "7"
    assert settings.private_key_pem == CREDENTIALS["pem"]
    assert settings.github_webhook_secret.get_secret_value() == CREDENTIALS["webhook_secret"]
    assert "secret" not in repr(AppCredentials.model_validate(CREDENTIALS).webhook_secret)
    other = Settings(_env_file=None, data_dir=tmp_path, github_app_id="8")
    assert with_stored(other) is other, "the halves of two Apps make no whole one"
    assert find_leak(settings) is None
    place.chmod(0o644)
    assert "chmod 600" in (find_leak(settings) or "")


@pytest.mark.parametrize("content", [b"", b"{", b'{"id": 7}', b"\xff\xfe"])
def test_a_file_that_was_spoilt_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(Error, match=FILE):
        with_stored(Settings(_env_file=None, data_dir=tmp_path))
