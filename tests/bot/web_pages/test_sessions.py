"""How long a sign-in holds, what ends it, and where it leads."""

from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from bot.store.sign_ins import KEY, SignedIn
from bot.web.access import SESSION
from bot.web.sign_in import STATE, find_path
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.reaching import LONG, OPERATOR, a_world, give


async def test_after_an_hour_a_page_is_shown_by_what_github_says_then(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        give(world, "mona", "acme/secret", "write")
        await world.sign_in("mona")
        assert (await world.client.get("/queue")).status_code == 200
        give(world, "mona", "acme/secret", "none")
        await world.let_an_hour_pass()
        first = world.client.cookies[SESSION]
        led = await world.client.get("/queue?told=ended")
        assert led.status_code == 303
        assert led.headers["location"] == "/sign-in/github?" + "next=%2Fqueue%3Ftold%3Dended"
        back = await world.sign_in("mona", led.headers["location"])
        assert (back.status_code, back.headers["location"]) == (303, "/queue?told=ended")
        assert world.client.cookies[SESSION] != first
        _, who = await world.session()  # the earlier one is forgotten
        assert who.roles == {}


async def test_what_a_script_asks_for_is_not_led_to_another_host(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in("mona")
        await world.let_an_hour_pass()
        fetched = await world.client.get("/queue", headers={"sec-fetch-mode": "cors"})
        assert fetched.status_code == 401
        key = "x" * 64
        sent = await world.client.post("/queue/cancel", data={"key": key, "reference": "0" * 12})
        assert sent.status_code == 403


async def test_without_redis_whoever_signed_in_is_told_to_try_again(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in("mona")
        cookie = {"cookie": f"{SESSION}={world.client.cookies[SESSION]}"}
    gone = some_settings(f"unix://{tmp_path}/none.sock", host="0.0.0.0", session_secret=LONG)
    async with web_client(gone) as client:
        for method, path in (("GET", "/sign-in"), ("POST", "/sign-out")):
            answer = await client.request(method, path, headers=cookie)
            assert answer.status_code == 503, path
            assert "Not now" in answer.text
            assert "default-src 'none'" in answer.headers["content-security-policy"]


async def test_whoever_signs_out_is_out_everywhere(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in("mona")
        stolen = {"cookie": f"{SESSION}={world.client.cookies[SESSION]}"}
        key = await world.form_key("/queue")
        assert (await world.client.post("/sign-out", data={"key": key})).status_code == 303
        assert not [one async for one in world.redis.scan_iter(KEY + "*")]
        world.client.cookies.clear()
        again = await world.client.get("/queue", headers=stolen)
        assert again.headers["location"] == "/sign-in?next=%2Fqueue"


async def test_a_session_that_somebody_else_chose_is_taken_by_nobody(
    redis_url: str, tmp_path: Path
) -> None:
    """A cookie that was put into the browser before the sign-in is worth nothing after it."""
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in("mona")
        put = world.client.cookies[SESSION]
        world.client.cookies.clear()
        world.client.cookies.set(SESSION, put)
        await world.sign_in(OPERATOR)
        theirs = {"cookie": f"{SESSION}={put}"}
        world.client.cookies.clear()
        assert (await world.client.get("/tasks", headers=theirs)).status_code == 303


async def test_a_forged_or_lost_session_is_nobodys(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path) as world:
        who = SignedIn(login=OPERATOR, user_id=1, asked_at=datetime.now(UTC))
        await world.redis.set(f"{KEY}guessed", who.model_dump_json())
        for cookie in ("guessed", "eyJpZCI6Imd1ZXNzZWQifQ.x.y", ""):
            answer = await world.client.get("/tasks", headers={"cookie": f"{SESSION}={cookie}"})
            assert answer.status_code == 303
        await world.sign_in(OPERATOR)
        assert (await world.client.get("/tasks")).status_code == 200
        key = next(
            one
            for one in [one async for one in world.redis.scan_iter(KEY + "*")]
            if not one.endswith(b"guessed")
        )
        assert 0 < await world.redis.ttl(key) <= 12 * 3600
        await world.redis.delete(key)
        assert (await world.client.get("/tasks")).status_code == 303


@pytest.mark.parametrize(
    "asked",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/queue\r\nset-cookie: a=b",
        "/" + "x" * 2000,
        "/sign-out",
        "/sign-in/github?next=/sign-in/github",
        "/ä",
        "",
    ],
)
def test_nobody_is_led_to_another_site(asked: str) -> None:
    assert find_path(asked) == "/"


@pytest.mark.parametrize("asked", ["/queue", "/repos/acme/skills/skill?path=a%2Fb", "/?q=x#skills"])
def test_a_page_of_this_server_is_come_back_to(asked: str) -> None:
    assert find_path(asked) == asked


async def test_the_page_to_come_back_to_cannot_be_changed_on_the_way(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        back = await world.sign_in("mona", f"/sign-in/github?next={quote('//evil.example')}")
        assert back.headers["location"] == "/"
        leading = await world.client.get("/sign-in/github?next=%2Fqueue")
        kept = world.client.cookies[STATE]
        assert "evil" not in kept
        query = parse_qs(urlsplit(leading.headers["location"]).query)
        assert "next" not in query["redirect_uri"][0]
