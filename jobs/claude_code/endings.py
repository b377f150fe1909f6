"""How a session of Claude Code ended, from its events, its exit and what the proxy saw.

Claude Code says `success` of a failed request and writes the error where the answer should
be; a killed one says nothing at all. So nothing is believed by itself: each rule below
names what it looks at. The words given are our own, never those of the API or of the CLI.
"""

import re
from dataclasses import dataclass
from typing import Literal

from jobs.claude_code.events import Result
from jobs.claude_code.heard import Heard
from jobs.models.tally import End
from jobs.sessions.program import ProgramEnd
from jobs.values import Limits

Stopped = Literal["", "timeout", "stalled", "finished", "unlike"]
"""Why the launcher ended the program: not at all, over a limit of time, because it went on
after its result, or because it is not the session that was meant."""

_RATE_STATUSES = {429, 529}
_RATE_TROUBLES = {"rate_limit", "overloaded"}
_STATUS = re.compile(r"API Error:[^0-9]{0,40}(\d{3})\b|\((\d{3})\)")
_CONTEXT_FULL = re.compile(r"prompt is too long|context (?:window|limit)", re.IGNORECASE)
_ENDS_OF_SUBTYPES: dict[str, tuple[End, str]] = {
    "error_max_turns": ("max_turns", "the limit of turns was reached"),
    "error_max_budget_usd": ("max_cost", "the limit of cost was reached"),
}
_ENDS_OF_STOPS: dict[str, tuple[End, str]] = {
    "refusal": ("refused", "the model refused"),
    "max_tokens": ("max_tokens", "the answer was cut at the output limit"),
    "model_context_window_exceeded": (
        "max_tokens",
        "the conversation outgrew what the model can read",
    ),
}
_KILLS = {
    "memory": "the session used more memory than it may",
    "processes": "the session started more processes than it may",
    "disk": "the session wrote more to disk than it may",
    "output": "the session wrote more output than anybody could read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything that is known once a session is over."""

    heard: Heard
    stopped: Stopped
    unlike: str
    """How the session differed from the one that was meant; empty if it did not."""
    exit: ProgramEnd | None
    """None where the launcher ended the program itself."""
    refused_for: tuple[End, str] | None
    """The limit for which the proxy passed a request on no more."""
    broke_off: bool
    """Whether the model's last answer broke off on its way, as the proxy saw it."""
    limits: Limits


def find_end(outcome: Outcome) -> tuple[End, str]:
    """How the session ended, and one sentence on a bad end."""
    result = outcome.heard.result
    if outcome.unlike:
        return "error", outcome.unlike
    if result is not None:
        return _end_of_result(outcome, result)
    if outcome.refused_for is not None:
        return outcome.refused_for
    if outcome.stopped == "timeout":
        return _end_of_time(outcome)
    if outcome.stopped == "stalled":
        return "stalled", f"nothing came from the model for {outcome.limits.idle_s:g} s"
    return "error", _silent_end(outcome)


def find_last_text(outcome: Outcome, end: End) -> str:
    """The session's last message: never the text of an error."""
    result = outcome.heard.result
    if end == "completed" and result is not None and result.text.strip():
        return result.text.strip()
    return "" if end == "refused" else outcome.heard.last_text


def _end_of_result(outcome: Outcome, result: Result) -> tuple[End, str]:
    heard = outcome.heard
    failed = (
        result.is_error
        or result.subtype.startswith("error")
        or bool(heard.trouble)
        or result.text.startswith("API Error:")
    )
    if known := _ENDS_OF_SUBTYPES.get(result.subtype):
        # a file whose writing was cut is asked for anew until the turns are used up
        return _ENDS_OF_STOPS["max_tokens"] if result.stop_reason == "max_tokens" else known
    if failed and outcome.refused_for is not None:
        return outcome.refused_for
    if known := _ENDS_OF_STOPS.get(_find_stop(heard, result, failed=failed)):
        return known
    if failed:
        return _end_of_failure(heard, result)
    if outcome.broke_off:
        return "error", "the model API broke off in the middle"
    return "completed", ""


def _find_stop(heard: Heard, result: Result, *, failed: bool) -> str:
    """Why the model's last answer stopped, in the API's words, wherever that is told."""
    if failed and heard.refused:
        return "refusal"
    if heard.trouble == "max_output_tokens":
        return "max_tokens"
    if failed and _CONTEXT_FULL.search(result.text):
        return "model_context_window_exceeded"
    return result.stop_reason or heard.last_stop


def _end_of_failure(heard: Heard, result: Result) -> tuple[End, str]:
    status = result.status
    if status is None and (found := _STATUS.search(result.text)):
        status = int(found[1] or found[2])
    if status in _RATE_STATUSES or heard.trouble in _RATE_TROUBLES:
        return "rate_limited", f"the model API answered {status or 'that it is overloaded'}"
    if status is not None:
        return "error", f"the model API answered {status}"
    if result.subtype.startswith("error"):
        return "error", "Claude Code failed in the middle of the session"
    return "error", "the model API could not be reached, or its answer could not be read"


def _end_of_time(outcome: Outcome) -> tuple[End, str]:
    """Time that ran out while the platform was failing is the platform's, not the agent's."""
    heard, wall_s = outcome.heard, outcome.limits.wall_s
    if heard.retrying is not None:
        status = heard.retrying.status
        end: End = "rate_limited" if status in _RATE_STATUSES else "error"
        return end, f"the model API answered {status}" if status else "no answer came"
    if not heard.messages:
        return "stalled", f"nothing came from the model within {wall_s:g} s"
    return "timeout", f"the time limit of {wall_s:g} s was reached"


def _silent_end(outcome: Outcome) -> str:
    killed_for = outcome.exit.killed_for if outcome.exit else ""
    if killed_for:
        return _KILLS.get(killed_for, killed_for)
    code = "" if outcome.exit is None else f" (exit code {outcome.exit.exit_code})"
    if outcome.heard.started is None:
        return f"Claude Code did not start{code}"
    return f"Claude Code ended without a result{code}"
