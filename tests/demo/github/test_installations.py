"""What the App hears of its installations, and what it may see then."""

from collections.abc import AsyncIterator

import pytest

from demo.github.webhooks import Delivery
from tests.demo.github.conftest import Stage
from tests.demo.github.receiver import Receiver, receiving
from tests.openapi import load_description


@pytest.fixture
async def receiver(stage: Stage) -> AsyncIterator[Receiver]:
    async with receiving() as end:
        stage.gh.set_webhook(end.url, "s3cret")
        yield end


async def heard(stage: Stage) -> list[tuple[str, str | None]]:
    """Events and actions so far, each as GitHub describes it."""
    await stage.gh.deliveries_done()
    told: list[Delivery] = stage.gh.deliveries
    for delivery in told:
        load_description().validate_webhook(delivery.event, delivery.payload)
    return [(delivery.event, delivery.action) for delivery in told]


@pytest.mark.usefixtures("receiver")
async def test_every_change_of_an_installation_is_told(stage: Stage) -> None:
    stage.gh.add_repository("acme", "one", installed=False)
    stage.gh.install("acme")
    stage.gh.suspend("acme")
    stage.gh.suspend("acme", is_suspended=False)
    stage.gh.uninstall("acme")
    actions = ["created", "suspend", "unsuspend", "deleted"]
    assert await heard(stage) == [("installation", action) for action in actions]
    [listed] = stage.gh.deliveries[0].payload["repositories"]
    assert listed["full_name"] == "acme/one"


@pytest.mark.usefixtures("receiver")
async def test_repositories_are_chosen_and_left_and_only_the_chosen_ones_are_seen(
    stage: Stage,
) -> None:
    private = stage.gh.add_repository("octo", "private", private=True)
    stage.gh.choose("octo", private)
    assert await heard(stage) == [("installation_repositories", "removed")]
    listed = (await stage.http.get("/installation/repositories")).json()
    assert [one["name"] for one in listed["repositories"]] == ["private"]
    assert (await stage.app.get("/repos/octo/skills/installation")).status_code == 404
    stage.repo.open_issue(author="maria", title="unheard", body="")
    stage.gh.choose("octo", stage.repo)
    assert (await heard(stage))[1:] == [
        ("installation_repositories", "added"),
        ("installation_repositories", "removed"),
    ]
    assert (await stage.http.get("/repos/octo/private")).status_code == 404


async def test_an_installation_that_was_always_there_is_told_to_nobody(
    stage: Stage, receiver: Receiver
) -> None:
    stage.gh.add_repository("acme", "skills")
    await stage.gh.deliveries_done()
    assert receiver.bodies == []
