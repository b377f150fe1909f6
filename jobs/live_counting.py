"""Counts along with a session: its turns, tools, tokens and cost, as its transcript is written.

What a model says is nobody's business here: of a transcript's events only their kind, figures and
the names of tools are looked at. Names are a model's own words too, so they are cut and few.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path

import structlog

from jobs.conversation import TranscriptEvent
from jobs.live_sessions import LiveSession, LiveSessions
from jobs.ports import Clock
from jobs.reading_keys import ReadingKey
from jobs.values import Arm, Limits, Model, SessionResult, Usage

MOST_TOOLS = 20
"""Names that are told of one session; a model may call tools that it makes up."""
OTHER_TOOLS = "other"
LONGEST_NAME = 40

log = structlog.get_logger()


class SessionCounter:
    """Counts one session of a run, over all its attempts, and tells each change."""

    def __init__(self, run: str, session: LiveSession, live: LiveSessions, clock: Clock) -> None:
        self._run = run
        self._session = session
        self._live = live
        self._clock = clock
        self._last = ""
        """Kind of the event before."""
        self._tell()

    def take(self, event: TranscriptEvent) -> None:
        """Count an event. Raises nothing: who counts must not end what is counted."""
        try:
            changes = self._count(event)
        except Exception:
            log.exception("event_not_counted", kind=event.kind)
            return
        self._last = event.kind
        if changes:
            self._tell(**changes)

    def end(self, how: str) -> None:
        """It has ended, as the record will say."""
        self._tell(end=how, ended_at=self._clock(), doing="")

    def _tell(self, **changes: object) -> None:
        self._session = self._session.model_copy(update=changes)
        self._live.show(self._run, self._session)

    def _count(self, event: TranscriptEvent) -> dict[str, object]:
        now = self._session
        match event.kind:
            case "prompt" if now.arm is not None:
                # another attempt: what was spent stays spent, all else is counted anew
                return {"turns": 0, "tools": {}, "failed_tool_calls": 0, "doing": ""}
            case "usage":
                return {"turns": now.turns + 1, "usage": _add(now.usage, event.content)}
            case "tool_call":
                name = clean_name(event.content.get("name"))
                tools = count_tool(now.tools, name)
                return {"tools": tools, "doing": name}
            case "tool_result":
                failed = now.failed_tool_calls + (event.content.get("failed") is True)
                return {"failed_tool_calls": failed, "doing": ""}
            case "retry":
                # what was paid for right before was a torso, and no answer
                turns = now.turns - (self._last == "usage" and now.turns > 0)
                return {"turns": turns, "retries": now.retries + 1}
        return {}


def begin_arm(arm: Arm, trial: int, limits: Limits, at: datetime) -> LiveSession:
    """An arm's session, of which nothing has been heard yet."""
    return LiveSession(
        step=f"{arm}-{trial}", trial=trial, arm=arm, started_at=at, most_turns=limits.turns
    )


def begin_reading(key: ReadingKey, judge: Model, at: datetime) -> LiveSession:
    """The same of a reading of the judge."""
    return LiveSession(
        step=key.step, trial=key.trial, reading=key.number, judge=judge.sent, started_at=at
    )


def read_ended(session: SessionResult, trial: int, transcript: Path) -> LiveSession:
    """A session as its bundle has it, run just now or by an earlier attempt at the run. Blocks."""
    return LiveSession(
        step=f"{session.arm}-{trial}",
        trial=trial,
        arm=session.arm,
        started_at=session.started_at,
        ended_at=session.started_at + timedelta(seconds=session.wall_s),
        end=session.end,
        turns=session.turns,
        most_turns=session.limits.turns if session.limits else 0,
        tools=_read_tools(transcript),
        failed_tool_calls=session.failed_tool_calls,
        retries=session.retries,
        usage=session.usage,
        is_reused=bool(session.reused_from),
    )


def _read_tools(transcript: Path) -> dict[str, int]:
    """Calls by tool, of the last attempt that a transcript holds."""
    tools: dict[str, int] = {}
    with suppress(FileNotFoundError), transcript.open("rb") as lines:
        for line in lines:
            if b'"kind": "tool_call"' in line:
                with suppress(ValueError, TypeError, KeyError):
                    tools = count_tool(tools, clean_name(json.loads(line)["content"]["name"]))
            elif b'"kind": "prompt"' in line:
                tools = {}
    return tools


def clean_name(name: object) -> str:
    """A tool's name as it can be shown: one printable word, cut."""
    text = name if isinstance(name, str) else ""
    shown = "".join(letter for letter in text if letter.isprintable() and letter != " ")
    return shown[:LONGEST_NAME] or OTHER_TOOLS


def count_tool(tools: Mapping[str, int], name: str) -> dict[str, int]:
    """The counts with one more call; names beyond `MOST_TOOLS` are counted together."""
    name = name if name in tools or len(tools) < MOST_TOOLS else OTHER_TOOLS
    return {**tools, name: tools.get(name, 0) + 1}


def _add(usage: Usage, content: Mapping[str, object]) -> Usage:
    cost: Decimal | None = None
    with suppress(InvalidOperation):
        cost = Decimal(str(content.get("cost_usd")))
    return Usage(
        requests=usage.requests + 1,
        input_tokens=usage.input_tokens + _whole(content.get("input_tokens")),
        output_tokens=usage.output_tokens + _whole(content.get("output_tokens")),
        cache_read_tokens=usage.cache_read_tokens + _whole(content.get("cache_read_tokens")),
        cache_write_tokens=usage.cache_write_tokens + _whole(content.get("cache_write_tokens")),
        cost_usd=None if cost is None or usage.cost_usd is None else usage.cost_usd + cost,
    )


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
