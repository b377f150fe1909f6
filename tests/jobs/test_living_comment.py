"""An asking is read back from the tag of its comment, to the very microsecond."""

from datetime import timedelta

import pytest

from bot.github.tags import with_tag
from jobs.keeping import asking_folder, request_folder
from jobs.living_comment import comment_tag, find_asked, is_under_way
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from tests.builders import NOON, a_request


@pytest.mark.parametrize("at", [NOON, NOON + timedelta(microseconds=42)])
@pytest.mark.parametrize("key", ["label:acme/skills#7", "comment:acme/skills:100:abc"])
def test_key_and_time_come_back_and_lead_to_the_same_folder(key: str, at: object) -> None:
    """Whoever takes the request up again finds its plan, and pays for nothing twice."""
    request = a_request(key=key, asked_at=at)
    found = find_asked(comment_tag(request))
    assert found == (request.key, request.asked_at)
    assert found is not None
    assert asking_folder(*found) == request_folder(request)


@pytest.mark.parametrize(("state", "goes_on"), [("queued", True), ("done", False)])
def test_a_living_comment_tells_whether_it_goes_on(state: str, goes_on: bool) -> None:
    row = RunRow.model_validate({"title": "github-issue-7", "state": state})
    body = render_progress(ProgressComment(asker="mona", rows=(row,)))
    assert is_under_way(with_tag(body, "request:label:acme/skills#7:20260504T120000")) is goes_on


@pytest.mark.parametrize(
    "tag", ["report:abc", "end:request:label:a/b#7:20260504T120000", "request:x:20269904T120000"]
)
def test_other_tags_name_no_asking(tag: str) -> None:
    assert find_asked(tag) is None
