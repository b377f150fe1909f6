"""A transcript as a conversation, a page of it at a time.

Its lines are what a program wrote of what a model said: each is looked at by itself, and one that
cannot be read is told as such. It blocks: call it in a thread.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any

STEPS_A_PAGE = 60
LONGEST_TEXT = 20_000
"""Characters of one text that are shown."""
LONGEST_LINE = 2_000_000
"""Bytes; an event of a transcript is cut far below that."""
MOST_PAGES = 10_000
MOST_WAITING = 100
"""Calls whose answers are looked for."""


@dataclass(slots=True)
class Step:
    """One thing that happened: somebody spoke, or a tool was called."""

    kind: str
    """`prompt text tool retry usage end odd`; `odd` for what cannot be read."""
    at: datetime | None = None
    text: str = ""
    """What was said, or what a tool answered."""
    name: str = ""
    """The model, or the tool."""
    arguments: str = ""
    system: str = ""
    is_failed: bool = False
    is_answered: bool = False
    """Of a tool: whether its answer is known."""
    left_out: int = 0
    """Characters of its texts that are not shown."""
    facts: Sequence[tuple[str, str]] = ()
    """Of usage and retries: names and values."""


@dataclass(slots=True)
class Conversation:
    """A page of a transcript."""

    steps: list[Step] = field(default_factory=list)
    page: int = 1
    pages: int = 1
    total: int = 0
    """Steps of all pages."""


def read_conversation(lines: IO[bytes], page: int) -> Conversation:
    """The page of that number, and the last one where there are fewer."""
    wanted = min(max(page, 1), MOST_PAGES)
    kept: list[Step] = []
    kept_from, total = 0, 0
    waiting: dict[str, Step] = {}
    for event in _events(lines):
        content, kind = event["content"], event["kind"]
        if kind == "tool_result" and (call := waiting.pop(_text(content.get("id")), None)):
            _answer(call, content)
            continue
        if total % STEPS_A_PAGE == 0 and total // STEPS_A_PAGE < wanted:
            kept, kept_from = [], total  # the page that is asked for may be the next one
        step = _read(event)
        if total // STEPS_A_PAGE < wanted:
            kept.append(step)
        if kind == "tool_call":
            waiting[_text(content.get("id"))] = step
            if len(waiting) > MOST_WAITING:
                waiting.pop(next(iter(waiting)))
        total += 1
    shown = kept_from // STEPS_A_PAGE + 1
    return Conversation(kept, shown, max(1, -(-total // STEPS_A_PAGE)), total)


def _events(lines: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := lines.readline(LONGEST_LINE):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        is_whole = isinstance(event, dict) and isinstance(event.get("content"), dict)
        if is_whole and isinstance(event.get("kind"), str):
            yield event
        else:
            yield {"kind": "odd", "content": {"text": line.decode("utf-8", "replace")}}


def _read(event: Mapping[str, Any]) -> Step:
    content, kind = event["content"], event["kind"]
    step = Step(kind, _moment(event.get("at")))
    match kind:
        case "prompt":
            step.name = _text(content.get("model"))
            _put(step, "text", content.get("prompt"))
            _put(step, "system", content.get("system"))
        case "text":
            step.name = _text(content.get("model"))
            _put(step, "text", content.get("text"))
        case "tool_call":
            step.kind, step.name = "tool", _text(content.get("name"))
            _put(step, "arguments", _show_arguments(content.get("arguments")))
        case "tool_result":  # the call was lost
            step.kind = "tool"
            _answer(step, content)
        case "usage" | "retry":
            step.facts = _facts(content)
        case "end":
            step.name = _text(content.get("end")).replace("_", " ")
            step.is_failed = content.get("end") != "completed"
            _put(step, "text", content.get("detail"))
        case _:
            step.kind = "odd"
            _put(step, "text", content.get("text") or json.dumps(content, ensure_ascii=False))
    return step


def _answer(call: Step, content: Mapping[str, Any]) -> None:
    call.is_answered = True
    call.is_failed = content.get("failed") is True
    _put(call, "text", content.get("text"))


def _put(step: Step, name: str, value: object) -> None:
    """Note a text of a step, cut where it is long."""
    text = _text(value)
    step.left_out += max(0, len(text) - LONGEST_TEXT)
    setattr(step, name, text[:LONGEST_TEXT])


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _show_arguments(value: object) -> str:
    """Arguments as one reads them: a single text as it is, else a line for each name."""
    if not isinstance(value, dict):
        return _text(value)
    if len(value) == 1:
        return _text(next(iter(value.values())))
    return "\n".join(f"{name}: {_text(one)}" for name, one in value.items())


def _facts(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (str(name).replace("_", " "), _text(value)[:200])
        for name, value in list(content.items())[:12]
        if value and not isinstance(value, bool)
    ]


def _moment(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(value))
    except ValueError:
        return None
