"""Which runs of an issue are asked for again, out of what is known of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from bot.blobs import Blobs
from jobs.again.attempts import find_wanted
from jobs.errors import Refused
from jobs.planning.markers import render_marker
from jobs.ports import Comment
from jobs.requests import LATEST, Request
from jobs.results import RunRecord
from jobs.world import World
from tests.builders import a_comment, a_request, a_run_record


@dataclass
class Place:
    """What is known of runs besides the issue's comments; nothing of plans is kept."""

    folder: Path
    known: Sequence[RunRecord] = ()
    runs: "Place" = field(init=False)

    def __post_init__(self) -> None:
        self.runs = self.ledger = self
        self.blobs = Blobs(f"file://{self.folder}/blobs")

    async def records(self, _: str) -> Sequence[RunRecord]:
        return self.known

    async def find(self, _: str) -> None:
        return None

    async def wanted(self, request: Request, *records: RunRecord) -> tuple[Request, ...]:
        comments = [told(record, number) for number, record in enumerate(records, start=1)]
        return await find_wanted(request, comments, cast("World", self))


def told(record: RunRecord, number: int, *, ours: bool = True) -> Comment:
    body = f"A report.\n\n{render_marker(record)}\n"
    return a_comment(id=number, body=body, by_this_app=ours)


def ungraded(run: str, **changes: object) -> RunRecord:
    return a_run_record(run=run, score=None, state="ungraded", **changes)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_any_other_request_means_itself(place: Place) -> None:
    request = a_request()
    assert await place.wanted(request, ungraded("a" * 12)) == (request,)


async def test_the_latest_run_comes_with_its_conditions(place: Place) -> None:
    records = (
        a_run_record(run="a" * 12),
        a_run_record(run="b" * 12, launcher="claude-code", mode="installed", trials=3, vs="self"),
    )
    [again] = await place.wanted(a_request(run=LATEST), *records)
    assert (again.launcher, again.mode) == ("claude-code", "installed")
    assert (again.trials, again.vs, again.environment) == (3, "self", "none")
    assert again.eval_id == records[1].eval_id
    assert again.force
    assert again.run is None


async def test_a_run_that_only_the_ledger_knows_is_found_by_its_id(tmp_path: Path) -> None:
    place = Place(tmp_path, [a_run_record(run="c" * 12, skill="text/other")])
    [again] = await place.wanted(a_request(run="c" * 12))
    assert again.skill == "text/other"
    with pytest.raises(Refused, match=r"I know no run `d+` of this repository that has ended"):
        await place.wanted(a_request(run="d" * 12))


async def test_only_questions_whose_newest_attempt_failed_are_asked_again(place: Place) -> None:
    """One failed and was mended, by another judge even; one was good and then failed."""
    records = (
        ungraded("a" * 12, eval_id="one"),
        a_run_record(run="b" * 12, eval_id="two"),
        a_run_record(run="c" * 12, eval_id="one", judge="another-judge"),
        ungraded("d" * 12, eval_id="two"),
        ungraded("e" * 12, eval_id="three", model_asked="claude-sonnet"),
    )
    wanted = await place.wanted(a_request(only_failed=True), *records)
    assert [one.eval_id for one in wanted] == ["two", "three"]
    assert wanted[1].models == ("claude-sonnet",)
    assert not any(one.only_failed for one in wanted)


async def test_a_run_that_was_judged_again_has_not_failed(place: Place) -> None:
    records = (ungraded("a" * 12), a_run_record(run="a" * 12, judge="another-judge"))
    with pytest.raises(Refused, match="nothing to run again"):
        await place.wanted(a_request(only_failed=True), *records)


async def test_what_others_write_is_not_believed(place: Place) -> None:
    forged = told(ungraded("a" * 12), 1, ours=False)
    with pytest.raises(Refused, match="no run has ended"):
        await find_wanted(a_request(run=LATEST), [forged], cast("World", place))


async def test_a_version_that_is_only_known_by_its_sha_cannot_be_asked_for(
    tmp_path: Path,
) -> None:
    """The commit that it was read from went with the plan."""
    place = Place(tmp_path, [a_run_record(run="c" * 12, vs="sha:" + "b" * 64)])
    with pytest.raises(Refused, match="run --vs"):
        await place.wanted(a_request(run="c" * 12))
    with pytest.raises(Refused, match="run --vs"):  # and no older run in its place
        await place.wanted(a_request(run=LATEST), a_run_record(run="a" * 12), *place.known)
