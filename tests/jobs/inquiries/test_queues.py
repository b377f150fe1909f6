"""What the queues hold, told as whoever asked knows it."""

from datetime import UTC, datetime

from jobs.inquiries.words import asked_words
from jobs.inquiries.world import Queued, Queues
from jobs.requests import DatasetOptions, Request
from tests.builders import a_repo


def a_chunk(number: int, run: str) -> Request:
    return Request(
        key=f"chunk:{run}:{number}",
        kind="dataset_chunk",
        repo=a_repo(),
        issue=7,
        asker="maria",
        origin="comment",
        run=run,
        dataset=DatasetOptions(benchmark="capitals", dataset="sample", chunk=number),
        asked_at=datetime(2026, 5, 1, tzinfo=UTC),
    )


def test_the_parts_of_one_run_of_a_dataset_are_one_asking() -> None:
    chunks = [a_chunk(number, "a" * 12) for number in range(3)]
    queued = [Queued(request=one, position=place) for place, one in enumerate(chunks)]
    other = Queued(request=a_chunk(0, "b" * 12), position=3)
    assert Queues(requests=(*queued, other)).askings == (queued[0], other)
    assert asked_words(chunks[0]) == "`dataset capitals sample`"
