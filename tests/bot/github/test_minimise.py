"""A comment of ours is folded away, or stays open without troubling anybody."""

import pytest

from bot.github.minimise import find_graphql
from demo.github.answers import Answer
from jobs.ports import Comment
from tests.bot.github.conftest import World


async def is_minimised(world: World, posted: Comment) -> str | None:
    [found] = [one for one in world.handle.issue(7).comments if one.id == posted.id]
    return found.minimized


async def test_a_comment_is_folded_away_as_outdated(world: World):
    posted = await world.client.comment(7, "Queued", tag="request:1")
    assert await world.client.minimise(posted.id)
    assert await is_minimised(world, posted) == "outdated"


async def test_folding_it_twice_is_once(world: World):
    posted = await world.client.comment(7, "Queued", tag="request:1")
    assert await world.client.minimise(posted.id)
    assert await world.client.minimise(posted.id)
    assert await is_minimised(world, posted) == "outdated"


async def test_a_comment_that_was_deleted_troubles_nobody(world: World):
    assert not await world.client.minimise(12345)
    assert not world.calls("POST /graphql")


@pytest.mark.parametrize("status", [403, 404, 422, 500, 502])
async def test_a_github_that_does_not_fold_troubles_nobody(world: World, status: int):
    posted = await world.client.comment(7, "Queued", tag="request:1")
    world.gh.faults.answer(status, on="POST /graphql", times=None)
    assert not await world.client.minimise(posted.id)
    assert await is_minimised(world, posted) is None
    assert len(world.calls("POST /graphql")) == 1


async def test_a_refusal_of_graphql_itself_is_told_from_success(world: World):
    """GraphQL answers 200 whatever it thinks."""
    posted = await world.client.comment(7, "Queued", tag="request:1")
    refused = {"data": None, "errors": [{"type": "FORBIDDEN", "message": "Not accessible"}]}
    world.answer_with(Answer(200, refused), on="POST /graphql")
    assert not await world.client.minimise(posted.id)


@pytest.mark.parametrize(
    ("api_url", "asked"),
    [
        ("https://api.github.com/", "/graphql"),
        ("https://github.acme.test/api/v3/", "https://github.acme.test/api/graphql"),
        ("https://github.acme.test:8443/api/v3", "https://github.acme.test:8443/api/graphql"),
    ],
)
def test_graphql_is_asked_where_each_kind_of_server_has_it(api_url: str, asked: str) -> None:
    assert find_graphql(api_url) == asked
