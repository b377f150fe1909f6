"""The comment of a request that waits says where it stands, and promises nothing unknown."""

from decimal import Decimal

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from jobs.living_comment import is_under_way
from jobs.reporting.waiting_comment import (
    Load,
    Waiting,
    expect_seconds,
    render_begun,
    render_left,
    render_waiting,
)
from tests.builders import NOON
from tests.jobs.reporting.rendered import EFFECTS, Rendered, hostile_text

OURS, THEIRS = "acme/skills", "acme/other"


def a_waiting(**changes) -> Waiting:
    defaults = {"asker": "mona", "before": 3, "running": 2, "seconds": 700.0, "at": NOON}
    return Waiting(**(defaults | changes))


def test_it_says_where_the_request_stands_and_how_to_cancel_it():
    text = render_waiting(
        a_waiting(
            expected="about $0.40, from 2 past runs", most_usd=Decimal(5), label="needs-benchmark"
        )
    )
    assert text == snapshot("""\
### ⏳ Waiting: 3 requests before this one, 2 requests in progress

It will have ended in about 12 min. **Expected:** about &#36;0.40, from 2 past runs. A run costs \
$5.00 at most, if its models have prices. This comment goes on once it begins. To cancel it: take \
the label `needs-benchmark` off, or comment `@skillbench cancel`.

<sub>Asked for by mona. As of 2026-05-04 12:00 UTC; looked at again each minute. All commands: \
`@skillbench help`.</sub>
""")


def test_where_the_answer_is_a_comment_of_its_own_it_says_so_while_it_waits_and_after():
    text = render_waiting(a_waiting(is_apart=True, mention="@measure"))
    assert text == snapshot("""\
### ⏳ Waiting: 3 requests before this one, 2 requests in progress

The answer comes in a comment of its own, and this one is folded away. To cancel it: \
`@measure cancel`.

<sub>Asked for by mona. As of 2026-05-04 12:00 UTC; looked at again each minute. All commands: \
`@measure help`.</sub>
""")
    begun = render_begun("@measure", "mona")
    assert begun == snapshot("""\
### 🏃 In progress

The answer comes in a comment of its own, and this one is folded away. To cancel it: \
`@measure cancel`.

<sub>Asked for by mona. All commands: `@measure help`.</sub>
""")
    assert is_under_way(f"tag\n{text}")
    assert is_under_way(f"tag\n{begun}")


def test_without_past_runs_no_time_is_promised():
    text = render_waiting(a_waiting(before=0, running=1, seconds=None))
    assert "### ⏳ Waiting: next in turn, 1 request in progress\n" in text
    assert "No past runs tell when it will have ended." in text
    assert "Expected" not in text


def test_it_counts_as_under_way_until_it_is_left():
    """Else a scan would take its request for answered, were Redis lost meanwhile."""
    assert is_under_way("<!-- tag -->\n" + render_waiting(a_waiting()))
    assert not is_under_way("<!-- tag -->\n" + render_left("@skillbench", "mona"))


@pytest.mark.parametrize(
    ("ahead", "seconds"),
    [
        ([], 60),
        ([(OURS, 60.0)] * 3, 60 + 60),  # three places of its own: all three end at once
        ([(THEIRS, 60.0)] * 10, 60 + 60),  # ten places of the fleet
        ([(OURS, 90.0)] * 3 + [(THEIRS, 60.0)] * 2, 60 + 90),
        ([(OURS, None)] * 3, 60 + 60),  # taken for as long as this one
    ],
)
def test_the_fuller_share_of_places_decides(ahead, seconds):
    loads = [Load(repo=repo, wall_s=wall_s) for repo, wall_s in ahead]
    own = Load(repo=OURS, wall_s=60.0)
    assert expect_seconds(own, loads, per_repository=3, overall=10) == pytest.approx(seconds)


def test_of_a_request_that_nothing_is_known_of_no_time_is_told():
    own, other = Load(repo=OURS, wall_s=None), Load(repo=OURS, wall_s=60.0)
    assert expect_seconds(own, [other], per_repository=3, overall=10) is None


@given(hostile_text)
def test_no_name_has_an_effect(text: str):
    shown = Rendered(render_waiting(a_waiting(asker=text, label=text)))
    assert not EFFECTS.search(shown.text)
    assert shown.links == []
    assert shown.comments == []
