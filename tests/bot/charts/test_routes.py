"""Charts as images from the web process: who gets which, how long it is kept, what it costs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import get_args

import httpx
import pytest
from redis.asyncio import Redis
from starlette.applications import Starlette

from bot.charts.gallery import Gallery
from bot.charts.routes import Charts
from bot.store.seen_repos import RedisSeenRepos
from bot.web.access import Access
from bot.web.aside import Aside
from bot.web.figures import Figures
from jobs.dashboard.addresses import ChartKind, Picture, chart_address
from jobs.requests import Repo
from tests.bot.charts.given import KINDS
from tests.bot.web import some_settings, web_client
from tests.bot.web_pages.ledger_seed import SKILLS, put_records, some_records

PUBLIC, SECRET = "acme/skills", "acme/secret"
SKILL = SKILLS[0]
ELSEWHERE = {"public_url": "https://bot.example"}
"""Whoever asks is then a stranger, though the test is on the same machine."""


@asynccontextmanager
async def serving(
    redis_url: str, folder: Path, **changes: object
) -> AsyncIterator[httpx.AsyncClient]:
    """A web process that knows an open repository and a private one."""
    async with Redis.from_url(redis_url) as redis:
        seen = RedisSeenRepos(redis)
        for name, private in ((PUBLIC, False), (SECRET, True)):
            await put_records(redis, some_records(60, repo=name))
            owner, _, short = name.partition("/")
            await seen.see(Repo(owner=owner, name=short, installation_id=7, private=private))
        settings = some_settings(redis_url, data_dir=folder / "data", **changes)
        async with web_client(settings) as client:
            client.timeout = httpx.Timeout(60)
            yield client


async def look(client: httpx.AsyncClient, address: str, **headers: str) -> httpx.Response:
    """A chart, asked for until its figures are made: this machine may be busy."""
    async with asyncio.timeout(120):
        while (answer := await client.get(address, headers=headers)).status_code == 503:
            pass
    return answer


@pytest.fixture
async def stranger(redis_url: str, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Nobody in particular, where the operator shows pages of public repositories."""
    async with serving(redis_url, tmp_path, public_pages=True, **ELSEWHERE) as client:
        yield client


async def test_every_kind_is_served_as_svg_and_png(stranger: httpx.AsyncClient) -> None:
    for kind in KINDS:
        for picture, starts in (("svg", b"<?xml"), ("png", b"\x89PNG")):
            [chosen] = [one for one in get_args(Picture) if one == picture]
            answer = await look(stranger, chart_address(PUBLIC, kind, SKILL, picture=chosen))
            assert answer.status_code == 200, (kind, answer.text)
            assert answer.content.startswith(starts)
    whole = await look(stranger, chart_address(PUBLIC, "difference", theme="dark"))
    assert "What each skill changes" in whole.text
    assert whole.headers["content-type"] == "image/svg+xml; charset=utf-8"


async def test_a_picture_may_do_nothing_and_is_kept_for_minutes(
    stranger: httpx.AsyncClient,
) -> None:
    """GitHub's image proxy keeps what says nothing for a year."""
    answer = await look(stranger, chart_address(PUBLIC, "badge", SKILL))
    headers = answer.headers
    assert headers["cache-control"] == "public, max-age=300"
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert headers["x-content-type-options"] == "nosniff"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert policy.endswith("sandbox")
    assert "set-cookie" not in headers


async def test_whoever_has_a_picture_gets_it_once(stranger: httpx.AsyncClient) -> None:
    address = chart_address(PUBLIC, "heat", SKILL)
    first = await look(stranger, address)
    known = {"if-none-match": f'"x", {first.headers["etag"]}'}
    again = await look(stranger, address, **known)
    assert again.status_code == 304
    assert again.content == b""
    assert again.headers["etag"] == first.headers["etag"]
    assert again.headers["cache-control"] == first.headers["cache-control"]
    dark = await look(stranger, chart_address(PUBLIC, "heat", SKILL, theme="dark"))
    assert dark.headers["etag"] != first.headers["etag"]


async def test_a_new_run_makes_another_picture(redis_url: str, stranger: httpx.AsyncClient) -> None:
    address = chart_address(PUBLIC, "heat", SKILL)
    first = await look(stranger, address)
    async with Redis.from_url(redis_url) as redis:
        [*_, newest] = some_records(61, repo=PUBLIC)
        await put_records(redis, [newest.model_copy(update={"eval_id": "github-issue-77"})])
    known = {"if-none-match": first.headers["etag"]}
    async with asyncio.timeout(120):  # figures may be a minute old
        while "github-issue-77" not in (await look(stranger, address, **known)).text:
            pass


async def test_what_is_not_shown_answers_like_what_is_not_there(
    stranger: httpx.AsyncClient,
) -> None:
    """Neither the names of private repositories nor those of their skills are told."""
    addresses = [
        chart_address(SECRET, "badge", SKILL),
        chart_address(SECRET, "difference"),
        chart_address("acme/nothing", "badge", SKILL),
        chart_address(PUBLIC, "badge", "no/such"),
        chart_address(PUBLIC, "badge", "x" * 5_000),
        chart_address(PUBLIC, "versions"),
        f"/charts/{PUBLIC}/pie.svg?skill={SKILL}",
        f"/charts/{PUBLIC}/badge.gif?skill={SKILL}",
        f"/charts/{PUBLIC}/badge.svg?skill={SKILL}&theme=neon",
        f"/charts/{PUBLIC}",
        "/charts/x",
    ]
    answers = [await stranger.get(address) for address in addresses]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].headers["content-type"].startswith("text/plain")
    assert {answer.headers["cache-control"] for answer in answers} == {"private, no-cache"}


async def test_another_site_is_told_of_no_picture_whether_it_is_there(
    redis_url: str, tmp_path: Path
) -> None:
    """In the browser of somebody who may see all, it sees whether an answer was held back."""
    async with serving(redis_url, tmp_path) as client:
        addresses = [chart_address(SECRET, "badge", SKILL), chart_address("acme/none", "badge")]
        there, nothing = [await look(client, address) for address in addresses]
        assert (there.status_code, nothing.status_code) == (200, 404)
        for answer in (there, nothing):
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_strangers_see_nothing_where_the_operator_does_not_want_it(
    redis_url: str, tmp_path: Path
) -> None:
    async with serving(redis_url, tmp_path, **ELSEWHERE) as client:
        answer = await client.get(chart_address(PUBLIC, "badge", SKILL))
    assert answer.status_code == 404


async def test_who_may_see_a_private_repository_gets_pictures_that_no_cache_keeps(
    redis_url: str, tmp_path: Path
) -> None:
    """Here whoever sits at the machine."""
    async with serving(redis_url, tmp_path) as client:
        answer = await look(client, chart_address(SECRET, "badge", SKILL))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "address", [chart_address(PUBLIC, "difference"), chart_address(PUBLIC, "badge", SKILL)]
)
async def test_figures_that_are_being_made_are_not_drawn_as_nothing_measured(
    redis_url: str, tmp_path: Path, address: str
) -> None:
    """Caches would keep a picture that says so."""
    settings = some_settings(redis_url, data_dir=tmp_path / "data")
    aside = Aside()
    async with Redis.from_url(redis_url) as redis:
        await put_records(redis, some_records(60, repo=PUBLIC))
        figures = Figures(redis, settings, aside, first_wait_s=0)
        charts = Charts(Access(settings, redis), figures, Gallery(aside))
        transport = httpx.ASGITransport(Starlette(routes=charts.routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            try:
                answer = await client.get(address)
                assert answer.status_code == 503
                assert answer.headers["retry-after"] == "5"
                assert "pts" in (await look(client, address)).text
            finally:
                await figures.close()
                aside.close()


async def test_a_crowd_is_answered_or_told_to_come_again(stranger: httpx.AsyncClient) -> None:
    """However many ask at once, each gets a picture or a time; nobody an error."""
    kinds: list[ChartKind] = ["versions", "cost", "heat", "triggers"]
    addresses = [
        chart_address(PUBLIC, kind, skill, theme=theme, picture=picture)
        for skill in SKILLS
        for kind in kinds
        for theme in ("light", "dark")
        for picture in ("svg", "png")
    ]
    for skill in SKILLS:  # a crowd finds the figures made
        await look(stranger, chart_address(PUBLIC, "badge", skill))
    answers = await asyncio.gather(*(stranger.get(address) for address in addresses))
    refused = [answer for answer in answers if answer.status_code == 503]
    assert {answer.status_code for answer in answers} == {200, 503}
    assert {answer.headers["retry-after"] for answer in refused} == {"5"}
    assert {answer.headers["cache-control"] for answer in refused} == {"no-store"}
    again = await look(stranger, str(refused[0].request.url))
    assert again.status_code == 200
