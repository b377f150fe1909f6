"""Good answers of models, providers and Claude Code, of our own making, to start from."""

import json
from typing import Any


def _stream(*events: dict[str, Any]) -> bytes:
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


_USAGE = {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 0}
CLAUDE_STREAM = _stream(
    {
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": _USAGE,
        },
    },
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start", "index": 1,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}},
    },
    {
        "type": "content_block_delta", "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"command": "ls"}'},
    },
    {"type": "content_block_stop", "index": 1},
    {
        "type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 25},
    },
    {"type": "message_stop"},
)  # fmt: skip


def _chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    chunk = {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4.1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more,
    }  # fmt: skip
    return f"data: {json.dumps(chunk)}\n\n".encode()


OPENAI_STREAM = (
    _chunk({"role": "assistant", "content": "Hello"})
    + _chunk({"tool_calls": [{"index": 0, "id": "x", "type": "function",
                              "function": {"name": "Bash", "arguments": '{"comm'}}]})
    + _chunk({"tool_calls": [{"index": 0, "function": {"arguments": 'and": "ls"}'}}]})
    + _chunk({}, "tool_calls", usage={"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13})
    + b"data: [DONE]\n\n"
)  # fmt: skip

STREAM_PIECES = (
    b"data: ", b"event: error\n", b"\n\n", b"data: [DONE]\n\n", b"\"index\": 7", b"\"type\": ",
    b"\"text\": ", b"null", b"{}", b"[]",
    b'data: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n',
    b"data: {\"error\": {\"message\": ",
    b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", b"4", b"5", b"{",
    b"1 + " + b"9" * 5000 + b" > 1", b": comment\n",
    b"\"usage\": {\"output_tokens\": 1e400}", b"\"name\": [1]", b"\"id\": {}", b"\"arguments\": 5",
    b"retry: 99999999\n",
)  # fmt: skip

_VERDICT = {
    "assertion": "A1", "echo": "The total is 42", "candidate": "candidate_1", "verdict": "pass",
    "quotation": "Total: 42", "reason": "It says so.",
}  # fmt: skip
_WHOLE = {
    "verdicts": [_VERDICT, {**_VERDICT, "candidate": "candidate_2", "verdict": "partial"}],
    "key_metrics": [{"name": "Words", "candidate_1": "42", "candidate_2": 41}],
    "observations": ["Both name it."],
    "weak_assertions": [{"assertion": "A2", "remark": "vague"}],
    "injections": [],
}
ANSWERS = (
    json.dumps(_WHOLE).encode(),
    f"Here is my reading:\n\n```json\n{json.dumps(_WHOLE, indent=1)}\n```\n".encode(),
    json.dumps({"verdicts": {"A1": {"candidate_1": _VERDICT, "candidate_2": _VERDICT}}}).encode(),
    json.dumps([_VERDICT]).encode(),
)
ANSWER_PIECES = (
    b"{", b"}", b"[", b"]", b",", b"\\d", b"\\", b"\"verdict\": \"pass\"", b"\"echo\": ",
    b"\"assertion\": \"A1\"", b"```json\n", b",]",
    b"candidate_1", b"\"candidate\": 2", b"Assertion 2", b"#0000000000000002", b"true",
    b"[[[[[[[[[[[[", b"{\"a\":",
)  # fmt: skip

_TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]
_MESSAGE = {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
ASKED = (
    json.dumps(
        {
            "model": "claude-sonnet-4-6", "max_tokens": 1000, "stream": True, "tools": _TOOLS,
            "system": [{"type": "text", "text": "You work."}], "messages": [_MESSAGE],
            "thinking": {"type": "enabled", "budget_tokens": 2000},
        }
    ).encode(),
    json.dumps({"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": [_MESSAGE]}).encode(),
)  # fmt: skip

_HI = {"type": "text", "text": "Hi"}
_CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
_ANSWER = {
    "type": "tool_result",
    "tool_use_id": "t1",
    "is_error": False,
    "content": [{"type": "text", "text": "a b"}, {"type": "image"}],
}
_INIT = {
    "type": "system",
    "subtype": "init",
    "tools": ["Bash"],
    "skills": ["a"],
    "model": "claude-sonnet-4-6",
    "plugins": [{"name": "x"}],
    "mcp_servers": [],
    "claude_code_version": "2.0.1",
    "slash_commands": [],
}
_SAID = {
    "id": "m1",
    "model": "claude-sonnet-4-6",
    "stop_reason": None,
    "usage": _USAGE,
    "content": [_HI, _CALL],
}
_RETRY = {"attempt": 1, "error_status": 529, "retry_delay_ms": 500}
_RESULT = {"is_error": False, "result": "done", "stop_reason": "end_turn"}
CLAUDE_CODE = b"".join(
    json.dumps(event).encode() + b"\n"
    for event in (
        _INIT,
        {"type": "assistant", "message": _SAID},
        {"type": "user", "message": {"content": [_ANSWER]}},
        {"type": "system", "subtype": "api_retry", **_RETRY},
        {"type": "system", "subtype": "model_refusal"},
        {"type": "result", "subtype": "success", **_RESULT},
    )
)
CLAUDE_CODE_PIECES = (
    b"\n", b"{\"type\":\"result\"}\n",
    b'{"type":"result","subtype":"error_max_turns","is_error":true,"result":"API Error: 529"}\n',
    b"{\"type\":\"assistant\",\"message\":[]}\n", b"{\"type\":", b"npm WARN\n",
    b'{"type":"system","subtype":"init","plugins":[[[[[]]]]]}\n',
)  # fmt: skip

CALLS = tuple(
    json.dumps([name, arguments]).encode()
    for name, arguments in (
        ("Bash", {"command": "ls", "timeout_s": 5}),
        ("Read", {"file_path": "output/a.md", "offset": 1, "limit": 10}),
        ("Write", {"file_path": "output/a.md", "content": "x"}),
        ("Edit", {"file_path": "a", "old_string": "hello", "new_string": "y", "replace_all": True}),
        ("Glob", {"pattern": "**/*.md", "path": "output"}),
    )
)
