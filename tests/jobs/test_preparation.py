"""One environment for all runs of a request: prepared when needed, refused once, in one place."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from jobs.environments.pinned import Environment
from jobs.errors import Error, Refused, Transient
from jobs.living_comment import LivingComment, living_comment
from jobs.ports import Comment
from jobs.preparation import Preparation
from jobs.reporting.progress_comment import ProgressComment, RunRow
from jobs.sessions.prepared import PLAIN, Prepared
from tests.builders import NOON, a_request

READY = Prepared(name="r-check", identity="sha256:1")
R_CHECK = Environment(name="r-check", digest="d" * 64)


@dataclass
class Environments:
    """Gives what it is told to, and counts how often it was asked."""

    outcomes: list[Prepared | Error]
    asked: int = 0
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def prepare(self, _: Environment | None) -> Prepared:
        self.asked += 1
        await self.release.wait()
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Error):
            raise outcome
        return outcome


class Writer:
    """Takes comments and edits."""

    def __init__(self) -> None:
        self.shown = ""

    async def comment(self, _: int, body: str, *, tag: str) -> Comment:
        self.shown = body
        return Comment(
            id=1, body=body, author="bot", by_this_app=True, created_at=NOON, url="http://x/1"
        )

    async def edit_comment(self, _: int, body: str, *, tag: str, droppable: bool = False) -> None:
        self.shown = body

    async def react(self, *_: object) -> None:
        raise AssertionError("not asked for")

    async def change_labels(self, *_: object, **__: object) -> None:
        raise AssertionError("not asked for")


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
async def living(writer: Writer) -> AsyncIterator[LivingComment]:
    rows = (RunRow(title="one"), RunRow(title="two"))
    async with living_comment(
        writer, a_request(), ProgressComment(asker="mona", rows=rows)
    ) as living:
        yield living


def states(living: LivingComment) -> list[tuple[str, str]]:
    return [(row.state, row.detail) for row in living.state.rows]


async def test_without_an_environment_nothing_is_prepared_and_nothing_shown(living):
    environments = Environments([])
    assert await Preparation(None, environments, living).get(0) is PLAIN
    assert environments.asked == 0
    assert states(living) == [("queued", ""), ("queued", "")]


async def test_two_runs_wait_for_one_preparation_and_say_so(living):
    environments = Environments([READY])
    preparation = Preparation(R_CHECK, environments, living)
    getting = [asyncio.create_task(preparation.get(row)) for row in (0, 1)]
    await asyncio.sleep(0)
    assert states(living) == [("preparing", "the environment `r-check`")] * 2
    environments.release.set()
    assert await asyncio.gather(*getting) == [READY, READY]
    assert environments.asked == 1
    assert [detail for _, detail in states(living)] == ["", ""]


async def test_a_refusal_is_told_once_below_the_rows(living, writer):
    """The script that hung for half an hour does not hang once more for the second run."""
    environments = Environments([Refused("it lacks:\n\n- `gsDesign` (R package): gone @all")])
    environments.release.set()
    preparation = Preparation(R_CHECK, environments, living)
    for row in (0, 1):
        with pytest.raises(Refused, match="the environment `r-check` is not ready"):
            await preparation.get(row)
        living.change(row, state="refused", detail="the environment `r-check` is not ready")
    assert environments.asked == 1
    await living.flush()
    assert writer.shown.startswith("### 🚫 Not started: 2 refused\n")
    assert writer.shown.count("gsDesign") == 1
    assert "**Why:** it lacks:\n\n- `gsDesign` (R package): gone @\u200ball\n" in writer.shown


async def test_trouble_with_a_platform_may_be_over_the_next_time(living):
    environments = Environments([Transient("away"), READY])
    environments.release.set()
    preparation = Preparation(R_CHECK, environments, living)
    with pytest.raises(Transient):
        await preparation.get(0)
    assert await preparation.get(0) == READY
