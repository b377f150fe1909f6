"""Claude Code's lines, however they are cut and whatever they hold."""

import json
from typing import Any

import pytest

from jobs.claude_code.events import (
    MAX_LINE_BYTES,
    Event,
    EventReader,
    Result,
    Retrying,
    Said,
    Started,
    ToolAnswer,
    Unreadable,
    parse_line,
)
from jobs.models.door import Tokens


def line(**event: Any) -> bytes:
    return json.dumps(event).encode() + b"\n"


def one(**event: Any) -> Event:
    [found] = parse_line(line(**event))
    return found


def read(raw: bytes, size: int) -> list[Event]:
    reader = EventReader()
    events = [
        event
        for start in range(0, len(raw), size)
        for event in reader.take(raw[start : start + size])
    ]
    return [*events, *reader.end()]


STREAM = (
    line(type="system", subtype="init", tools=["Bash"], skills=["word-count"])
    + line(type="assistant", message={"id": "m", "content": [{"type": "text", "text": "ü" * 50}]})
    + b"\n\r\n"
    + b"npm WARN something\n"
    + line(type="result", subtype="success", result="done").rstrip()
)


@pytest.mark.parametrize("size", [1, 3, 64, 1_000_000])
def test_events_are_the_same_however_the_stream_is_cut(size):
    started, said, garbage, result = read(STREAM, size)
    assert isinstance(started, Started)
    assert isinstance(said, Said)
    assert said.text == "ü" * 50
    assert garbage == Unreadable("npm WARN something")
    assert isinstance(result, Result)
    assert result.text == "done"


def test_a_line_of_megabytes_is_read_in_pieces():
    raw = line(type="result", result="x" * 3_000_000)
    [result] = read(raw, 65_536)
    assert isinstance(result, Result)
    assert len(result.text) == 3_000_000


def test_a_line_without_end_is_dropped_and_the_next_one_read():
    reader = EventReader()
    chunk = b"x" * (8 * 1024 * 1024)
    for _ in range(MAX_LINE_BYTES // len(chunk) + 2):
        assert list(reader.take(chunk)) == []
    long, result = reader.take(b"x\n" + line(type="result"))
    assert long == Unreadable("a line that is too long")
    assert isinstance(result, Result)


@pytest.mark.parametrize(
    "raw",
    [b"null", b"5", b'"text"', b"[]", b"{}", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}'],
)
def test_what_is_no_event_is_noted(raw):
    [event] = parse_line(raw)
    assert isinstance(event, Unreadable)
    assert len(event.text) <= 200


@pytest.mark.parametrize("wrong", [None, 5, "text", [], {}, [5], [[]], {"content": 5}, True])
@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("assistant", "message"),
        ("user", "message"),
        ("result", "result"),
        ("result", "api_error_status"),
        ("result", "subtype"),
        ("system", "subtype"),
    ],
)
def test_fields_of_any_type_raise_nothing(kind, field, wrong):
    assert not [e for e in parse_line(line(type=kind, **{field: wrong})) if isinstance(e, Started)]


@pytest.mark.parametrize("wrong", [None, 5, "text", [5], {"a": 1}])
def test_parts_of_a_message_of_any_type_raise_nothing(wrong):
    content = [wrong, {"type": wrong}, {"type": "text", "text": wrong}, {"type": "tool_use"}]
    said = one(type="assistant", message={"content": content, "usage": wrong, "id": wrong})
    assert isinstance(said, Said)
    [answer] = parse_line(
        line(type="user", message={"content": [{"type": "tool_result", "content": wrong}, wrong]})
    )
    assert isinstance(answer, ToolAnswer)


def test_the_start_tells_what_the_session_was_given():
    started = one(
        type="system",
        subtype="init",
        claude_code_version="2.1.197",
        model="m",
        tools=["Bash", 5],
        skills=["a"],
        slash_commands=["a", "clear"],
        plugins=[{"name": "p"}],
        mcp_servers=[{"name": "s", "status": "connected"}],
    )
    assert started == Started(
        version="2.1.197",
        model="m",
        tools=("Bash",),
        skills=("a",),
        commands=("a", "clear"),
        extensions=("p", "s"),
    )


def test_an_answer_tells_words_calls_and_tokens():
    said = one(
        type="assistant",
        parent_tool_use_id="t0",
        error="rate_limit",
        message={
            "id": "m1",
            "model": "claude-x",
            "stop_reason": None,
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "a"},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                {"type": "text", "text": "b"},
            ],
            "usage": {
                "input_tokens": 1,
                "output_tokens": 2,
                "cache_creation_input_tokens": 3,
                "cache_creation": {"ephemeral_1h_input_tokens": 2, "ephemeral_5m_input_tokens": 1},
            },
        },
    )
    assert isinstance(said, Said)
    assert (said.text, said.stop_reason, said.trouble) == ("ab", "", "rate_limit")
    assert said.in_subagent
    assert [(call.id, call.name, call.arguments) for call in said.calls] == [
        ("t1", "Bash", {"command": "ls"})
    ]
    assert said.tokens == Tokens(input=1, output=2, cache_write=3, cache_write_1h=2)


def test_tool_results_are_shown_as_text():
    content = [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]
    blocks = [
        {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": True},
        {"type": "text", "text": "Base directory for this skill"},
        {"type": "tool_result", "tool_use_id": "t2", "content": "b"},
    ]
    first, second = parse_line(line(type="user", message={"content": blocks}))
    assert first == ToolAnswer(call_id="t1", failed=True, text="a\n[image]")
    assert second == ToolAnswer(call_id="t2", failed=False, text="b")


def test_a_retry_tells_why_and_how_long():
    retry = one(
        type="system", subtype="api_retry", attempt=2, error_status=529, retry_delay_ms=1_500.4
    )
    assert retry == Retrying(attempt=2, status=529, wait_s=1.5)


@pytest.mark.parametrize("kind", ["rate_limit_event", "stream_event", "something_new"])
def test_kinds_that_are_not_known_are_passed_over(kind):
    assert list(parse_line(line(type=kind))) == []
