"""Reads what Claude Code prints with `--output-format stream-json`: one event a line.

A line can hold megabytes, the last one need not end, and between them may stand anything
that a program happened to print; so lines are put together here, and what is no event is
an event of its own, `Unreadable`. Fields are looked at one by one: nothing that is missing
or of another type can raise.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.models.door import Tokens

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A line beyond this is dropped whole; events with a large file in them have some megabytes."""
SYNTHETIC = "<synthetic>"
"""The model that Claude Code names where it speaks itself, of errors for example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The first event: what the session was given."""

    version: str
    model: str
    tools: tuple[str, ...]
    skills: tuple[str, ...]
    """Those that can be listed to the model."""
    commands: tuple[str, ...]
    """Everything that has a name: skills, also without a description, and built-in commands."""
    extensions: tuple[str, ...]
    """Plugins and MCP servers; a session of ours has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call."""

    id: str
    name: str
    arguments: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A part of an answer: one message of the model comes as several of these."""

    message_id: str
    model: str
    text: str
    calls: tuple[Call, ...]
    stop_reason: str
    trouble: str
    """Claude Code's own word for an error that it tells in the model's place; else empty."""
    in_subagent: bool
    tokens: Tokens | None
    """Of the whole message, as far as known; the same or later figures with every part."""

    @property
    def is_synthetic(self) -> bool:
        return self.model == SYNTHETIC


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """The result of a tool call."""

    call_id: str
    failed: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """The API failed, and Claude Code is going to ask again."""

    attempt: int
    status: int | None
    wait_s: float


@dataclass(frozen=True, slots=True)
class RefusedByModel:
    """The model refused, and nobody else was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The last event of a session that ended in an orderly way, well or not."""

    subtype: str
    is_error: bool
    status: int | None
    """HTTP status of the API's last failure, where the event names it."""
    text: str
    stop_reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no event; its beginning."""

    text: str


Event = Started | Said | ToolAnswer | Retrying | RefusedByModel | Result | Unreadable


class EventReader:
    """Puts lines together from pieces cut anywhere, and reads them."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def take(self, chunk: bytes) -> Iterator[Event]:
        """The events that are complete now."""
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            self._add(line)
            yield from self.end()
        self._add(rest)

    def end(self) -> Iterator[Event]:
        """Nothing follows: what stands there without a line break is a line, too."""
        too_long, line = self._size > MAX_LINE_BYTES, b"".join(self._pieces).strip()
        self._pieces, self._size = [], 0
        if too_long:
            yield Unreadable("a line that is too long")
        elif line:
            yield from parse_line(line)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_LINE_BYTES:
            self._pieces = []
        elif piece:
            self._pieces.append(piece)


def parse_line(line: bytes) -> Iterator[Event]:
    """The events of one line: none for kinds that say nothing of how a session goes."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or "type" not in fields:
        yield Unreadable(line[:200].decode("utf-8", "replace"))
        return
    match fields["type"], fields.get("subtype"):
        case "system", "init":
            yield _started(fields)
        case "system", "api_retry":
            yield Retrying(
                attempt=_whole(fields.get("attempt")) or 1,
                status=_whole(fields.get("error_status")),
                wait_s=(_whole(fields.get("retry_delay_ms")) or 0) / 1000,
            )
        case "system", str(subtype) if subtype.startswith("model_refusal"):
            yield RefusedByModel()
        case "assistant", _:
            yield _said(fields)
        case "user", _:
            yield from _tool_answers(fields)
        case "result", _:
            yield Result(
                subtype=_text(fields.get("subtype")),
                is_error=fields.get("is_error") is True,
                status=_whole(fields.get("api_error_status")),
                text=_text(fields.get("result")),
                stop_reason=_text(fields.get("stop_reason")),
            )


def _started(fields: dict[str, Any]) -> Started:
    extensions = [*_list(fields.get("plugins")), *_list(fields.get("mcp_servers"))]
    return Started(
        version=_text(fields.get("claude_code_version")),
        model=_text(fields.get("model")),
        tools=_words(fields.get("tools")),
        skills=_words(fields.get("skills")),
        commands=_words(fields.get("slash_commands")),
        extensions=tuple(_text(_object(item).get("name")) or str(item) for item in extensions),
    )


def _said(fields: dict[str, Any]) -> Said:
    message = _object(fields.get("message"))
    blocks = [_object(block) for block in _list(message.get("content"))]
    calls = tuple(
        Call(
            id=_text(block.get("id")),
            name=_text(block.get("name")),
            arguments=_object(block.get("input")),
        )
        for block in blocks
        if block.get("type") == "tool_use"
    )
    return Said(
        message_id=_text(message.get("id")),
        model=_text(message.get("model")),
        text="".join(_text(block.get("text")) for block in blocks if block.get("type") == "text"),
        calls=calls,
        stop_reason=_text(message.get("stop_reason")),
        trouble=_text(fields.get("error")),
        in_subagent=bool(fields.get("parent_tool_use_id")),
        tokens=_tokens(message.get("usage")),
    )


def _tool_answers(fields: dict[str, Any]) -> Iterator[ToolAnswer]:
    for item in _list(_object(fields.get("message")).get("content")):
        block = _object(item)
        if block.get("type") == "tool_result":
            yield ToolAnswer(
                call_id=_text(block.get("tool_use_id")),
                failed=block.get("is_error") is True,
                text=_shown(block.get("content")),
            )


def _shown(content: object) -> str:
    """A tool result as text; what is no text is named by its kind."""
    if isinstance(content, str):
        return content
    blocks = [_object(item) for item in _list(content)]
    return "\n".join(
        _text(block.get("text")) if block.get("type") == "text" else f"[{block.get('type')}]"
        for block in blocks
    )


def _tokens(usage: object) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    written = _object(usage.get("cache_creation"))
    return Tokens(
        input=_whole(usage.get("input_tokens")) or 0,
        output=_whole(usage.get("output_tokens")) or 0,
        cache_read=_whole(usage.get("cache_read_input_tokens")) or 0,
        cache_write=_whole(usage.get("cache_creation_input_tokens")) or 0,
        cache_write_1h=_whole(written.get("ephemeral_1h_input_tokens")) or 0,
    )


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value < 1e15 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _words(value: object) -> tuple[str, ...]:
    return tuple(word for word in _list(value) if isinstance(word, str))
