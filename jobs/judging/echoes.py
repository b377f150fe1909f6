"""Makes sure that a verdict is about the assertion whose id it bears.

A judge that counts from the wrong end shifts every verdict by one, and ids alone cannot
tell. So each verdict repeats how its assertion begins, and that has to fit the assertion
of that id better than any other. Nothing is ever moved to another id by its words.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import islice

from jobs.values import Assertion

_LEAST_WORDS = 6
"""How many words of an assertion a judge is asked to repeat, where they are enough."""
_MOST_WORDS = 40
_ALIKE = 0.85
"""Share of characters that must agree: forgives a slip of the pen, not another sentence."""


def get_opening(assertion: Assertion, assertions: Sequence[Assertion]) -> str:
    """How an assertion begins, as far as it takes to tell it from the others of its case."""
    others = [_split(other.text) for other in assertions if other.text != assertion.text]
    for span in islice(re.finditer(r"[^\W_]+", assertion.text), _LEAST_WORDS - 1, _MOST_WORDS):
        opening = assertion.text[: span.end()]
        words = _split(opening)
        if not any(other[: len(words)] == words for other in others):
            return opening.strip()
    return assertion.text.strip()


def fits_echo(echo: str, assertion: Assertion, texts: Mapping[str, str]) -> bool:
    """Whether the echo is how this assertion begins, and no other one of `texts` (by id).

    An echo that fits two assertions equally well is none: it cannot tell. Assertions of the
    same words (`N < 5`, `N > 5`) cannot be told apart this way, so between them the id holds.
    """
    words = _split(assertion.text)[:_MOST_WORDS]
    own = _compare(echo, assertion.text)
    rivals = (text for text in texts.values() if _split(text)[:_MOST_WORDS] != words)
    return own >= _ALIKE and own > max((_compare(echo, text) for text in rivals), default=0.0)


def _compare(echo: str, text: str) -> float:
    """How well an echo fits: 2 for the whole assertion, 1 for its beginning, down to 0."""
    said, meant = _split(echo)[:_MOST_WORDS], _split(text)[:_MOST_WORDS]
    if not meant or not said:
        return 2.0 if echo.strip() == text.strip() else 0.0
    if said == meant:
        return 2.0
    if len(said) < min(3, len(meant)):
        return 0.0
    beginning = meant[: len(said)]
    if said == beginning:
        return 1.0
    return SequenceMatcher(None, " ".join(said), " ".join(beginning), autojunk=False).ratio()


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text[:4_000]).casefold())
