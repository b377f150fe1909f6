"""One streamed answer of the Messages API, put together from its events.

Kept apart from the SDK's own collector for three reasons: an answer that ends without
`message_stop` must be known as broken, a tool call with broken JSON must be answered and
not raised, and every block must go back to the API exactly as it came.
"""

import json
from typing import Any

from jobs.models.door import Answer, Stop, Tokens, ToolCall
from jobs.models.troubles import broken_stream

_STOPS: dict[str, Stop] = {
    "end_turn": "finished",
    "stop_sequence": "finished",
    "tool_use": "tools",
    "max_tokens": "max_tokens",
    "model_context_window_exceeded": "context_full",
    "refusal": "refused",
    "pause_turn": "paused",
}
_DELTA_FIELDS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
}


class AnswerBuilder:
    """Collects the events of one answer."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Any]] = []
        self._arguments: dict[int, str] = {}
        self._problems: dict[str, str] = {}
        self._usage: dict[str, int] = {}
        self._model = ""
        self._stop_reason: str | None = None
        self._ended = False

    def take(self, event: Any) -> None:
        """Add one event; kinds we do not know are passed over, as the API asks of clients."""
        match event.type:
            case "message_start":
                self._model = event.message.model
                self._count(event.message.usage)
            case "content_block_start":
                self._blocks.append(event.content_block.to_dict())
            case "content_block_delta":
                self._add(event.index, event.delta)
            case "content_block_stop":
                self._close(event.index)
            case "message_delta":
                self._stop_reason = event.delta.stop_reason or self._stop_reason
                self._count(event.usage)
            case "message_stop":
                self._ended = True

    @property
    def content(self) -> list[dict[str, Any]]:
        """The blocks as they are sent back in the next request; the API refuses empty text."""
        return [block for block in self._blocks if block.get("text") != ""]

    @property
    def spent(self) -> Tokens | None:
        """What the API has reported so far; None before it reported anything."""
        if not self._usage:
            return None
        return Tokens(
            input=self._usage.get("input_tokens", 0),
            output=self._usage.get("output_tokens", 0),
            cache_read=self._usage.get("cache_read_input_tokens", 0),
            cache_write=self._usage.get("cache_creation_input_tokens", 0),
        )

    def build(self) -> Answer:
        """The whole answer. Raises `Trouble` if the stream ended before the answer did."""
        if not self._ended:
            raise broken_stream(self.spent)
        calls = tuple(
            ToolCall(
                block["id"], block["name"], block["input"], self._problems.get(block["id"], "")
            )
            for block in self._blocks
            if block["type"] == "tool_use"
        )
        # A reason that came after this was written: go by what the answer holds.
        stop = _STOPS.get(self._stop_reason or "", "tools" if calls else "finished")
        return Answer(
            text="".join(block["text"] for block in self._blocks if block["type"] == "text"),
            calls=calls,
            stop=stop,
            served_model=self._model,
            tokens=self.spent or Tokens(),
        )

    def _count(self, usage: Any) -> None:
        """Later figures replace earlier ones: the API reports running totals."""
        for name, value in usage.to_dict().items():
            if name.endswith("_tokens") and isinstance(value, int):
                self._usage[name] = value

    def _add(self, index: int, delta: Any) -> None:
        if delta.type == "input_json_delta":
            self._arguments[index] = self._arguments.get(index, "") + delta.partial_json
        elif field := _DELTA_FIELDS.get(delta.type):
            block = self._blocks[index]
            block[field] = (block.get(field) or "") + getattr(delta, field)

    def _close(self, index: int) -> None:
        block = self._blocks[index]
        if block["type"] != "tool_use":
            return
        written = self._arguments.get(index, "")
        try:
            arguments = json.loads(written) if written else block.get("input") or {}
        except ValueError:
            arguments = None
        if isinstance(arguments, dict):
            block["input"] = arguments
        else:
            block["input"] = {}
            self._problems[block["id"]] = "the arguments are not a JSON object"
