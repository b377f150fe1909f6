"""Finds the JSON in what a model wrote: bare, in a fence, in prose, or cut in the middle.

Finding is lenient, and inventing is not: text that no JSON reader takes gives nothing. From
an object that breaks off, the complete objects inside it are still found, so that an
answer cut at its token limit is not lost as a whole.
"""

import json
import re
from collections.abc import Iterator

_MAX_FAILURES = 400
"""Places where reading is tried in vain before the rest is given up: bounds the work."""
_OPENING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)


def find_json(text: str) -> list[object]:
    """All JSON objects and arrays in the text, outermost first, in order; never raises."""
    found = list(_scan(text))
    if any(isinstance(item, dict) and item for item in _flatten(found)):
        return found
    return list(_scan(_repair(text)))


def _flatten(items: list[object]) -> Iterator[object]:
    for item in items:
        yield item
        if isinstance(item, list):
            yield from item


def _scan(text: str) -> Iterator[object]:
    position, failures = 0, 0
    while failures < _MAX_FAILURES:
        opening = _OPENING.search(text, position)
        if opening is None:
            return
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            # Not only bad JSON: numbers of thousands of digits are a plain ValueError.
            position = opening.end()
            failures += 1
        else:
            yield value


def _repair(text: str) -> str:
    r"""The text with the two slips models make: `\d` in a string, a comma before a bracket."""
    text = re.sub(r'\\(?=[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))', r"\\\\", text)
    return re.sub(r",(\s*[}\]])", r"\1", text)
