"""What one run says about the difference, in words that claim no more than it can.

One eval case is one observation: the words are higher, lower, same and mixed, and nothing
here speaks of significance. Also the place where `candidate_1` gets its arm's name back,
which nothing before publishing may know.
"""

import re
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from jobs.judging.blind import get_other_arm
from jobs.reporting.arm_words import WORDS
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm

Word = Literal["higher", "lower", "same", "mixed", "nothing"]

_CANDIDATE = re.compile(r"\bcandidate[\s_-]?([12])\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The word for the difference, and the assertions behind it."""

    word: Word
    difference: float
    better: tuple[AssertionScore, ...]
    worse: tuple[AssertionScore, ...]
    split: tuple[AssertionScore, ...]


def conclude(result: RunResult) -> Conclusion | None:
    """The conclusion of a graded run; None for an ungraded one.

    *mixed* is said where the two readings, or two trials, point in opposite directions, and
    where equal scores hide differences that cancel each other out; *nothing* where no session
    produced anything: equal scores, but of nothing.
    """
    difference = result.difference
    if difference is None or not result.graded:
        return None
    return Conclusion(
        word=_word(difference, result),
        difference=difference,
        better=tuple(row for row in result.assertions if gain(row) > 0),
        worse=tuple(row for row in result.assertions if gain(row) < 0),
        split=tuple(row for row in result.assertions if row.split),
    )


def gain(row: AssertionScore) -> float:
    """By how much an assertion is better met in the arm under test, from -1 to 1.

    0 where nobody could verify it.
    """
    changes = [(tested.worth or 0) - (other.worth or 0) for tested, other in row.counted]
    return fmean(changes) if changes else 0.0


def differs(row: AssertionScore) -> bool:
    """Whether an assertion deserves a look: the arms differ, or the readings do."""
    return row.split or gain(row) != 0


def unblind(text: str, result: RunResult, pass_number: int) -> str:
    """The judge's words with each candidate called by its arm, as seen in that pass."""
    first, second = arms_of_pass(result, pass_number)
    titles = {
        "1": f"the output {WORDS[first].phrase}",
        "2": f"the output {WORDS[second].phrase}",
    }
    named = _CANDIDATE.sub(lambda found: titles[found.group(1)], text)
    return named[:1].upper() + named[1:] if _CANDIDATE.match(text) else named


def bare_words(text: str) -> str:
    """A sentence without case, blanks and what stands around it, to see whether two say the same.

    Nothing inside is left out: a minus or a "not" makes another sentence.
    """
    return " ".join(text.split()).strip(" .,;:!?…\"'“”`").casefold()


def arms_of_pass(result: RunResult, pass_number: int) -> tuple[Arm, Arm]:
    """The arms behind `candidate_1` and `candidate_2` in a pass; pass 2 is swapped."""
    first = result.candidate_1_is
    second = get_other_arm(first)
    return (first, second) if pass_number == 1 else (second, first)


def _word(difference: float, result: RunResult) -> Word:
    if result.produced_nothing:
        return "nothing"
    changes = [one.difference or 0 for one in result.whole_trials] or _change_by_pass(result)
    directions = {sign(change) for change in changes} - {0}
    if len(directions) > 1:
        return "mixed"
    if sign(difference) == 0:
        return "mixed" if any(gain(row) for row in result.assertions) else "same"
    return "higher" if difference > 0 else "lower"


def _change_by_pass(result: RunResult) -> list[float]:
    """Sum of gains over the assertions, for each reading by itself."""
    rows = [zip(row.with_skill, row.without_skill, strict=False) for row in result.assertions]
    return [
        sum(
            (tested.worth or 0) - (other.worth or 0)
            for tested, other in pairs
            if tested.worth is not None and other.worth is not None
        )
        for pairs in zip(*rows, strict=False)
    ]


def sign(value: float) -> int:
    """-1, 0 or 1 for a difference of scores."""
    # scores are sums of quarters over a count, so anything this small is rounding
    return 0 if abs(value) < 1e-9 else (1 if value > 0 else -1)
