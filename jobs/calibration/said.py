"""What the judge said of one assertion for one arm's output, and the scores with people's words.

The score of a run is the judge's and stays so: whoever reads several runs must be able to hold
them against each other, and not all were read by a person. What the score would be with the words
of people stands beside it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from jobs.calibration.people import About, PersonVerdict, RunVerdicts
from jobs.judging.score import score_arms
from jobs.planning.dedup import record_of
from jobs.readings import Verdict
from jobs.results import RunRecord, RunResult
from jobs.scores import AssertionScore
from jobs.values import Arm, RunSpec, VerdictWord

SPLIT = "split"
"""In place of a verdict where the judge's readings differ."""


def read_trials(result: RunResult) -> dict[int, tuple[AssertionScore, ...]]:
    """The assertions of each trial that has a score, by its number."""
    if not result.trials:
        return {1: result.assertions} if result.assertions else {}
    return {one.number: one.assertions for one in result.whole_trials}


def get_verdicts(row: AssertionScore, arm: Arm, spec: RunSpec) -> tuple[Verdict, ...]:
    """The verdicts on one arm's output, a reading each."""
    return row.with_skill if arm is spec.arms[0] else row.without_skill


def get_judge_words(verdicts: Sequence[Verdict]) -> tuple[VerdictWord, ...]:
    """What the judge itself said, a reading each; nothing where only code was asked."""
    said = (one.judge_said if one.by_machine else one.verdict for one in verdicts)
    return tuple(word for word in said if word is not None)


def get_one_word(words: Sequence[str]) -> str:
    """What several readings say together: their one word, or that they are split."""
    said = set(words)
    return words[0] if len(said) == 1 else SPLIT


def count_people(result: RunResult, people: RunVerdicts) -> dict[str, int]:
    """How often which words of a person and of the judge met, as `RunRecord.people`."""
    rows = {
        (trial, row.assertion.id): row
        for trial, scored in read_trials(result).items()
        for row in scored
    }
    pairs: Counter[str] = Counter()
    for one in people.current.values():
        row = rows.get((one.trial, one.assertion))
        judge = get_judge_words(get_verdicts(row, one.arm, result.spec)) if row else ()
        if judge:
            pairs[f"{one.verdict}/{get_one_word(judge)}"] += 1
    return dict(sorted(pairs.items()))


def record_with(result: RunResult, people: RunVerdicts | None) -> RunRecord:
    """The record of a run with what people said of it."""
    record = record_of(result)
    return record.model_copy(update={"people": count_people(result, people)}) if people else record


def find_scores_with(
    result: RunResult, current: Mapping[About, PersonVerdict]
) -> tuple[float, float] | None:
    """The scores of both arms, as fractions, were people's verdicts in place of the judge's.

    None where people leave nothing to score: all of it could not be verified.
    """
    tested, other = result.spec.arms
    scores: list[tuple[float, float]] = []
    for trial, rows in read_trials(result).items():
        replaced = [
            row.model_copy(
                update={
                    "with_skill": _replaced(row, tested, trial, result.spec, current),
                    "without_skill": _replaced(row, other, trial, result.spec, current),
                }
            )
            for row in rows
        ]
        found = score_arms(replaced)
        if found is not None:
            scores.append((found[0].score, found[1].score))
    if not scores:
        return None
    return fmean(one for one, _ in scores), fmean(one for _, one in scores)


def _replaced(
    row: AssertionScore,
    arm: Arm,
    trial: int,
    spec: RunSpec,
    current: Mapping[About, PersonVerdict],
) -> tuple[Verdict, ...]:
    verdicts = get_verdicts(row, arm, spec)
    said = current.get(About(row.assertion.id, arm, trial))
    if said is None:
        return verdicts
    return tuple(one.model_copy(update={"verdict": said.verdict}) for one in verdicts)
