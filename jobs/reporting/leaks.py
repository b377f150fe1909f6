"""What the notes of a report say of leaks: what assertions test, copies, what was guessed."""

from collections.abc import Iterator, Sequence
from typing import get_args

from jobs.leaks.assertion_class import (
    AssertionClass,
    AssertionLeak,
    count_classes,
    has_few_outcomes,
)
from jobs.reporting import escape, numbers
from jobs.reporting.conclusion import unblind
from jobs.reporting.scorecard import cost
from jobs.results import RunResult

MOST_NAMED = 6
REASON = 300
"""Characters of why the guesser chose as it did."""


def leak_notes(result: RunResult) -> list[str]:
    """What the notes on the judging say of the assertions' words, and of the guesser."""
    return [*_assertion_note(result.leaks), *_guess_note(result)]


def tell_classes(leaks: Sequence[AssertionLeak]) -> str:
    """`9 assertions: 6 outcome, 2 technique, 1 vocabulary`; empty without any."""
    if not leaks:
        return ""
    counts = count_classes(leaks)
    kinds: tuple[AssertionClass, ...] = get_args(AssertionClass)
    parts = [f"{counts[kind]} {kind}" for kind in kinds if counts[kind]]
    return f"{numbers.plural(len(leaks), 'assertion')}: {', '.join(parts)}"


def _assertion_note(leaks: Sequence[AssertionLeak]) -> Iterator[str]:
    if not leaks:
        return
    said = [
        f"{_named(copied)} {'stands' if len(copied) == 1 else 'stand'} word for word in {where}"
        for where, copied in (
            ("SKILL.md", [one for one in leaks if one.in_skill]),
            ("the prompt", [one for one in leaks if one.in_prompt]),
        )
        if copied
    ]
    few = has_few_outcomes(leaks)
    if few:
        said.append("few of them test the outcome")
    sign = "⚠️ " if said else ""
    yield f"{sign}{'; '.join([tell_classes(leaks), *said])}."


def _named(leaks: Sequence[AssertionLeak]) -> str:
    """`A3`, `A3 and A5`, `A1, A2 and 7 more`."""
    names = [escape.inline(one.assertion, 12) for one in leaks[:MOST_NAMED]]
    if len(leaks) > MOST_NAMED:
        return f"{', '.join(names)} and {len(leaks) - MOST_NAMED} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _guess_note(result: RunResult) -> Iterator[str]:
    guess = result.guess
    if guess is None:
        return
    model = escape.code(guess.served or guess.model, 80)
    paid = f"; cost: {cost([guess.usage])}, in no figure above" if guess.usage.requests else ""
    if guess.right is None:
        said = escape.message(escape.clip(guess.problem, REASON)).rstrip(".")
        yield f"Guesser: not guessed, which changes nothing: {said} ({model}{paid})."
        return
    of_trial = f" of trial {guess.trial}" if result.trials else ""
    met = "named" if guess.right else "did not name"
    reason = unblind(guess.reason, result, guess.shown_as).strip().rstrip(".")
    why = f": “{escape.sentence(reason, REASON)}”" if reason else ""
    yield (
        f"Guesser: {model}, asked which scrubbed output{of_trial} had the skill, {met} the right "
        f"one{why}. A guess is right half of the time by chance alone, and changes no score{paid}."
    )
