"""The words of chat completions: requests read and checked, answers whole or as chunks."""

import json
from collections.abc import Iterator
from typing import Any

from demo.model_api.asked import Asked, BadRequest, Message, ToolResult
from demo.model_api.steps import Call, Reply, Reported
from demo.model_api.wire import Errors, make_id, pieces

_NO_LIMIT = 1_000_000
_FINISHES = {
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}


def read_request(body: dict[str, Any]) -> Asked:
    """The request in neutral words. Raises `BadRequest` for what the real API refuses."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("messages: at least one message is required")
    _check_calls(messages)
    system = [message for message in messages if message["role"] in {"system", "developer"}]
    said = [message for message in messages if message["role"] in {"user", "assistant", "tool"}]
    if not said or said[0]["role"] != "user":
        raise BadRequest("messages: a message of the user is missing")
    return Asked(
        vendor="openai",
        model=str(body.get("model")),
        system="\n".join(_text(message) for message in system),
        messages=tuple(_read_messages(said)),
        tools=tuple(tool["function"]["name"] for tool in body.get("tools") or ()),
        max_tokens=body.get("max_completion_tokens") or body.get("max_tokens") or _NO_LIMIT,
        stream=bool(body.get("stream")),
        body=body,
    )


def render_completion(asked: Asked, reply: Reply, tokens: Reported) -> dict[str, Any]:
    """The answer as one JSON object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.calls:
        message["tool_calls"] = [_call(call, call.arguments) for call in reply.calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    envelope = _envelope(asked, reply, "chat.completion")
    return {**envelope, "choices": [choice], "usage": _usage(tokens)}


def render_chunks(asked: Asked, reply: Reply, tokens: Reported) -> Iterator[bytes]:
    """The answer as server-sent chunks; usage comes last, if it was asked for."""
    envelope = _envelope(asked, reply, "chat.completion.chunk")

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return _event({**envelope, "choices": [choice], "usage": None})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.text):
        yield chunk({"content": piece})
    for index, call in enumerate(reply.calls):
        yield chunk({"tool_calls": [{"index": index, **_call(call, "")}]})
        for piece in pieces(_arguments(call.arguments)):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield _event({**envelope, "choices": [], "usage": _usage(tokens)})
    yield b"data: [DONE]\n\n"


def _check_calls(messages: list[dict[str, Any]]) -> None:
    """Every tool call is answered before anybody says something else."""
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise BadRequest(f"messages.{index}: a tool message must answer a tool call")
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            raise BadRequest(f"messages.{index}: tool calls without an answer: {open_calls}")
        open_calls += [call["id"] for call in message.get("tool_calls") or ()]
    if open_calls:
        raise BadRequest(f"tool calls without an answer: {open_calls}")


def _read_messages(said: list[dict[str, Any]]) -> Iterator[Message]:
    """Messages with the tool results of one answer gathered into one, as users' turns."""
    results: list[ToolResult] = []
    for message in said:
        if message["role"] == "tool":
            text = _text(message)
            results.append(ToolResult(text, text.startswith("Error: ")))
            continue
        if results:
            yield Message("user", "", tuple(results))
            results = []
        calls = len(message.get("tool_calls") or ())
        yield Message(message["role"], _text(message), (), calls)
    if results:
        yield Message("user", "", tuple(results))


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _envelope(asked: Asked, reply: Reply, kind: str) -> dict[str, Any]:
    model = reply.served_model or asked.model
    return {"id": make_id("chatcmpl"), "object": kind, "created": 1767225600, "model": model}


def _usage(tokens: Reported) -> dict[str, Any]:
    prompt = tokens.input + tokens.cache_read + tokens.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": tokens.output,
        "total_tokens": prompt + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
    }


def _finish(reply: Reply) -> str:
    return _FINISHES[reply.stop or ("tool_use" if reply.calls else "end_turn")]


def _arguments(arguments: object) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _call(call: Call, arguments: object) -> dict[str, Any]:
    function = {"name": call.name, "arguments": _arguments(arguments)}
    return {"id": make_id("call"), "type": "function", "function": function}


def _event(content: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(content)}\n\n".encode()


def _error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def _error_event(kind: str, message: str) -> bytes:
    return _event(_error(kind, message))


ERRORS = Errors(body=_error, event=_error_event)
