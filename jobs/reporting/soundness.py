"""What a report says of the eval case itself: canaries, assertions that an empty answer satisfies.

What it means for the score is decided in `jobs.weak_evals.soundness`; here it is said.
"""

from collections.abc import Iterator, Sequence

from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.context import ReportContext
from jobs.reporting.fit import Blocks, Part, details
from jobs.reporting.scorecard import cost
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.weak_evals.canary_check import CanaryVerdict, OutputLengths
from jobs.weak_evals.lengths import TOLD_FROM
from jobs.weak_evals.negative import find_negatives
from jobs.weak_evals.soundness import find_flagged, find_scores_without, is_passed_by_canary
from jobs.weak_evals.words import NAMES, advise

TITLE = "Can this eval case be trusted?"
MOST_NAMED = 6
REASON = 200
"""Characters of why the judge was taken in."""

_ADVICE_EMPTY = "say what must be there instead, or keep it as a guard beside others"


def render_counts_nowhere(result: RunResult) -> str:
    """Said at the top where a canary passes every assertion; else empty."""
    if not is_passed_by_canary(result):
        return ""
    return (
        "⚠️ **This result counts nowhere:** a false answer passes every assertion of this eval "
        f"case, so that no score on it says anything. What to mend stands under *{TITLE}*"
    )


def warn_of_canaries(result: RunResult) -> list[str]:
    """What the health line says of assertions that a canary passes."""
    flagged = find_flagged(result)
    if not flagged:
        return []
    names = [row.assertion.id for row in flagged]
    shown = ", ".join(escape.inline(name, 12) for name in names[:MOST_NAMED])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    by = " or ".join(dict.fromkeys(word for row in flagged for word in _passed_by(row, result)))
    verb = "is" if len(names) == 1 else "are"
    return [f"{shown}{more} {verb} satisfied by {by}"]


def soundness_part(result: RunResult, context: ReportContext) -> Part:
    """The assertions that are weak in themselves, what to do, and the score without them."""
    rows = list(_rows(result))
    before, after = details(f"{TITLE} {numbers.plural(len(rows), 'assertion')} to look at")
    return Blocks(
        blocks=rows,
        note=f"*Shortened; the rest is {context.rest}.*",
        before=f"{before}| | Assertion | Satisfied by | What to do |\n|:--|:--|:--|:--|\n",
        after=f"{_without(result)}{after}",
    )


def soundness_notes(result: RunResult) -> list[str]:
    """What the notes on the judging say of canaries, and of how long the outputs were."""
    return [*_canary_notes(result), *(_length_note(one, result) for one in result.lengths)]


def _rows(result: RunResult) -> Iterator[str]:
    negative = set(find_negatives(row.assertion for row in result.assertions))
    for row in result.assertions:
        said = [] if row.machine or not result.canaries else [*_said_of(row, result)]
        empty = row.assertion.id in negative and not row.machine
        if not said and not empty:
            continue
        by = [*([_EMPTY] if empty else []), *(_satisfied(one) for one in said)]
        cells = (
            escape.cell(row.assertion.id, 12),
            escape.sentence(row.assertion.text, 160),
            "<br>".join(by),
            advise(said) or _ADVICE_EMPTY,
        )
        yield f"| {' | '.join(cells)} |"


_EMPTY = "the words fit an empty answer (an output that is empty fails it all the same)"


def _said_of(row: AssertionScore, result: RunResult) -> Sequence[CanaryVerdict]:
    return result.canaries.satisfied_by(row.assertion.id) if result.canaries else ()


def _passed_by(row: AssertionScore, result: RunResult) -> Iterator[str]:
    for one in _said_of(row, result):
        if one.verdict == "pass":
            yield NAMES[one.canary]


def _satisfied(one: CanaryVerdict) -> str:
    partly = "" if one.verdict == "pass" else ", in part"
    reason = f": <sub>{escape.inline(one.reason, REASON)}</sub>" if one.reason else ""
    return f"{NAMES[one.canary]}{partly}{reason}"


def _without(result: RunResult) -> str:
    """The scores over what no canary passes, where that are not all."""
    if not find_flagged(result):
        return ""
    scores = find_scores_without(result)
    if scores is None:
        return "\n\nWithout what a false answer passes there is nothing left to score."
    tested, other = (words.phrase for words in words_of(result.spec))
    return (
        "\n\nThe score stands over all assertions. Without those that a false answer passes, "
        f"{numbers.plural(scores.assertions, 'assertion')} give "
        f"{numbers.percent(scores.tested)} {tested} and {numbers.percent(scores.other)} {other}."
    )


def _canary_notes(result: RunResult) -> Iterator[str]:
    check = result.canaries
    if check is None:
        return
    if check.problem:
        said = escape.message(escape.clip(check.problem, 300)).rstrip(".")
        yield f"Canaries: not checked, which says nothing about the eval case: {said}."
        return
    passed = len(check.passed_assertions)
    count = "none of" if not passed else f"{passed} of"
    own = check.paid_by in {result.spec.run_id, result.judging}
    paid = (
        f"cost: {cost([check.usage])}, in no figure above"
        if own
        else f"paid by run {escape.code(check.paid_by)}"
    )
    yield (
        f"Canaries: fluent words that answer nothing, and words to the judge, pass {count} "
        f"{numbers.plural(len(check.assertions), 'assertion')}; an empty answer fails all by rule. "
        f"Read once for this eval case by {escape.code(check.judge, 80)}, in a reading like any "
        f"other ({paid})."
    )


def _length_note(lengths: OutputLengths, result: RunResult) -> str:
    tested, other = (words.phrase for words in words_of(result.spec))
    of_trial = f" in trial {lengths.trial}" if result.trials else ""
    shown = ", ".join(
        f"{one.characters:,} characters in {numbers.plural(one.files, 'file')} {phrase}"
        for one, phrase in ((lengths.with_skill, tested), (lengths.without_skill, other))
    )
    if lengths.ratio is None:
        return f"Text that the judge was shown{of_trial}: {shown}."
    note = f"Text that the judge was shown{of_trial}: {shown}; {lengths.ratio:.1f} to 1."
    if lengths.ratio < TOLD_FROM:
        return note
    return f"⚠️ {note} Judges tend to like what is longer: look whether that is what was scored."
