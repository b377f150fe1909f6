"""A job nobody can read any more: whoever waits for it is told, and nobody else."""

import json
from typing import Any

import pytest

from bot.queues import make_job
from bot.unreadable import TEXT, Words, answer_unreadable, find_heard, find_place, usual_words
from jobs.errors import Gone, Transient
from tests.builders import a_request
from tests.handlers.events import a_commented, a_labelled, a_pushed

PLACE = {"repo": {"owner": "acme", "name": "skills", "installation_id": 7}, "issue": 21}


def event_job(event: object, version: int = 9) -> Any:
    return json.loads(make_job("handle_event", {"version": version, "event": event}, 1))["a"][0]


def test_a_request_of_another_version_names_its_issue() -> None:
    request = a_request().model_dump(mode="json") | {"version": 2, "new_field": [1]}
    assert find_place(request, Words()) == PLACE


def test_the_whole_job_as_text_names_it_too() -> None:
    job = make_job("renamed", a_request().model_dump(mode="json"), 1).decode()
    assert find_place(job, Words()) == PLACE


def test_a_request_of_a_push_names_its_commit() -> None:
    """There is no issue zero."""
    pushed = a_request(origin="push", issue=0, after="a" * 40).model_dump(mode="json")
    assert find_place(pushed, Words()) == PLACE | {"issue": 0, "commit": "a" * 40}
    assert find_place(event_job(a_pushed()), Words()) is None, "nobody waits for it"


@pytest.mark.parametrize(
    "event",
    [
        a_commented("Please: @SkillBench run"),
        a_labelled(),
        a_labelled(labels=("Needs-Benchmark",)),
    ],
)
def test_an_event_that_speaks_to_us_names_its_issue(event: object) -> None:
    assert find_place(event_job(event), Words()) == PLACE


async def test_an_event_speaks_to_us_by_the_names_that_its_repository_gives() -> None:
    """The operator's word holds there, too; the usual label asks for nothing."""

    async def find_words(repo: dict[str, Any]) -> Words:
        assert repo == PLACE["repo"]
        return Words(("@skillbench", "@measure"), "Measure me")

    for event, place in (
        (a_commented("@measure run"), PLACE),
        (a_commented("@skillbench run"), PLACE),
        (a_labelled(labels=("measure me",)), PLACE),
        (a_labelled(labels=("needs-benchmark",)), None),
        (a_commented("Thanks, all"), None),
    ):
        assert await find_heard(event_job(event), find_words) == place
    assert await find_heard("no json", find_words) is None


@pytest.mark.parametrize("event", [a_commented("Thanks, all"), a_labelled(labels=("bug",))])
def test_other_peoples_comments_and_labels_get_no_answer(event: object) -> None:
    assert find_place(event_job(event), Words()) is None


@pytest.mark.parametrize(
    "stored",
    [
        None,
        "",
        "no json",
        "[" * 100_000,
        {},
        [[]],
        {"repo": "acme/skills", "issue": 21},
        {"repo": {"owner": "acme"}, "issue": 21},
        {"repo": {"owner": "acme", "name": "skills", "installation_id": "7"}, "issue": 21},
        {"repo": {"owner": "acme", "name": "skills", "installation_id": 7}, "issue": "21"},
    ],
)
async def test_what_names_no_issue_is_only_logged(stored: Any) -> None:
    said: list[str] = []

    async def say(_: dict[str, Any], text: str) -> None:
        said.append(text)

    await answer_unreadable(stored, say, usual_words, reference="abc")
    assert said == []


@pytest.mark.parametrize("trouble", [None, Gone("moved")])
async def test_it_is_said_once_and_a_place_that_is_gone_ends_it(trouble: Exception | None) -> None:
    said: list[tuple[dict[str, Any], str]] = []

    async def say(place: dict[str, Any], text: str) -> None:
        said.append((place, text))
        if trouble is not None:
            raise trouble

    stored = a_request().model_dump(mode="json")
    await answer_unreadable(stored, say, usual_words, reference="abc")
    assert said == [(PLACE, TEXT.format(reference="abc"))]


async def test_trouble_with_saying_it_comes_out_so_that_it_is_said_later() -> None:
    async def say(_: dict[str, Any], __: str) -> None:
        raise Transient("down")

    stored = a_request().model_dump(mode="json")
    with pytest.raises(Transient):
        await answer_unreadable(stored, say, usual_words, reference="abc")
