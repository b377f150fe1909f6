"""What past runs of a skill's eval cases say of their assertions: which tell the arms apart.

Reads the blob store alone, and so much of it at most: nothing is downloaded, and nothing asked of
a model. What is weak about an assertion is what `jobs.weak_evals` finds.
"""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from jobs.calibration.series import find_judge_served
from jobs.dashboard.sets import NO_SKILL
from jobs.dashboard.values import AssertionNote
from jobs.judging.judges import judged_by
from jobs.ports import BlobStore
from jobs.readings import Verdict
from jobs.reporting import numbers
from jobs.results import RunRecord, RunResult, leave_out_pulls
from jobs.statistics.signs import SignTest, find_sign_test
from jobs.values import Assertion
from jobs.weak_evals.past_runs import PastRuns, ResultReader, read_past_runs
from jobs.weak_evals.weakness import FEWEST_RUNS, Weakness, find_weak, list_seen

MOST_EVALS = 40
"""Eval cases of which past runs are read: those that were measured last."""
ALPHA = 0.05
"""How often at most an assertion is called discriminating that is as often met in either arm."""

Pair = tuple[Verdict, Verdict]
"""Of one reading: for the output with the skill, and for the one without."""


async def find_assertion_notes(
    records: Sequence[RunRecord], blobs: BlobStore
) -> tuple[AssertionNote, ...]:
    """Notes on assertions, by eval case in the order of their assertions.

    `records` are a skill's, in any order. Raises `Transient` where the store stays away.
    """
    meant = [one for one in leave_out_pulls(records) if one.should_load]
    by_eval: dict[str, list[RunRecord]] = defaultdict(list)
    for record in sorted(meant, key=lambda one: (one.ended_at, one.run), reverse=True):
        by_eval[record.eval_id].append(record)
    reader = ResultReader(blobs)
    notes: list[AssertionNote] = []
    for eval_id in sorted(list(by_eval)[:MOST_EVALS]):
        digest = by_eval[eval_id][0].eval_digest
        same = [one for one in reversed(by_eval[eval_id]) if one.eval_digest == digest]
        notes += make_notes(eval_id, await read_past_runs(digest, same, reader))
    return tuple(notes)


def make_notes(eval_id: str, past: PastRuns) -> list[AssertionNote]:
    """What these runs say of the assertions of one eval case; most say nothing of most."""
    compared = _list_compared(past.results)
    weaknesses = find_weak(past.assertions, past.results, past.check)
    notes = []
    for one in past.assertions:
        trials = [_list_trials(result, one) for result in compared]
        weak = [each for each in weaknesses if each.assertion.id == one.id]
        notes += _make_notes(eval_id, one, trials, weak)
    return notes


def _make_notes(
    eval_id: str,
    one: Assertion,
    runs: Sequence[Sequence[Sequence[Pair]]],
    weak: Sequence[Weakness],
) -> list[AssertionNote]:
    """Of one assertion: `runs` holds for each run its trials, for each trial its readings."""
    trials = [trial for run in runs for trial in run]
    pairs = [pair for trial in trials for pair in trial]
    note = AssertionNote(
        eval_id=eval_id,
        assertion=one.id,
        text=one.text,
        kind="weak",
        with_skill=_share([tested for tested, _ in pairs]),
        without_skill=_share([other for _, other in pairs]),
        readings=len(pairs),
        why="; ".join(f"{each.what}: {each.advice}" for each in weak),
    )
    notes = [note] if weak else []
    signs = find_sign_test([_find_difference(trial) for trial in trials])
    is_shown = signs.p_higher is not None and signs.p_higher <= ALPHA
    if is_shown and sum(map(bool, runs)) >= FEWEST_RUNS:
        notes.append(note.model_copy(update={"kind": "discriminating", "why": _tell(signs)}))
    return notes


def _list_compared(results: Sequence[RunResult]) -> list[RunResult]:
    """The runs against no skill that were judged as the newest of them: judges are not pooled."""
    against = [one for one in results if one.spec.vs == NO_SKILL]
    return [one for one in against if _judged(one) == _judged(against[0])]


def _judged(result: RunResult) -> tuple[str, str]:
    """Who judged a run, as far as is known, with which prompt."""
    prompt = next((one.prompt_version for one in result.passes), "")
    return find_judge_served(result.passes) or judged_by(result.spec), prompt


def _list_trials(result: RunResult, one: Assertion) -> list[list[Pair]]:
    """Readings of an assertion that could be verified for both arms, trial by trial."""
    trials = [list(seen.row.counted) for seen in list_seen(result, one.id)]
    return [trial for trial in trials if trial]


def _find_difference(trial: Sequence[Pair]) -> float:
    """What a trial's readings gave the arm with the skill more, from -1 to 1."""
    return fmean((tested.worth or 0) - (other.worth or 0) for tested, other in trial)


def _share(verdicts: Sequence[Verdict]) -> float | None:
    """Share of passes; None where nothing was read."""
    return fmean(one.verdict == "pass" for one in verdicts) if verdicts else None


def _tell(signs: SignTest) -> str:
    trials = numbers.plural(signs.wins + signs.ties + signs.losses, "trial")
    return (
        f"better met with the skill in {signs.wins} of {trials}, worse in {signs.losses} "
        f"(p = {signs.p_higher:.2g})"
    )
