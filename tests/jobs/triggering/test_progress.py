"""The living comment of a measurement."""

import pytest

from bot.github.tags import with_tag
from jobs.living_comment import is_under_way
from jobs.planning.plan import RefusedRun
from jobs.triggering.plan import TriggerPlan
from jobs.triggering.progress import TriggerProgress, TriggerRow, make_progress, render_progress
from tests.builders import a_request
from tests.jobs.triggering.found import a_found, a_trigger_run


def show(**row: object) -> str:
    rows = (TriggerRow.model_validate({"skill": "pdf", "model": "m", **row}),)
    return render_progress(TriggerProgress(kind="optimize", asker="mona", rows=rows))


def test_before_anything_is_spent_it_says_what_it_takes():
    plan = TriggerPlan(request=a_request(kind="optimize"), commit="c", runs=(a_trigger_run(),))
    body = render_progress(make_progress(plan, "@skillbench"))
    assert "at most 10 sessions, about 10,000 tokens, about 1.00 USD" in body
    assert "Measuring a description, to find a better one: 0 of 1 finished" in body


def test_it_follows_sessions_iteration_and_money():
    body = show(
        state="measuring",
        done=12,
        most=64,
        iteration=2,
        tokens=1_200,
        usd="0.5",
        page="http://b.test/runs/1",
    )
    assert "12 of at most 64 sessions · iteration 2 · 1.2k tokens · cost so far $0.50" in body
    assert "[live page](http://b.test/runs/1)" in body


@pytest.mark.parametrize(
    ("state", "goes_on"),
    [("queued", True), ("comparing", True), ("done", False), ("stopped", False), ("known", False)],
)
def test_the_scan_can_tell_whether_it_goes_on(state: str, goes_on: bool):
    assert is_under_way(with_tag(show(state=state), "request:x:20260504T120000")) is goes_on


def test_every_part_has_its_row_and_one_without_a_result_is_not_good():
    plan = TriggerPlan(
        request=a_request(kind="trigger"),
        commit="c",
        runs=(a_trigger_run(),),
        known=(a_found().make_record(),),
        refused=(RefusedRun(title="nosuch", reason="there is no `nosuch` <b>"),),
    )
    state = make_progress(plan, "@skillbench")
    assert [row.state for row in state.rows] == ["queued", "known", "refused"]
    assert not state.is_good
    assert "<b>" not in render_progress(state)


@pytest.mark.parametrize("rows", [(), (TriggerRow(skill="pdf", state="cancelled"),)])
def test_a_cancelled_one_says_by_whom(rows: tuple[TriggerRow, ...]):
    state = TriggerProgress(kind="trigger", asker="mona", rows=rows, cancelled_by="hubot")
    body = render_progress(state)
    assert body.startswith("### 🛑 Cancelled by hubot")
    assert "the trigger evaluation" in body.splitlines()[0]
    assert not is_under_way(with_tag(body, "request:x:20260504T120000"))


def test_two_cancelled_requests_are_told_apart_and_model_and_launcher_as_well():
    for kind, words in (("trigger", "the trigger evaluation"), ("optimize", "the optimization")):
        plan = TriggerPlan(request=a_request(kind=kind), commit="c", runs=(a_trigger_run(),))
        state = make_progress(plan, "@skillbench")
        body = render_progress(state.model_copy(update={"cancelled_by": "hubot"}))
        name = a_trigger_run().skill.name
        assert body.splitlines()[0] == f"### 🛑 Cancelled by hubot: {words} of `{name}`"
        assert "`claude-sonnet-4-6`, `api`" in body
