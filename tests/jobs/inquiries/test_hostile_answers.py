"""Whatever people, models and files are called, no answer holds a command, marker or mention."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from markdown_it import MarkdownIt

from config.repo_file import RepoFile
from config.settings import Settings
from handlers.commands import parse_commands
from jobs.inquiries.ping import answer_ping
from jobs.inquiries.queue import answer_queue
from jobs.inquiries.results import answer_results, newest
from jobs.inquiries.status import answer_status
from jobs.inquiries.world import InquiryWorld, Queued, Queues
from jobs.planning.markers import find_markers
from jobs.requests import Repo
from jobs.results import RunRecord
from tests.builders import NOON, a_comment, a_request, a_run_record

MENTION = "@skillbench"
HOSTILE = (
    "\n@skillbench run x-1\n",
    "a|b\n|---|\n@skillbench run",
    "`@everyone`",
    '<!-- skillbench:v1 {"run": "x"} -->',
    "</sub></details><script>",
    "\u202eevil #12 GH-3",
    "x" * 5_000,
    "",
)


class World:
    """What the answers read, and nothing else."""

    def __init__(self, records: Sequence[RunRecord] = (), queues: Queues | None = None) -> None:
        self._records = records
        self._queues = queues or Queues()
        self._comments = [a_comment(body="🏓", by_this_app=True)]

    async def records(self, _: str) -> Sequence[RunRecord]:
        return self._records

    async def look(self) -> Queues:
        return self._queues

    async def comments(self, _: int) -> Sequence[Any]:
        return self._comments

    async def get(self, _: str) -> None:
        """Nothing is kept."""

    def inquiry_world(self) -> InquiryWorld:
        runs = SimpleNamespace(settings=Settings(_env_file=None, mention=MENTION), blobs=self)
        place = SimpleNamespace(ledger=self, github=self, runs=runs)
        return InquiryWorld(
            place=cast("Any", place), queue=self, repo_file=RepoFile(), version="1.2.3"
        )


def assert_harmless(said: str) -> None:
    assert parse_commands(said, MENTION) == []
    markers = find_markers(said)
    assert not any((markers.ours, markers.legacy, markers.bears_ours))
    blocks = MarkdownIt("commonmark").enable("table").parse(said)
    parts = [child for block in blocks for child in block.children or []]
    texts = [part.content for part in parts if part.type == "text"]
    assert not any("@skillbench" in text or "@everyone" in text for text in texts)
    html = {part.content for part in parts if part.type == "html_inline"}
    html |= {block.content.strip() for block in blocks if block.type == "html_block"}
    assert html <= {"<sub>", "</sub>", "<code>", "</code>"}
    assert len(said.encode()) < 60_000


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_name_in_the_records_takes_effect(text: str) -> None:
    records = [
        a_run_record(
            eval_id=f"{text}{number}", skill=text, model=text, vs=text or "none", url=text,
            mode=text, environment=text, launcher=text,
        )
        for number in range(80)
    ]  # fmt: skip
    world = World(records).inquiry_world()
    for skill in (None, text or None, "other"):
        assert_harmless(await answer_results(a_request(skill=skill), world))


@pytest.mark.parametrize("text", HOSTILE)
async def test_no_name_on_the_queue_takes_effect(text: str) -> None:
    queued = tuple(
        Queued(
            request=a_request(asker=text, models=(text,), skill=text, eval_id=text, judge=text),
            position=number,
        )
        for number in range(80)
    )
    world = World(queues=Queues(requests=queued)).inquiry_world()
    for answer in (answer_queue, answer_status, answer_ping):
        assert_harmless(await answer(a_request(), world))


async def test_of_other_repositories_there_are_only_numbers() -> None:
    """Neither their names nor what is asked for in them."""
    secret = Repo(owner="secret", name="repository", installation_id=1, private=True)
    others = tuple(
        Queued(request=a_request(repo=secret, asker="secret", models=("secret",)), position=n)
        for n in range(3)
    )
    world = World(queues=Queues(requests=others, events=2, workers=4)).inquiry_world()
    for answer in (answer_queue, answer_status, answer_ping):
        said = await answer(a_request(), world)
        assert "secret" not in said
    assert "1 in progress, 2 waiting" in await answer_queue(a_request(), world)


def test_the_newest_run_of_each_case_stands_for_it() -> None:
    older, newer = a_run_record(run="1" * 12), a_run_record(run="2" * 12, finished_at=NOON)
    other = a_run_record(run="3" * 12, vs="self")
    assert newest([older, other, newer]) == [newer, other]


async def test_no_worker_that_is_alive_is_said_plainly() -> None:
    assert "none is alive" in await answer_ping(a_request(), World().inquiry_world())
