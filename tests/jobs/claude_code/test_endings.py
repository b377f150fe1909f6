"""How a session ended, told from everything that is known of it."""

from typing import Any

import pytest

from jobs.claude_code.endings import Outcome, find_end, find_last_text
from jobs.claude_code.events import Event, RefusedByModel, Result, Retrying, Said
from jobs.claude_code.heard import Heard
from jobs.models.tally import Tally
from jobs.sessions.program import ProgramEnd
from tests.builders import NOON, a_model, some_limits


class Nowhere:
    def write(self, event) -> None:
        pass


def said(text: str = "a", **changes: Any) -> Said:
    defaults = {
        "message_id": "m",
        "model": "claude-sonnet-4-6",
        "text": text,
        "calls": (),
        "stop_reason": "",
        "trouble": "",
        "in_subagent": False,
        "tokens": None,
    }
    return Said(**(defaults | changes))


def a_trouble(word: str) -> Said:
    return said("API Error: something", model="<synthetic>", trouble=word)


def a_result(text: str = "", **changes: Any) -> Result:
    defaults = {
        "subtype": "success",
        "is_error": False,
        "status": None,
        "text": text,
        "stop_reason": "",
    }
    return Result(**(defaults | changes))


def an_exit(code: int = 0, killed_for: str = "") -> ProgramEnd:
    return ProgramEnd(exit_code=code, errors=b"", timed_out=False, killed_for=killed_for)


def an_outcome(*events: Event, **changes: Any) -> Outcome:
    heard = Heard(
        tally=Tally(a_model(), some_limits()),
        sink=Nowhere(),
        clock=lambda: NOON,
        reads_skill=lambda *_: False,
    )
    for event in events:
        heard.take(event)
    defaults = {
        "heard": heard,
        "stopped": "",
        "unlike": "",
        "exit": an_exit(),
        "refused_for": None,
        "broke_off": False,
        "limits": some_limits(),
    }
    return Outcome(**(defaults | changes))


FAILED = {"is_error": True, "text": "API Error: something"}


@pytest.mark.parametrize(
    ("events", "changes", "end"),
    [
        ((said(), a_result("a")), {}, "completed"),
        ((said(), a_result("a", stop_reason="end_turn")), {"exit": an_exit(1)}, "completed"),
        ((said(), a_result("a")), {"stopped": "finished", "exit": None}, "completed"),
        ((said(), a_result("a")), {"broke_off": True}, "error"),
        ((said(), a_result("a")), {"unlike": "a stray skill"}, "error"),
        ((said(), a_result("a", stop_reason="max_tokens")), {}, "max_tokens"),
        ((said(), a_trouble("max_output_tokens"), a_result(**FAILED)), {}, "max_tokens"),
        ((said(), a_result(is_error=True, text="Prompt is too long")), {}, "max_tokens"),
        ((said(stop_reason="model_context_window_exceeded"), a_result("a")), {}, "max_tokens"),
        ((said(), RefusedByModel(), a_result(**FAILED)), {}, "refused"),
        ((said(), a_result(**FAILED, stop_reason="refusal")), {}, "refused"),
        ((said(), a_result("a", stop_reason="refusal")), {}, "refused"),
        ((a_trouble("rate_limit"), a_result(**FAILED)), {}, "rate_limited"),
        ((a_trouble("overloaded"), a_result("API Error: something")), {}, "rate_limited"),
        ((a_trouble("authentication_failed"), a_result(**FAILED)), {}, "error"),
        ((a_trouble("rate_limit"), said("recovered"), a_result("recovered")), {}, "completed"),
        ((a_result(is_error=True, status=529),), {}, "rate_limited"),
        ((a_result(is_error=True, status=503),), {}, "error"),
        ((a_result(**FAILED),), {"refused_for": ("max_cost", "so much")}, "max_cost"),
        ((said(), a_result("a")), {"refused_for": ("max_cost", "so much")}, "completed"),
        ((said(),), {"refused_for": ("max_cost", "so much")}, "max_cost"),
        ((a_result(subtype="error_max_turns", is_error=True),), {}, "max_turns"),
        ((a_result(subtype="error_max_budget_usd", is_error=True),), {}, "max_cost"),
        ((a_result(subtype="error_during_execution"),), {}, "error"),
        ((said(),), {"stopped": "timeout", "exit": None}, "timeout"),
        ((), {"stopped": "timeout", "exit": None}, "stalled"),
        (
            (said(), Retrying(attempt=3, status=529, wait_s=1)),
            {"stopped": "timeout", "exit": None},
            "rate_limited",
        ),
        (
            (said(), Retrying(attempt=3, status=None, wait_s=1)),
            {"stopped": "timeout", "exit": None},
            "error",
        ),
        ((said(),), {"stopped": "stalled", "exit": None}, "stalled"),
        ((said(),), {"exit": an_exit(137)}, "error"),
        ((said(),), {"exit": an_exit(137, killed_for="memory")}, "error"),
        ((), {"exit": an_exit(1)}, "error"),
    ],
)
def test_each_way_to_end_has_its_own_name(events, changes, end):
    found, detail = find_end(an_outcome(*events, **changes))
    assert found == end
    assert bool(detail) == (end != "completed")
    assert "something" not in detail


def test_what_the_sandbox_killed_it_for_is_told():
    outcome = an_outcome(said(), exit=an_exit(137, killed_for="memory"))
    assert find_end(outcome)[1] == "the session used more memory than it may"


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ((said("so far"), a_result("the end")), "the end"),
        ((said("so far"), a_result("")), "so far"),
        ((said("so far"), a_result("API Error: 500")), "so far"),
        ((said("so far"), a_trouble("overloaded"), a_result(**FAILED)), "so far"),
        ((said("so far"),), "so far"),
        ((said("so far"), said("inside", in_subagent=True), a_result("")), "so far"),
        ((said("so far"), said("  ", message_id="n"), a_result("")), "so far"),
        ((a_result(**FAILED),), ""),
        ((), ""),
    ],
)
def test_the_last_message_is_the_models_own(events, text):
    outcome = an_outcome(*events)
    assert find_last_text(outcome, find_end(outcome)[0]) == text
