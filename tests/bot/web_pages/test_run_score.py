"""The table of both arms, in the report and on the page of a run."""

from bot.web.run_score import make_scorecard
from jobs.reporting.scorecard import render_scorecard
from jobs.values import Arm
from tests.builders import a_result, a_session


def test_an_arm_without_a_session_used_nobody_knows_what() -> None:
    session = a_session(Arm.WITH_SKILL)
    result = a_result(
        sessions=(session,), with_skill=None, without_skill=None, ungraded_reason="It was lost."
    )
    table = render_scorecard(result)
    shown = {line.name: line.other for line in make_scorecard(result)}
    for name, other in {"Time": "—", "Tokens": "—", "Cost": "unknown", "Tool calls": "—"}.items():
        [row] = [line for line in table.splitlines() if line.startswith(f"| {name} |")]
        assert row.rstrip(" |").endswith(f"| {other}"), row
        assert shown[name] == other
