"""One streamed chat completion, put together from its chunks.

Servers of many makers send these, so everything is read with suspicion: an index that
never comes, arguments in one piece, a tool call announced as an ordinary end, no usage.
"""

import json
from typing import Any

from jobs.models.door import Answer, Stop, Tokens, ToolCall
from jobs.models.troubles import broken_stream

_STOPS: dict[str, Stop] = {
    "length": "max_tokens",
    "content_filter": "refused",
}
_CHARACTERS_A_TOKEN = 4  # the usual rule of thumb for English text


class ChunkCollector:
    """Collects the chunks of one answer."""

    def __init__(self) -> None:
        self._text = ""
        self._refusal = ""
        self._calls: list[dict[str, Any]] = []
        self._positions: dict[int, int] = {}
        self._model = ""
        self._finish: str | None = None
        self.spent: Tokens | None = None
        """What the server has reported so far; running totals replace each other."""

    def take(self, chunk: Any) -> None:
        """Add one chunk."""
        self._model = self._model or chunk.model or ""
        if chunk.usage is not None:
            self.spent = _tokens(chunk.usage)
        for choice in chunk.choices or ():
            self._finish = choice.finish_reason or self._finish
            delta = choice.delta
            if delta is None:
                continue
            self._text += delta.content or ""
            self._refusal += delta.refusal or ""
            for part in delta.tool_calls or ():
                self._add_call(part)

    @property
    def message(self) -> dict[str, Any]:
        """The answer as it is sent back in the next request."""
        message: dict[str, Any] = {"role": "assistant", "content": self._text or self._refusal}
        if self._calls:
            message["tool_calls"] = self._calls
        return message

    def build(self, sent: list[dict[str, Any]]) -> Answer:
        """The whole answer to the messages `sent`. Raises `Trouble` if the stream ended
        before the answer did.
        """
        if self._finish is None:
            raise broken_stream(self.spent)
        calls = tuple(_call(call) for call in self._calls)
        stop: Stop = "refused" if self._refusal else "tools" if calls else "finished"
        return Answer(
            text=self._text,
            calls=calls,
            stop=_STOPS.get(self._finish, stop),
            served_model=self._model,
            tokens=self.spent or self._estimate(sent),
        )

    def _add_call(self, part: Any) -> None:
        function = part.function
        index = part.index if isinstance(part.index, int) else len(self._calls)
        if index not in self._positions:
            self._positions[index] = len(self._calls)
            call_id = part.id or f"call_{len(self._calls)}"
            blank = {"name": "", "arguments": ""}
            self._calls.append({"id": call_id, "type": "function", "function": blank})
        call = self._calls[self._positions[index]]
        # Gemini signs its calls in a field of its own and wants it back unchanged.
        call.update(part.model_extra or {})
        if function is not None:
            call["function"]["name"] = function.name or call["function"]["name"]
            call["function"]["arguments"] += function.arguments or ""

    def _estimate(self, sent: list[dict[str, Any]]) -> Tokens:
        """Tokens by length, so that token limits hold where no usage is reported."""
        asked = len(json.dumps(sent, ensure_ascii=False))
        wrote = len(json.dumps(self.message, ensure_ascii=False))
        return Tokens(
            input=asked // _CHARACTERS_A_TOKEN + 1,
            output=wrote // _CHARACTERS_A_TOKEN + 1,
            reported=False,
        )


def _tokens(usage: Any) -> Tokens:
    """OpenAI counts what the cache served or took among the prompt's tokens; we do not."""
    details = usage.prompt_tokens_details
    read = (getattr(details, "cached_tokens", None) or 0) if details else 0
    written = (getattr(details, "cache_write_tokens", None) or 0) if details else 0
    return Tokens(
        input=max(0, (usage.prompt_tokens or 0) - read - written),
        output=usage.completion_tokens or 0,
        cache_read=read,
        cache_write=written,
    )


def _call(call: dict[str, Any]) -> ToolCall:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        return ToolCall(call["id"], function["name"], arguments)
    return ToolCall(call["id"], function["name"], {}, "the arguments are not a JSON object")
