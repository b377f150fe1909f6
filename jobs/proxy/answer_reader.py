"""Reads what an answer of the Messages API says of itself, while it is passed on.

Who answered, what it was billed for, and whether it came to its end. It holds back
nothing, and takes nothing for granted: a stream can break off anywhere, and an answer
that broke off was billed for what had been written by then, though nobody says so.
"""

import json
from typing import Any

from jobs.models.door import Tokens

_CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and code."""
_FOR_AN_HOUR = "ephemeral_1h_input_tokens"
_LONGEST_LINE = 32 * 1024 * 1024
"""The API's own limit for a whole request; no event of an answer comes near it."""


class AnswerReader:
    """One answer, streamed as server-sent events or whole as JSON."""

    def __init__(self, *, streamed: bool) -> None:
        self._streamed = streamed
        self._rest = bytearray()
        self._usage: dict[str, int] = {}
        self._begun = False
        self._characters = 0
        self.model = ""
        """Who answered; empty as long as nobody said."""
        self.stop_reason = ""
        self.is_whole = False
        """Whether the answer has come to its end."""

    def take(self, chunk: bytes) -> None:
        """Read the next piece, cut anywhere."""
        self._rest += chunk
        if not self._streamed:
            return
        *lines, rest = bytes(self._rest).split(b"\n")
        self._rest = bytearray(rest[:_LONGEST_LINE])
        for line in lines:
            if line.startswith(b"data:"):
                self._read_event(_parse(line[5:]))

    def end(self) -> None:
        """Nothing follows: read an answer that came as one piece of JSON."""
        if self._streamed:
            return
        message = _parse(bytes(self._rest))
        if message.get("type") == "message":
            self.is_whole = True
            self._read_message(message)
            self.stop_reason = _text(message.get("stop_reason"))

    def tokens(self, asked_bytes: int) -> Tokens | None:
        """What the answer was billed for; None if it had not begun.

        An answer that broke off counts what was written so far, where that is more than
        the API had reported. One without any report is estimated from lengths.
        """
        if not self._begun:
            return None
        written = -(-self._characters // _CHARACTERS_PER_TOKEN)
        if not self._usage:
            guessed = asked_bytes // _CHARACTERS_PER_TOKEN
            return Tokens(input=guessed, output=written, reported=False)
        reported = self._usage.get("output_tokens", 0)
        return Tokens(
            input=self._usage.get("input_tokens", 0),
            output=reported if self.is_whole else max(reported, written),
            cache_read=self._usage.get("cache_read_input_tokens", 0),
            cache_write=self._usage.get("cache_creation_input_tokens", 0),
            cache_write_1h=self._usage.get(_FOR_AN_HOUR, 0),
        )

    def _read_event(self, event: dict[str, Any]) -> None:
        match event.get("type"):
            case "message_start":
                self._read_message(_object(event.get("message")))
            case "content_block_delta":
                delta = _object(event.get("delta"))
                for name in ("text", "thinking", "partial_json"):
                    self._characters += len(_text(delta.get(name)))
            case "message_delta":
                self._count(_object(event.get("usage")))
                self.stop_reason = _text(_object(event.get("delta")).get("stop_reason"))
            case "message_stop":
                self.is_whole = True

    def _read_message(self, message: dict[str, Any]) -> None:
        self._begun = True
        self.model = _text(message.get("model"))
        self._count(_object(message.get("usage")))

    def _count(self, usage: dict[str, Any]) -> None:
        """Later figures replace earlier ones: the API reports running totals."""
        written = _object(usage.get("cache_creation"))
        for name, value in {**usage, _FOR_AN_HOUR: written.get(_FOR_AN_HOUR)}.items():
            if isinstance(value, int) and value >= 0:
                self._usage[name] = value


def _parse(text: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
