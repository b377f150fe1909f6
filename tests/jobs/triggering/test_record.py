"""What was measured is found again, by our own word alone."""

import json

import pytest

from jobs.triggering.record import TriggerRecord, find_known, find_records, remember, render_marker
from tests.builders import a_comment
from tests.jobs.triggering.found import a_found
from tests.jobs.triggering.world import MemoryBlobs

RECORD = a_found().make_record()
KEY = RECORD.key
WRONG = RECORD.model_dump(mode="json") | {"queries": "x"}


def test_a_marker_comes_back_whole_whatever_stands_in_it():
    odd = RECORD.model_copy(update={"skill": "a --> <!-- b/\u202e ü"})
    marker = render_marker(odd)
    assert marker.count("-->") == 1
    assert find_records(f"Text\n\n{marker}\n") == [odd]


@pytest.mark.parametrize(
    "body",
    [
        f"> {render_marker(RECORD)}",
        f"```\n{render_marker(RECORD)}\n```",
        "<!-- skillbench:trigger:v1 {} -->",
        "<!-- skillbench:trigger:v1 {[ -->",
        "<!-- skillbench:trigger:v2 {} -->",
        f"<!-- skillbench:trigger:v1 {json.dumps(WRONG)} -->",
    ],
)
def test_what_is_quoted_or_no_record_is_none(body: str):
    assert find_records(body) == []


async def test_a_marker_of_ours_counts_and_anybody_elses_does_not():
    body = render_marker(RECORD)
    ours = a_comment(body=body, by_this_app=True, url="https://github.com/a/b/issues/1#c")
    theirs = a_comment(body=body, by_this_app=False)
    assert await find_known(KEY, [theirs], MemoryBlobs()) is None
    assert await find_known("other", [ours], MemoryBlobs()) is None
    found = await find_known(KEY, [ours, theirs], MemoryBlobs())
    assert found is not None
    assert found.url == ours.url


async def test_a_measurement_with_gaps_may_be_done_again():
    blobs = MemoryBlobs()
    gaps = a_found(((None,), (False,))).make_record()
    await remember(gaps, blobs)
    assert (
        await find_known(KEY, [a_comment(body=render_marker(gaps), by_this_app=True)], blobs)
        is None
    )
    await remember(RECORD, blobs)
    assert await find_known(KEY, [], blobs) == RECORD


async def test_what_another_version_has_stored_is_passed_over():
    blobs = MemoryBlobs({f"triggering/known-{KEY}.json": b'{"of": "tomorrow"}'})
    assert await find_known(KEY, [], blobs) is None
    assert isinstance(RECORD, TriggerRecord)
