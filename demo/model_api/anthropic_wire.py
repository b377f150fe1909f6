"""The Messages API's words: requests read and checked, answers written whole or as events.

Checks what the real API checks of a tool conversation, so that a client which passes here
does not fail there.
"""

import json
from collections.abc import Iterator
from typing import Any

from demo.model_api.asked import Asked, BadRequest, Message, ToolResult
from demo.model_api.steps import Call, Reply, Reported
from demo.model_api.wire import Errors, make_id, pieces

_MOST_CACHE_MARKS = 4


def read_request(body: dict[str, Any]) -> Asked:
    """The request in neutral words. Raises `BadRequest` for what the real API refuses."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages: at least one message is required")
    max_tokens = body.get("max_tokens")
    if not isinstance(max_tokens, int) or max_tokens < 1:
        raise BadRequest("max_tokens: must be at least 1")
    if _count_marks(body) > _MOST_CACHE_MARKS:
        raise BadRequest("A maximum of 4 blocks with cache_control may be provided")
    messages = _merge(messages)
    _check_turns(messages)
    system = body.get("system") or ""
    return Asked(
        vendor="anthropic",
        model=str(body.get("model")),
        system=system if isinstance(system, str) else _text(system),
        messages=tuple(_read_message(message) for message in messages),
        tools=tuple(tool["name"] for tool in body.get("tools") or ()),
        max_tokens=max_tokens,
        stream=bool(body.get("stream")),
        body=body,
    )


def render_message(asked: Asked, reply: Reply, tokens: Reported) -> dict[str, Any]:
    """The answer as one JSON object."""
    content: list[dict[str, Any]] = []
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [_tool_use(call, json.loads(_arguments(call))) for call in reply.calls]
    return {
        **_envelope(asked, reply),
        "content": content,
        "stop_reason": _stop(reply),
        "usage": _usage(tokens),
    }


def render_events(asked: Asked, reply: Reply, tokens: Reported) -> Iterator[bytes]:
    """The answer as server-sent events."""
    began = _usage(tokens) | {"output_tokens": 1}
    message = {**_envelope(asked, reply), "content": [], "stop_reason": None, "usage": began}
    yield _event({"type": "message_start", "message": message})
    yield _event({"type": "ping"})
    blocks = [_text_block(reply.text)] if reply.text else []
    blocks += [_call_block(call) for call in reply.calls]
    for index, (start, deltas) in enumerate(blocks):
        yield _event({"type": "content_block_start", "index": index, "content_block": start})
        for delta in deltas:
            yield _event({"type": "content_block_delta", "index": index, "delta": delta})
        yield _event({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": _stop(reply), "stop_sequence": None}
    usage = {"output_tokens": tokens.output}
    yield _event({"type": "message_delta", "delta": delta, "usage": usage})
    yield _event({"type": "message_stop"})


def _count_marks(value: Any) -> int:
    if isinstance(value, dict):
        own = value.get("cache_control") is not None
        return own + sum(_count_marks(part) for part in value.values())
    return sum(_count_marks(part) for part in value) if isinstance(value, list) else 0


def _merge(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages of one role that follow each other are one turn, as the real API reads them."""
    merged: list[dict[str, Any]] = []
    for index, message in enumerate(messages):
        blocks = _blocks(message)
        if not blocks:
            raise BadRequest(f"messages.{index}: content must not be empty")
        role = _role(message)
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"] += blocks
        else:
            merged.append({"role": role, "content": list(blocks)})
    return merged


def _role(message: dict[str, Any]) -> Any:
    """Whose turn a message is. Claude Code sends its reminders as `system` in the user's."""
    role = message.get("role")
    return "user" if role == "system" else role


def _check_turns(messages: list[dict[str, Any]]) -> None:
    """Users begin and end, and every tool call is answered in the turn that follows it."""
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        blocks = message["content"]
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                raise BadRequest(f"messages.{index}: text content blocks must not be empty")
        answered = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if answered != open_calls:
            raise BadRequest(f"messages.{index}: tool_use ids need exactly one tool_result each")
        open_calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
    if {messages[0]["role"], messages[-1]["role"]} != {"user"}:
        raise BadRequest("the first and the last message must be the user's")


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content if isinstance(content, list) else []


def _read_message(message: dict[str, Any]) -> Message:
    blocks = _blocks(message)
    results = tuple(
        ToolResult(_text(block.get("content") or ""), bool(block.get("is_error")))
        for block in blocks
        if block["type"] == "tool_result"
    )
    calls = sum(block["type"] == "tool_use" for block in blocks)
    return Message(message["role"], _text(blocks), results, calls)


def _text(content: str | list[dict[str, Any]]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def _envelope(asked: Asked, reply: Reply) -> dict[str, Any]:
    return {
        "id": make_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": reply.served_model or asked.model,
        "stop_sequence": None,
    }


def _usage(tokens: Reported) -> dict[str, int]:
    return {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_read_input_tokens": tokens.cache_read,
        "cache_creation_input_tokens": tokens.cache_write,
    }


def _stop(reply: Reply) -> str:
    return reply.stop or ("tool_use" if reply.calls else "end_turn")


def _arguments(call: Call) -> str:
    return call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)


def _tool_use(call: Call, arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": make_id("toolu"), "name": call.name, "input": arguments}


def _text_block(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    deltas = [{"type": "text_delta", "text": piece} for piece in pieces(text)]
    return {"type": "text", "text": ""}, deltas


def _call_block(call: Call) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    deltas = [
        {"type": "input_json_delta", "partial_json": piece} for piece in pieces(_arguments(call))
    ]
    return _tool_use(call, {}), deltas


def _event(content: dict[str, Any]) -> bytes:
    return f"event: {content['type']}\ndata: {json.dumps(content)}\n\n".encode()


def _error(kind: str, message: str) -> dict[str, Any]:
    return {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": make_id("req"),
    }


def _error_event(kind: str, message: str) -> bytes:
    return _event(_error(kind, message))


ERRORS = Errors(body=_error, event=_error_event)
