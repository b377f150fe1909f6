"""What a session may ask of the model API: its own model, and nothing that leaves the sandbox.

The agent's commands can talk to the proxy as well as Claude Code does. So a request is
read before the key is added to it, and refused where it would reach further than the
session may: another model, a tool or a connector that the provider runs with a network of
its own, a picture that the provider would fetch from an address, a file of the account.
Nothing is rewritten but a cap on the answer's length that the session has no tokens for.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jobs.proxy.refusal import Refusal

_REACHES_FURTHER = {
    "mcp_servers": "connectors are not part of a session",
    "container": "containers of the provider are not part of a session",
    "inference_geo": "the place is not the session's to choose",
}
"""Fields of a request that cost more, or run something elsewhere."""
_OWN_SOURCES = {"base64", "text", "content"}
"""Where a picture or document may come from: out of the request itself."""
_LEAST_THINKING = 1_024
"""The API refuses a smaller budget for thinking."""
_MOST_VALUES = 100_000
"""Brackets and commas outside of texts: a request of more parts would hold the worker up while
it is read, and every other session with it. A thousand turns of Claude Code have 20,000."""
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""Strings of JSON; one without an end goes to the end, so that each byte is looked at once."""
_DEEPEST = 20
"""Blocks within blocks; Claude Code needs three levels."""


@dataclass(frozen=True, slots=True)
class AskedMessage:
    """A request that may be passed on."""

    body: bytes
    streamed: bool


def read_asked(body: bytes, model: str, *, output_tokens_left: int | None) -> AskedMessage:
    """Check a request to the Messages API. Raises `Refusal`.

    An answer may be at most `output_tokens_left` long; None leaves its cap alone, as for a
    request that only counts tokens.
    """
    asked = _parse(body)
    if asked.get("model") != model:
        raise Refusal(403, "permission_error", f"this session may only use the model {model}")
    if asked.get("speed", "standard") != "standard":
        raise Refusal(403, "permission_error", "the speed is not the session's to choose")
    for name, why in _REACHES_FURTHER.items():
        if asked.get(name):
            raise Refusal(403, "permission_error", why)
    tools = asked.get("tools") or []
    if not isinstance(tools, list) or any(not _is_own_tool(tool) for tool in tools):
        raise Refusal(403, "permission_error", "tools that the provider runs are not available")
    for block in _blocks([asked.get("messages"), asked.get("system")], 0):
        source = block.get("source")
        if isinstance(source, dict) and source.get("type") not in _OWN_SOURCES:
            raise Refusal(403, "permission_error", "files must stand in the request itself")
    if output_tokens_left is not None and _is_longer(asked, output_tokens_left):
        body = _capped(asked, output_tokens_left)
    return AskedMessage(body, streamed=asked.get("stream") is True)


def _parse(body: bytes) -> dict[str, Any]:
    if _count_parts(body) > _MOST_VALUES and _count_parts(_without_texts(body)) > _MOST_VALUES:
        raise Refusal(413, "request_too_large", "the request has too many parts")
    try:
        # bytes would be taken for UTF-16 if they look like it, and nobody else takes them so
        asked = json.loads(body.decode("utf-8"), object_pairs_hook=_unambiguous)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise Refusal(400, "invalid_request_error", "the request is no JSON object")
    return asked


def _without_texts(body: bytes) -> bytes:
    """JSON without its strings, up to as many as can stand in what is not refused."""
    return _TEXTS.sub(b"", body, count=2 * _MOST_VALUES)


def _count_parts(text: bytes) -> int:
    return sum(map(text.count, (b"[", b"{", b",")))


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are there once: of two, the API could take the one we do not look at."""
    read = dict(pairs)
    if len(read) < len(pairs):
        raise Refusal(400, "invalid_request_error", "a key stands twice in one object")
    return read


def _is_own_tool(tool: object) -> bool:
    """Whether a tool is one that the session itself carries out."""
    return isinstance(tool, dict) and tool.get("type", "custom") in {None, "custom"}


def _blocks(value: object, depth: int) -> Iterator[dict[str, Any]]:
    """Every object within messages and system prompt, however deep it lies."""
    if depth > _DEEPEST:
        raise Refusal(400, "invalid_request_error", "the request is nested too deeply")
    if isinstance(value, dict):
        yield value
        if value.get("type") == "tool_use":
            return  # its input is the model's own words, and stays words
        for item in value.values():
            if isinstance(item, dict | list):
                yield from _blocks(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _blocks(item, depth + 1)


def _is_longer(asked: dict[str, Any], left: int) -> bool:
    most = asked.get("max_tokens")
    return isinstance(most, int) and most > left


def _capped(asked: dict[str, Any], left: int) -> bytes:
    """The request with what is left as its cap; thinking needs a part of that."""
    changed = {**asked, "max_tokens": max(1, left)}
    thinking = asked.get("thinking")
    if isinstance(thinking, dict) and isinstance(thinking.get("budget_tokens"), int):
        if left <= _LEAST_THINKING:
            changed["thinking"] = {"type": "disabled"}
        elif thinking["budget_tokens"] >= left:
            changed["thinking"] = {**thinking, "budget_tokens": max(_LEAST_THINKING, left // 2)}
    return json.dumps(changed).encode()
