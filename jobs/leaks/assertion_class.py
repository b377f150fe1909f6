"""What an assertion tests: the outcome, how it was reached, or whether words come back.

A skill that says "use the function `derive_vars_dtm`" makes an assertion that asks for it pass
without the work being any better. So an eval case whose assertions are mostly of technique or
vocabulary measures obedience. The class is told from words, by rules; whoever wrote the case
decides, and no score depends on it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from jobs.requests import Value
from jobs.values import Assertion

AssertionClass = Literal["outcome", "technique", "vocabulary"]

SHORTEST_COPY = 25
"""Letters of an assertion that must stand elsewhere word for word to count as copied."""
MOST_CHARACTERS = 2_000
"""Of an assertion that are looked at."""

_MARKED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|\u201c([^\u201d\n]{2,80})\u201d")
"""Terms that an assertion sets apart: in code or in quotation marks."""
_TELLS = (
    r"(?:states?|says?|mentions?|names?|reports?|explains?|lists?|notes?|shows?|gives?|contains?"
    r"|identif(?:y|ies)|describes?|concludes?|recommends?|includes?|warns?|that|which|who)"
)
"""After such a word comes what the output tells, and no longer how it came about."""
_AS_RESULT = (
    r"(?!\s+(?:without|successfully|cleanly|correctly|through|to|in|on|as|under|end)\b"
    r"|\s*[.,;]|\s*$)"
)
"""A script that runs without an error is an outcome, one that runs `make` a technique."""
_TECHNIQUE = re.compile(
    rf"^(?:(?!{_TELLS}\b)\w+\s+){{0,5}}?(?:us(?:es?|ed|ing)|calls?|called|imports?|invokes?"
    r"|appl(?:y|ies|ied)|follows?|followed|implements?|relies on|leverages"
    rf"|(?:runs?|executes?|reads?|loads?){_AS_RESULT}"
    r"|consults?|is (?:written|implemented|done|computed|calculated|built) (?:in|with|by|using)"
    r"|are (?:computed|calculated) (?:with|by|using))\b",
    re.IGNORECASE,
)


class AssertionLeak(Value):
    """One assertion: what it tests, and where it stands word for word."""

    assertion: str
    kind: AssertionClass
    in_skill: bool = False
    """Whether its text stands in a SKILL.md of the comparison."""
    in_prompt: bool = False
    """Whether its text stands in the prompt."""
    terms: tuple[str, ...] = ()
    """Terms it sets apart that the skill names and the prompt does not."""


def find_leaks(
    assertions: Sequence[Assertion], prompt: str, skill_texts: Sequence[str]
) -> tuple[AssertionLeak, ...]:
    """Every assertion with its class, in their order; the texts may be long."""
    bare_prompt = bare(prompt)
    bare_skills = [bare(text) for text in skill_texts]
    return tuple(_look(one, bare_prompt, bare_skills) for one in assertions)


def count_classes(leaks: Sequence[AssertionLeak]) -> Counter[AssertionClass]:
    """How many assertions there are of each class."""
    return Counter(one.kind for one in leaks)


def has_few_outcomes(leaks: Sequence[AssertionLeak]) -> bool:
    """Whether fewer than half of the assertions test the outcome, so that obedience decides."""
    return 2 * count_classes(leaks)["outcome"] < len(leaks)


def bare(text: str) -> str:
    """Letters and digits alone, in small letters, so that marks and line ends do not matter."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def is_copied(bare_text: str, bare_source: str) -> bool:
    """Whether a bare text stands in another, and is long enough for that to mean something."""
    return len(bare_text) >= SHORTEST_COPY and f" {bare_text} " in f" {bare_source} "


def _look(one: Assertion, prompt: str, skills: Sequence[str]) -> AssertionLeak:
    text = one.text[:MOST_CHARACTERS]
    own = bare(text)
    terms = tuple(
        dict.fromkeys(
            term
            for found in _MARKED.finditer(text)
            if (term := next(part for part in found.groups() if part))
            and (words := f" {bare(term)} ").strip()
            and words not in f" {prompt} "
            and any(words in f" {skill} " for skill in skills)
        )
    )
    in_skill = any(is_copied(own, skill) for skill in skills)
    in_prompt = is_copied(own, prompt)
    kind: AssertionClass = "outcome"
    if in_skill or in_prompt or terms:
        kind = "vocabulary"
    if _TECHNIQUE.search(text):
        kind = "technique"
    return AssertionLeak(
        assertion=one.id, kind=kind, in_skill=in_skill, in_prompt=in_prompt, terms=terms
    )
