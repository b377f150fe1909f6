"""Which assertions only say what must not be there, told from their words alone.

An answer that is empty satisfies the words of such an assertion. A candidate without any output
fails it all the same, by rule (`jobs.judging.judge`).
"""

import re
from collections.abc import Iterable

from jobs.values import Assertion

MOST_CHARACTERS = 1_000
"""Of an assertion that are looked at: what it says first decides."""

_SAYS = (
    r"(?:that|why|how|whether|when|where|if|because|which|stat(?:es?|ing)|explains?|shows?|says?"
    r"|reports|notes?|warns?|concludes?|describes?|identif(?:y|ies)|lists?|names?|flags?|mentions?"
    r"|returns?|prints?)"
)
"""What leads to something that must be there, though it be about something that is not."""
_ABSENT = re.compile(
    rf"^(?:(?!{_SAYS}\s)[\w'`\"().-]{{1,60}}\s{{1,4}}){{0,8}}?"
    r"(?:(?:does|do|did|is|are|was|were|has|have|must|should|will|can)\s{0,4}(?:not\b|n't\b)"
    r"|(?:doesn|don|didn|isn|aren|wasn|weren|hasn|haven|mustn|shouldn|won|can)['\u2019]t\b"
    r"|cannot\b|never\b|avoids?\b|omits?\b|excludes?\b|refrains?\s+from\b"
    r"|(?:contains?|has|have|uses?|makes?|includes?|gives?)\s+(?:no|neither|none)\b"
    r"|(?:no|neither|none)\s+\w+|(?:is|are)\s+(?:free\s+(?:of|from)|absent)\b|without\b)",
    re.IGNORECASE,
)
_BUT_ALSO = re.compile(
    r"\b(?:but|instead|rather|except|other than|and (?:also )?\w{1,40}s)\b|;", re.IGNORECASE
)
"""What follows then must be there."""


def is_negative(text: str) -> bool:
    """Whether an assertion only says what must not be there: `does not …`, `avoids …`, `no …`.

    A rule of thumb for English; one that also says what must be there is none.
    """
    said = text[:MOST_CHARACTERS].strip()
    return _ABSENT.search(said) is not None and _BUT_ALSO.search(said) is None


def find_negatives(assertions: Iterable[Assertion]) -> tuple[str, ...]:
    """Ids of the negative ones among assertions."""
    return tuple(one.id for one in assertions if is_negative(one.text))
