"""What both protocols share: ids, pieces of a text, estimated token counts."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from demo.model_api.asked import Asked
from demo.model_api.steps import Reply, Reported

CHARACTERS_A_TOKEN = 4
_PIECES = 3
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Errors:
    """How a protocol writes an error: as a body, and as an event inside a stream."""

    body: Callable[[str, str], dict[str, Any]]
    event: Callable[[str, str], bytes]


def make_id(kind: str) -> str:
    """An id that no other answer of this process has."""
    return f"{kind}_scripted_{next(_numbers):06d}"


def pieces(text: str) -> Iterator[str]:
    """A text in a few pieces, as it arrives in a stream."""
    size = max(1, -(-len(text) // _PIECES))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def cut_to_limit(reply: Reply, max_tokens: int) -> Reply:
    """The reply as far as the request's limit lets it be."""
    room = max_tokens * CHARACTERS_A_TOKEN
    if len(reply.text) <= room:
        return reply
    return replace(reply, text=reply.text[:room], calls=(), stop="max_tokens")


def count_output(reply: Reply) -> int:
    """About how many tokens a reply has."""
    calls = sum(len(call.name) + len(str(call.arguments)) for call in reply.calls)
    return (len(reply.text) + calls) // CHARACTERS_A_TOKEN + 1


class TokenCounter:
    """Estimates what a request would be billed for, a prompt cache included."""

    def __init__(self) -> None:
        self._cached: dict[tuple[str, str, str], int] = {}

    def count(self, asked: Asked, reply: Reply) -> Reported:
        """Counts by length. What a conversation was cached with before is read from the cache."""
        if reply.tokens is not None:
            return reply.tokens
        body = json.dumps(
            [asked.body.get(name) for name in ("tools", "system", "messages")], ensure_ascii=False
        )
        total = len(body) // CHARACTERS_A_TOKEN + 1
        output = count_output(reply)
        if '"cache_control"' not in body:
            return Reported(input=total, output=output)
        read = min(total, self._cached.get(asked.conversation, 0))
        self._cached[asked.conversation] = total
        return Reported(input=0, output=output, cache_read=read, cache_write=total - read)
