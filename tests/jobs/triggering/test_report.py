"""What people read of a measurement: true, escaped, below GitHub's limit."""

import pytest

from handlers.command_values import Trigger
from handlers.commands import parse_commands
from jobs.requests import TriggerOptions
from jobs.triggering.eval_set import make_eval_set
from jobs.triggering.optimize_report import render_optimization, render_proposal
from jobs.triggering.record import find_records
from jobs.triggering.replies import render_confirmation
from jobs.triggering.report import render_report
from jobs.triggering.report_frame import ReportPlace, render_command
from tests.builders import a_request, a_skill
from tests.jobs.triggering.found import a_found, a_trigger_run, an_optimization

LIMIT = 65_536
PLACE = ReportPlace(
    request=a_request(kind="trigger"), web_url="https://github.com", mention="@skillbench"
)
HOSTILE = (
    "<!-- skillbench:trigger:v1 {} --> | @everyone ``` </details> <b>\n## Heading\r"
    "\n@skillbench run x-1 #21 acme/skills#3 \u202e https://evil.example/x"
)
ALL_OPTIONS = (
    "@skillbench optimize --eval-set a/b.json --launcher claude-code --runs-per-query 5 "
    "--max-iterations 2 --alone --force --yes"
)


@pytest.mark.parametrize(
    ("fired", "headline"),
    [
        (((True,), (False,)), "🟢 word-count fires when it should in 1 of 1 query and stays"),
        (((False,), (False,)), "🔴 word-count fires when it should in 0 of 1 query and stays"),
        (((None,), (False,)), "word-count stays quiet when it should in 1 of 1 query"),
        (((None,), (None,)), "⚠️ Nothing could be measured: every session of word-count broke"),
    ],
)
def test_the_decision_stands_first(fired: tuple[tuple[bool | None]], headline: str):
    run = a_trigger_run(skill=a_skill(name="word-count"))
    assert headline in render_report(a_found(fired, run=run), PLACE).split("\n")[0]


@pytest.mark.parametrize(
    ("fired", "origin", "is_offered"),
    [(False, "comment", True), (True, "comment", False), (False, "push", False)],
)
def test_a_skill_that_is_overlooked_is_offered_an_optimization(
    *, fired: bool, origin: str, is_offered: bool
):
    options = TriggerOptions(confirmed=True, runs_per_query=2)
    request = a_request(kind="trigger", origin=origin, skill="pdf", triggering=options)
    place = ReportPlace(request=request, web_url="https://github.com", mention="@skillbench")
    report = render_report(a_found(((fired,), (False,))), place)
    line = "`@skillbench optimize claude-sonnet-4-6 --skill pdf --runs-per-query 2`"
    assert (line in report) is is_offered


def test_a_session_that_broke_is_told_apart_from_a_quiet_one():
    report = render_report(a_found(((None, True, True), (False, False, False))), PLACE)
    assert "2/2&nbsp;(34&#8209;100%)" in report
    assert "- 1 session: the stream broke off" in report
    assert "1 session broke and count for nothing" in report


def test_what_others_wrote_does_no_harm():
    skill = a_skill(name=HOSTILE, path=HOSTILE, warnings=(HOSTILE,))
    eval_set = make_eval_set([(HOSTILE, True), (f"not {HOSTILE}", False)], "set")
    run = a_trigger_run(skill=skill, eval_set=eval_set, source=HOSTILE)
    found = a_found(run=run, remarks=(HOSTILE,))
    whole = render_report(found, PLACE)
    assert len(find_records(whole)) == 1
    body, _, _ = whole.partition("<!--")
    assert "@everyone" not in body
    assert "<b>" not in body
    assert "</details>" not in body
    assert parse_commands(body, "@skillbench") == []


def test_the_largest_set_of_the_longest_queries_fits():
    entries = [(f"{n} {HOSTILE * 90}", n % 2 == 0) for n in range(500)]
    run = a_trigger_run(eval_set=make_eval_set(entries, "set"))
    body = render_report(a_found([(False,)] * 500, run=run), PLACE)
    assert len(body.encode()) < LIMIT
    [record] = find_records(body)
    assert record.queries == 500


def test_a_better_description_is_reported_with_its_proof():
    found = an_optimization("poor", "good", right=(0, 3))
    body = render_optimization(found, PLACE)
    assert "🟢 A better description" in body.split("\n")[0]
    assert "right in 24 of 24 of the held-out sessions instead of 0 of 24" in body
    assert "more than chance does" in body
    assert "> good" in body
    [record] = find_records(body)
    assert record.improved


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (an_optimization("poor", "good", right=(0, 3), proof=0), "chance alone could do that"),
        (an_optimization("fine", "worse", right=(2, 0), proof=None), "the original did best"),
        (an_optimization("fine", right=(3,), proof=None), "nothing to mend"),
    ],
    ids=["not shown", "none better", "all right"],
)
def test_why_the_original_stays_is_said(found, reason: str):
    body = render_optimization(found, PLACE)
    assert "⚪ The description" in body.split("\n")[0]
    assert reason in body


def test_hostile_descriptions_and_queries_do_no_harm_in_a_pull_request():
    found = an_optimization("poor", HOSTILE, right=(0, 3))
    for body in (
        render_optimization(found, PLACE),
        render_proposal(found, PLACE, "https://github.com/acme/skills/issues/7"),
    ):
        assert "@everyone" not in body
        assert "https://evil" not in body
        assert body.count("<!--") <= 1


@pytest.mark.parametrize(
    ("request_changes", "line"),
    [
        ({"kind": "optimize"}, "@skillbench optimize --yes"),
        (
            {"kind": "trigger", "models": ("opus", "gpt-4.1"), "skill": "word count"},
            '@skillbench trigger opus gpt-4.1 --skill "word count" --yes',
        ),
        (
            {
                "kind": "optimize",
                "launcher": "claude-code",
                "force": True,
                "triggering": TriggerOptions(
                    eval_set="a/b.json", alone=True, runs_per_query=5, max_iterations=2
                ),
            },
            ALL_OPTIONS,
        ),
    ],
)
def test_the_line_to_copy_means_the_same_and_yes(request_changes: dict[str, object], line: str):
    request = a_request(**request_changes)
    written = render_command(request, "@skillbench", more="--yes")
    assert written == line
    [command] = parse_commands(written, "@skillbench")
    assert isinstance(command, Trigger)
    assert command.confirmed
    assert command.models == request.models
    assert command.skill == request.skill
    assert command.eval_set == request.triggering.eval_set


def test_a_line_that_could_leave_its_fence_is_shown_as_code():
    body = render_confirmation("too much", "@skillbench trigger --skill ```<b>", mention="@x")
    assert "<b>" not in body
    assert "\n```\n" not in body
