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
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_DECODER = json.JSONDecoder(strict=False)


def find_json(text: str) -> Iterator[object]:
    """All JSON objects and arrays in the text, outermost first, in order; never raises."""
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


def repair_json(text: str) -> str:
    r"""The text without two slips that models make: `\d` in a string, a comma before a bracket.

    Correct JSON stays correct, though a quotation in it that ends in `,]` loses its comma.
    """
    text = _ESCAPE.sub(lambda match: match[0] if match[1] else r"\\", text)
    return re.sub(r",(\s*[}\]])", r"\1", text)
