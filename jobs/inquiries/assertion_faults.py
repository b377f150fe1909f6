"""What is weak about assertions, told from their words alone.

An assertion is worth its place if an answer can fail it, if two readers would agree on it, and
if repeating the task does not fulfil it. These are rules of thumb: whoever wrote the case decides.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jobs.content.rubric import reads_like_title
from jobs.reporting import escape
from jobs.values import Assertion
from jobs.weak_evals.negative import is_negative

SHORTEST_COPY = 25
"""Letters of an assertion that must stand elsewhere word for word to count as copied."""
FEWEST = 3

_VAGUE = re.compile(
    r"\b(good|better|best|nice(?:ly)?|great|excellent|appropriate(?:ly)?|proper(?:ly)?|reasonabl[ey]"
    r"|suitabl[ey]|adequate(?:ly)?|sensibl[ey]|sufficient(?:ly)?|high[- ]quality|clean(?:ly)?"
    r"|clear(?:ly)?|well[- ](?:written|structured|formatted|documented|organi[sz]ed|designed)"
    r"|professional(?:ly)?|elegant(?:ly)?|readable|comprehensive(?:ly)?|thorough(?:ly)?|robust(?:ly)?"
    r"|efficient(?:ly)?|user[- ]friendly|intuitive(?:ly)?|meaningful(?:ly)?|as needed|as required"
    r"|as appropriate|if necessary|relevant|easy to (?:read|follow|understand)|etc)\b",
    re.IGNORECASE,
)
_MEASURED = re.compile(r"\d|[`\"\u201c]")


class Fault(NamedTuple):
    """Something that whoever wrote the case should look at."""

    where: str
    """`A3`, or several of them; `case` for the whole."""
    what: str
    """What it is, safe to show."""
    advice: str


def find_faults(
    assertions: Sequence[Assertion], prompt: str, skill_texts: Sequence[str]
) -> Iterator[Fault]:
    """Everything that the words of the assertions give away, in their order."""
    if len(assertions) < FEWEST:
        yield Fault(
            "case",
            f"only {len(assertions)} assertion{'s' if len(assertions) > 1 else ''}",
            "one verdict then decides the score; add what else an expert would look at",
        )
    seen: dict[str, str] = {}
    for one in assertions:
        bare = _bare(one.text)
        if bare in seen:
            yield Fault(one.id, f"says the same as {seen[bare]}", "it counts twice; keep one")
        seen.setdefault(bare, one.id)
        yield from _of_one(one, bare, prompt, skill_texts)


def _of_one(one: Assertion, bare: str, prompt: str, skill_texts: Sequence[str]) -> Iterator[Fault]:
    if reads_like_title(one.text):
        yield Fault(
            one.id,
            "reads like the title of a group, and is scored as an assertion",
            "take it out, or make it a heading of the rubric",
        )
    if is_negative(one.text):
        yield Fault(
            one.id,
            "an empty answer fulfils it, since it only says what must not be there",
            "say what must be there instead; an output without any file or word fails it by rule",
        )
    vague = list(dict.fromkeys(word.casefold() for word in _VAGUE.findall(one.text)))
    if vague and not _MEASURED.search(one.text):
        words = ", ".join(escape.code(word, 40) for word in vague[:3])
        yield Fault(
            one.id,
            f"two readers may differ on {words}",
            "name what one would see: a number, a name, a part",
        )
    if len(bare) >= SHORTEST_COPY and bare in _bare(prompt):
        yield Fault(
            one.id,
            "stands word for word in the prompt",
            "an answer that repeats the task passes; ask for the result",
        )
    if len(bare) >= SHORTEST_COPY and any(bare in _bare(text) for text in skill_texts):
        yield Fault(
            one.id,
            "stands word for word in the skill's SKILL.md",
            "it tests whether the skill's words come back, not whether the work is better",
        )


def _bare(text: str) -> str:
    """Letters and digits alone, in small letters, so that marks and line ends do not matter."""
    return " ".join(re.findall(r"\w+", text.casefold()))
