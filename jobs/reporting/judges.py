"""What a report says of its judge: how steady it is, what it could not verify, whose kind it is."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from jobs.judging.agreement import find_agreement, find_position_bias, find_swap_kappa
from jobs.judging.blind import call_outputs
from jobs.judging.family import find_relatives
from jobs.judging.judges import judges_of
from jobs.judging.panel import find_panel_alpha, score_by_judge
from jobs.readings import JudgeAgreement, Verdict
from jobs.reporting import escape, numbers
from jobs.reporting.arm_words import words_of
from jobs.reporting.conclusion import sign
from jobs.results import RunResult
from jobs.scores import AssertionScore
from jobs.values import RunSpec

MOST_NAMED = 6
"""Assertions that one note names."""
_REASON = 300
_NAME = 80


def judge_notes(result: RunResult) -> list[str]:
    """The notes on how far the judge can be trusted, for the part on the judging."""
    return [
        *_panel_notes(result),
        *_agreement_notes(result),
        *_unverified_notes(result),
        *_family_notes(result),
    ]


def name_judges(spec: RunSpec) -> str:
    """The judge's model, or those of the whole panel."""
    return ", ".join(escape.code(judge.sent, _NAME) for judge in judges_of(spec))


def render_agreement(agreement: JudgeAgreement) -> str:
    """How far readings in both orders agree, and what standing first was worth.

    `agree on 10 of 12 verdicts (83.3%, kappa 0.64); standing first was worth +4.2 points …`.
    """
    share = numbers.percent(agreement.agreed / agreement.verdicts)
    kappa = find_swap_kappa(agreement)
    beyond = "" if kappa is None else f", kappa {kappa:.2f}"
    said = f"agree on {agreement.agreed} of {agreement.verdicts} verdicts ({share}{beyond})"
    bias = find_position_bias(agreement)
    if bias is None:
        return said
    return (
        f"{said}; standing first was worth {numbers.signed_points(bias.points / 100)}: better in "
        f"{bias.better} and worse in {bias.worse} of {bias.compared}"
    )


def warn_of_judge(result: RunResult) -> list[str]:
    """What the health line warns of: what could not be verified, above all where it decides."""
    rows = [row for row in result.assertions if len(row.counted) < len(row.with_skill)]
    if not rows:
        return []
    count = numbers.plural(len(rows), "assertion")
    if _turns(result):
        return [f"{count} could not be verified, which may have turned the result"]
    wholly = all(not row.counted for row in rows)
    return [f"{count} could not be verified{'' if wholly else ' in every reading'}"]


def name_relatives(result: RunResult) -> str:
    """`judge of the same family (Claude)`; empty where it is of another, or nobody knows."""
    families = _find_relatives(result)
    if not families:
        return ""
    shown = ", ".join(escape.inline(one, 60) for one in families)
    return f"judge and model are of one family ({shown})"


def _panel_notes(result: RunResult) -> Iterator[str]:
    """What each judge of a panel says by itself, and how far they agree."""
    judges = judges_of(result.spec)
    if len(judges) == 1:
        return
    scores = score_by_judge(result.assertions, len(judges))
    tested, other = (words.phrase for words in words_of(result.spec))
    for number, judge in enumerate(judges, start=1):
        name = f"Judge {number} of {len(judges)}, {escape.code(judge.sent, _NAME)}"
        both = scores[number]
        if both is None:
            yield f"⚠️ {name}: no score, so it has no part in that of the run."
            continue
        having, lacking = (numbers.percent(one.score) for one in both)
        agreement = find_agreement(one for one in result.passes if one.judge == number)
        said = f"; its readings {render_agreement(agreement)}" if agreement else ""
        yield f"{name}: {having} {tested}, {lacking} {other}{said}."
    alpha = find_panel_alpha(result.passes, result.candidate_1_is)
    if alpha is not None:
        yield f"Between the judges Krippendorff's alpha is {alpha:.2f} (1: they always agree)."


def _agreement_notes(result: RunResult) -> Iterator[str]:
    if result.agreement is not None and result.agreement.verdicts:
        yield f"Readings in both orders {render_agreement(result.agreement)}."


def _unverified_notes(result: RunResult) -> Iterator[str]:
    """Each assertion that a reading could not verify, with the judge's reason."""
    tested, other = (words.phrase for words in words_of(result.spec))
    rows = [row for row in result.assertions if len(row.counted) < len(row.with_skill)]
    for row in rows[:MOST_NAMED]:
        for verdicts, phrase in ((row.with_skill, tested), (row.without_skill, other)):
            said = [one for one in verdicts if one.worth is None]
            if said:
                yield _unverified_note(row, phrase, said, len(verdicts))
    if len(rows) > MOST_NAMED:
        yield f"{len(rows) - MOST_NAMED} more could not be verified."
    if rows and _turns(result):
        yield (
            "⚠️ Had what could not be verified counted as a fail, the difference would be "
            f"{numbers.signed_points(_find_strict(result))}. Ask for what the outputs themselves "
            "can show."
        )


def _unverified_note(
    row: AssertionScore, phrase: str, said: Sequence[Verdict], readings: int
) -> str:
    some = len(said) < readings
    often = f" in {len(said)} of {readings} readings, so there" if some else ", so"
    reason = escape.sentence(call_outputs(said[0]), _REASON).rstrip(".")
    name = escape.inline(row.assertion.id, 12)
    return f"Could not be verified: {name} {phrase}{often} it counts for neither: {reason}."


def _turns(result: RunResult) -> bool:
    """Whether the difference has another sign once what could not be verified is a fail."""
    return result.difference is not None and sign(_find_strict(result)) != sign(result.difference)


def _find_strict(result: RunResult) -> float:
    """The difference of the scores in which that is a fail."""
    return fmean(
        fmean(one.worth or 0 for one in row.with_skill)
        - fmean(one.worth or 0 for one in row.without_skill)
        for row in result.assertions
    )


def _family_notes(result: RunResult) -> Iterator[str]:
    families = _find_relatives(result)
    if families:
        shown = ", ".join(escape.inline(one, 60) for one in families)
        yield (
            f"Judge and model are of one family ({shown}). Both arms had the same model, so this "
            "favours neither of them; how strict the judge is may differ from another family's."
        )


def _find_relatives(result: RunResult) -> list[str]:
    judges = [judge.sent for judge in judges_of(result.spec)]
    return find_relatives(judges, [result.spec.model.sent])
