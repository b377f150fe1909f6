"""What is weak about assertions, told from their words alone.

An assertion is worth its place if an answer can fail it, if two readers would agree on it, and
if repeating the task does not fulfil it. These are rules of thumb: whoever wrote the case decides.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jobs.content.rubric import reads_like_title
from jobs.leaks.assertion_class import AssertionLeak, bare, find_leaks, has_few_outcomes
from jobs.reporting import escape
from jobs.reporting.leaks import tell_classes
from jobs.values import Assertion
from jobs.weak_evals.negative import is_negative

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
    leaks = find_leaks(assertions, prompt, skill_texts)
    if has_few_outcomes(leaks):
        yield Fault(
            "case",
            f"few of its assertions test the outcome ({tell_classes(leaks)})",
            "a skill wins by being obeyed; ask for results that one can reach in another way, too",
        )
    seen: dict[str, str] = {}
    for one, leak in zip(assertions, leaks, strict=True):
        words = bare(one.text)
        if words in seen:
            yield Fault(one.id, f"says the same as {seen[words]}", "it counts twice; keep one")
        seen.setdefault(words, one.id)
        yield from _of_one(one)
        yield from _of_leak(leak)


def _of_one(one: Assertion) -> Iterator[Fault]:
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


def _of_leak(leak: AssertionLeak) -> Iterator[Fault]:
    """What its class and its copies mean; an assertion that tests the outcome has no such fault."""
    if leak.in_prompt:
        yield Fault(
            leak.assertion,
            "stands word for word in the prompt",
            "an answer that repeats the task passes; ask for the result",
        )
    if leak.in_skill:
        yield Fault(
            leak.assertion,
            "stands word for word in the skill's SKILL.md",
            "it tests whether the skill's words come back, not whether the work is better",
        )
    if leak.kind == "technique":
        yield Fault(
            leak.assertion,
            "tests how the work was done, not what came of it",
            "say what is true of a good result, however it was reached",
        )
    elif leak.terms:
        terms = ", ".join(escape.code(term, 40) for term in leak.terms[:3])
        yield Fault(
            leak.assertion,
            f"asks for words of the skill that the task does not name: {terms}",
            "only whoever read the skill can pass; name them in the task, or ask for what they do",
        )
