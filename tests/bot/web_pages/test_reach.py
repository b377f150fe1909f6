"""What people who sign in with GitHub see, and what its answers cannot make them see."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.store.seen_repos import PRIVACY_FRESH, SEEN, SeenRepo
from bot.store.sign_ins import KEY, make_right_key
from bot.web.access import SESSION, Visitor
from bot.web.reach import MOST_INSTALLATION_PAGES, MOST_KEPT, MOST_PAGES
from config.repo_kinds import Role
from demo.github.answers import Answer
from tests.bot.web_pages.reaching import OPERATOR, World, a_world, give

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PUBLIC = SeenRepo(full_name="acme/open", is_private=False, installation_id=7, seen_at=NOW)
PRIVATE = SeenRepo(full_name="acme/secret", is_private=True, installation_id=7, seen_at=NOW)


def known(role: Role | None = None, repo: SeenRepo = PRIVATE) -> Visitor:
    key = make_right_key(repo.installation_id, repo.full_name)
    return Visitor("mona", "key", roles={key: role} if role else {})


def test_a_visitor_who_is_nobody_sees_only_what_is_surely_public() -> None:
    closed, is_open = Visitor(""), Visitor("", public_since=NOW - PRIVACY_FRESH)
    assert not closed.sees(PUBLIC)
    assert is_open.sees(PUBLIC)
    assert not is_open.sees(PRIVATE)
    old = PUBLIC.model_copy(update={"seen_at": NOW - PRIVACY_FRESH - timedelta(seconds=1)})
    assert not is_open.sees(old)
    assert not is_open.may_act(PUBLIC, "read")


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (None, ()),
        ("read", ("read",)),
        ("triage", ("read", "triage")),
        ("write", ("read", "triage", "write")),
        ("maintain", ("read", "triage", "write", "maintain")),
        ("admin", ("read", "triage", "write", "maintain", "admin")),
    ],
)
def test_a_role_lets_its_bearer_do_what_it_is_enough_for(
    role: Role | None, may: tuple[Role, ...]
) -> None:
    every: tuple[Role, ...] = ("read", "triage", "write", "maintain", "admin")
    visitor = known(role)
    assert visitor.sees(PRIVATE) is (role is not None)
    assert tuple(one for one in every if visitor.may_act(PRIVATE, one)) == may


def test_a_name_in_any_case_is_the_same_repository_and_another_owners_is_not() -> None:
    visitor = known("write")
    assert visitor.sees(PRIVATE.model_copy(update={"full_name": "ACME/Secret"}))
    assert not visitor.sees(PRIVATE.model_copy(update={"installation_id": 8}))
    assert not visitor.sees(PRIVATE.model_copy(update={"full_name": "acme/secret2"}))


async def test_who_signs_in_is_remembered_with_their_roles_in_what_the_bot_has_seen(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        world.gh.add_repository("acme", "unseen", private=True)
        world.gh.add_repository("zoo", "theirs", private=True)
        await world.see("zoo/theirs")
        for name, role in (("acme/secret", "triage"), ("acme/unseen", "admin")):
            give(world, "mona", name, role)  # type: ignore[arg-type]
        back = await world.sign_in("mona")
        assert (back.status_code, back.headers["location"]) == (303, "/")
        _, who = await world.session()
        key = make_right_key(world.repo("acme/secret").installation_id, "acme/secret")
        assert who.roles == {key: "triage"}
        assert who.login == "mona"
        stored = [await world.redis.get(key) async for key in world.redis.scan_iter(KEY + "*")]
        assert not any(b"ghu_" in one for one in stored)


async def test_of_the_operators_users_no_repository_is_asked_for(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        await world.sign_in(OPERATOR)
        assert not [one for one in world.gh.requests if one.path.startswith("/user/inst")]
        assert (await world.client.get("/tasks")).status_code == 200
        await world.let_an_hour_pass()
        assert (await world.client.get("/queue")).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"installations": 3},
        {"installations": [{"id": "7"}]},
        {"total_count": 1},
    ],
)
async def test_an_installation_list_that_makes_no_sense_signs_nobody_in(
    redis_url: str, tmp_path: Path, body: object
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        spoil(world, "/user/installations", body)
        back = await world.sign_in("mona")
        assert back.status_code == 403
        assert "GitHub" in back.text
        assert SESSION not in world.client.cookies


@pytest.mark.parametrize("status", [401, 403, 404, 500, 502])
async def test_a_github_that_does_not_list_signs_nobody_in_but_the_operators_users(
    redis_url: str, tmp_path: Path, status: int
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        world.gh.faults.answer(status, on="GET */user/installations", times=None)
        back = await world.sign_in("mona")
        assert back.status_code == 403
        assert f"answered with {status}" in back.text
        assert (await world.sign_in(OPERATOR)).status_code == 303


async def test_names_and_roles_that_are_no_such_are_not_kept(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        give(world, "mona", "acme/secret", "read")
        installation = world.repo("acme/secret").installation_id
        spoil(
            world,
            f"/user/installations/{installation}/repositories",
            {
                "repositories": [
                    {"full_name": "../../etc", "permissions": {"admin": True}},
                    {"full_name": "acme/secret", "permissions": {"owner": True, "admin": False}},
                    {"full_name": "acme/open"},
                ]
            },
        )
        assert (await world.sign_in("mona")).status_code == 303
        _, who = await world.session()
        assert who.roles == {}


async def test_no_address_in_an_answer_is_followed(redis_url: str, tmp_path: Path) -> None:
    """The person's token would go along."""
    async with a_world(redis_url, tmp_path) as world:
        give(world, "mona", "acme/secret", "read")
        fault = Answer(302, headers={"location": f"{world.client.base_url}/healthz"})
        spoil(world, "/user/installations", None, answer=fault)
        assert (await world.sign_in("mona")).status_code == 403


async def test_of_very_much_only_so_much_is_asked(redis_url: str, tmp_path: Path) -> None:
    """A list of installations that does not end; all but one of them are gone."""
    async with a_world(redis_url, tmp_path) as world:
        give(world, "mona", "acme/secret", "maintain")
        installation = world.repo("acme/secret").installation_id
        listed = [{"id": installation}, *({"id": number} for number in range(1, 150))]
        spoil(world, "/user/installations", {"installations": listed})
        assert (await world.sign_in("mona")).status_code == 303
        paths = [one.path for one in world.gh.requests if one.path.startswith("/user/inst")]
        assert paths.count("/user/installations") == MOST_INSTALLATION_PAGES
        assert len(paths) == MOST_INSTALLATION_PAGES + MOST_PAGES
        _, who = await world.session()
        assert list(who.roles.values()) == ["maintain"]


async def test_of_one_person_only_so_many_repositories_are_kept(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        installation = world.repo("acme/secret").installation_id
        names = [f"acme/r{number}" for number in range(MOST_KEPT + 50)]
        for name in names:
            seen = PRIVATE.model_copy(update={"full_name": name, "installation_id": installation})
            await world.redis.hset(SEEN, name, seen.model_dump_json())  # type: ignore[misc]
        give(world, "mona", "acme/secret", "read")
        page = [{"full_name": name, "permissions": {"pull": True}} for name in names]
        spoil(world, f"/user/installations/{installation}/repositories", {"repositories": page})
        assert (await world.sign_in("mona")).status_code == 303
        _, who = await world.session()
        assert len(who.roles) == MOST_KEPT


async def test_an_installation_that_is_suspended_shows_nothing(
    redis_url: str, tmp_path: Path
) -> None:
    async with a_world(redis_url, tmp_path) as world:
        give(world, "mona", "acme/secret", "admin")
        world.gh.suspend("acme")
        assert (await world.sign_in("mona")).status_code == 303
        _, who = await world.session()
        assert who.roles == {}


def spoil(world: World, path: str, body: object, *, answer: Answer | None = None) -> None:
    """Let GitHub answer something else where it is asked for this."""
    world.gh.faults.reply(answer or Answer(200, body), on=f"GET *{path}", times=None)
