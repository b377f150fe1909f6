"""The API shows to each what the pages show them; all else is as if it were not there."""

from pathlib import Path

from redis.asyncio import Redis

from tests.bot.api.described import ROOT, DescribedApi
from tests.bot.web_pages.ledger_seed import SKILLS, put_records, some_records
from tests.bot.web_pages.queue_seed import a_request, let_wait
from tests.bot.web_pages.reaching import OPERATOR, World, a_world, give

OPEN, SECRET, UNSEEN = "acme/open", "acme/secret", "acme/unseen"


async def put_all(redis: Redis) -> None:
    for repo in (OPEN, SECRET, UNSEEN):
        await put_records(redis, some_records(8, repo=repo))


async def names(world: World) -> list[str]:
    api = await DescribedApi.read(world.client)
    return [one["repo"] for one in (await api.get("/repos")).json()["repos"]]


async def test_strangers_see_public_repositories_where_the_operator_wants_so(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path, public_pages=True) as world:
        await put_all(world.redis)
        assert await names(world) == [OPEN]
        answer = await world.client.get(f"{ROOT}/repos/{OPEN}")
        assert answer.headers["cache-control"] == "public, max-age=60"
    async with a_world(redis_url, tmp_path) as world:
        assert await names(world) == []


async def test_what_one_may_not_see_is_as_what_is_not_there(redis_url: str, tmp_path: Path) -> None:
    async with a_world(redis_url, tmp_path, public_pages=True) as world:
        await put_all(world.redis)
        run = some_records(1, repo=SECRET)[0].run
        for path in ("", "/skills", f"/skill?path={SKILLS[0]}", "/runs", f"/runs/{run}",
                     f"/runs/{run}/live"):  # fmt: skip
            hidden = await world.client.get(f"{ROOT}/repos/{SECRET}{path}")
            absent = await world.client.get(f"{ROOT}/repos/acme/no-such{path}")
            assert (hidden.status_code, hidden.content) == (404, absent.content)
            assert dict(hidden.headers) == dict(absent.headers) | {"date": hidden.headers["date"]}


async def test_who_has_signed_in_sees_what_github_lets_them_read(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await put_all(world.redis)
        give(world, "mona", SECRET, "read")
        await world.sign_in("mona")
        assert SECRET in await names(world)
        assert UNSEEN not in await names(world)
        answer = await world.client.get(f"{ROOT}/repos/{SECRET}/runs")
        assert answer.headers["cache-control"] == "private, no-cache"
        await world.let_an_hour_pass()
        api = await DescribedApi.read(world.client)
        old = await api.get(f"/repos/{SECRET}", 401)
        assert "too old" in old.json()["detail"]


async def test_the_operator_sees_all_and_a_script_of_another_site_nothing_of_it(
    redis_url: str, tmp_path: Path
) -> None:
    site = "https://charts.example.org"
    async with a_world(redis_url, tmp_path, api_origins=site) as world:
        await put_all(world.redis)
        await world.sign_in(OPERATOR)
        assert await names(world) == [OPEN, SECRET, UNSEEN]
        answer = await world.client.get(f"{ROOT}/repos", headers={"origin": site})
        assert answer.json()["repos"] == []


async def test_requests_of_what_one_may_not_see_are_only_counted(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path, public_pages=True) as world:
        for number, repo in enumerate((OPEN, SECRET), start=1):
            await let_wait(world.redis, a_request(world.repo(repo), number))
        api = await DescribedApi.read(world.client)
        found = (await api.get("/queue")).json()
        assert [one["repo"] for one in found["waiting"]] == [OPEN]
        assert found["other_waiting"] == 1
        assert SECRET not in str(found)
