"""Which assertions tell the arms apart, and which tell little, from what past runs left behind."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.blobs import Blobs
from jobs.dashboard.assertions import MOST_EVALS, find_assertion_notes
from jobs.dashboard.values import AssertionNote
from jobs.planning.dedup import record_of
from jobs.results import RunRecord, RunResult
from jobs.weak_evals.canary_check import CanaryCheck, CanaryVerdict
from tests.builders import NOON, a_pass, a_repo, a_skill, an_eval_case
from tests.jobs.weak_evals.test_weakness import CASE, FF, FIRST, NN, PF, PP, a_run, trials_of


async def keep(folder: Path, *runs: RunResult) -> tuple[list[RunRecord], Blobs]:
    """Runs that ended one after the other, as the ledger and the store know them."""
    blobs, records = Blobs(folder.as_uri()), []
    for number, run in enumerate(runs):
        later = run.model_copy(update={"ended_at": NOON + timedelta(hours=number)})
        key = f"runs/{run.spec.run_id}/ended.json"
        await blobs.put(key, later.model_dump_json().encode())
        records.append(record_of(later))
    return records, blobs


async def notes_on(folder: Path, *runs: RunResult) -> list[AssertionNote]:
    """What is noted of the first assertion."""
    records, blobs = await keep(folder, *runs)
    notes = await find_assertion_notes(records, blobs)
    return [one for one in notes if one.assertion == FIRST.id]


def better(count: int, first: int = 0, **changes: Any) -> list[RunResult]:
    """Runs in which both readings pass with the skill alone."""
    return [a_run(PP, FF, first + number, **changes) for number in range(count)]


async def test_an_assertion_that_passes_with_the_skill_alone_five_times_discriminates(
    tmp_path: Path,
) -> None:
    [note] = await notes_on(tmp_path, *better(5))
    assert note == AssertionNote(
        eval_id=CASE.id,
        assertion=FIRST.id,
        text=FIRST.text,
        kind="discriminating",
        with_skill=1.0,
        without_skill=0.0,
        readings=10,
        why="better met with the skill in 5 of 5 trials, worse in 0 (p = 0.031)",
    )


async def test_four_times_may_be_chance(tmp_path: Path) -> None:
    assert await notes_on(tmp_path, *better(4)) == []


async def test_one_trial_the_other_way_takes_three_more(tmp_path: Path) -> None:
    """Six of seven are 0.0625 by chance, seven of eight 0.035."""
    other = a_run(FF, PP, 90)
    assert await notes_on(tmp_path / "seven", *better(6), other) == []
    [note] = await notes_on(tmp_path / "eight", *better(7), other)
    assert (note.kind, note.readings) == ("discriminating", 16)
    assert (note.with_skill, note.without_skill) == (0.875, 0.125)


async def test_what_passes_without_the_skill_alone_is_not_what_is_meant(tmp_path: Path) -> None:
    assert await notes_on(tmp_path, *(a_run(FF, PP, number) for number in range(8))) == []


async def test_half_a_point_more_in_each_trial_counts_as_a_trial(tmp_path: Path) -> None:
    """One of two readings passes with the skill, none without it."""
    [*_, note] = await notes_on(tmp_path, *(a_run(PF, FF, number) for number in range(5)))
    assert (note.kind, note.with_skill, note.without_skill) == ("discriminating", 0.5, 0.0)


async def test_one_run_discriminates_nothing_however_many_trials_it_has(tmp_path: Path) -> None:
    many = trials_of(*[(PP, FF)] * 8, run_id="a" * 12)
    assert await notes_on(tmp_path / "one", many) == []
    [note] = await notes_on(tmp_path / "two", many, a_run(PP, PP, 1))
    assert note.why == "better met with the skill in 8 of 9 trials, worse in 0 (p = 0.0039)"


async def test_readings_that_could_verify_nothing_are_no_readings(tmp_path: Path) -> None:
    [note] = await notes_on(tmp_path, *better(5), a_run(NN, FF, 9))
    assert (note.readings, note.with_skill) == (10, 1.0)


async def test_judges_are_not_pooled(tmp_path: Path) -> None:
    """Five runs by one and one by the next say as much as one."""
    newer = a_run(PP, FF, 9).model_copy(update={"passes": (a_pass(1, served_model="newer"),)})
    older = [a_run(PP, FF, number) for number in range(5)]
    assert await notes_on(tmp_path / "newest", *older, newer) == []
    [note] = await notes_on(tmp_path / "before", newer, *older)
    assert note.readings == 10


@pytest.mark.parametrize(
    "changes",
    [
        {"vs": f"sha:{'b' * 64}", "other": a_skill(sha="b" * 64)},
        {"pull": 7},
        {"eval_case": an_eval_case(should_load=False)},
        {"repo": a_repo(owner="strangers")},
    ],
)
async def test_what_is_no_comparison_with_no_skill_discriminates_nothing(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Two versions; a pull request; a skill that must stay dormant; another repository's blob."""
    records, blobs = await keep(tmp_path, *better(6, **changes))
    mine = [one.model_copy(update={"repo": a_repo().full_name}) for one in records]
    assert await find_assertion_notes(mine, blobs) == ()


async def test_a_weak_one_tells_what_was_seen_and_what_to_do(tmp_path: Path) -> None:
    [note] = await notes_on(tmp_path, a_run(PP, PP), a_run(PP, PP, 1))
    assert (note.kind, note.with_skill, note.without_skill, note.readings) == ("weak", 1.0, 1.0, 4)
    assert note.why.startswith("passed in both arms of all 2 past runs: it tells nothing apart")


async def test_one_may_tell_the_arms_apart_and_be_weak(tmp_path: Path) -> None:
    """Better in all five trials of which three would do, and passed only now and then."""
    runs = [*better(6), a_run(FF, FF, 7), a_run(FF, FF, 8)]
    weak, discriminating = await notes_on(tmp_path, *runs)
    assert (weak.kind, discriminating.kind) == ("weak", "discriminating")
    assert weak.why.startswith("passed in 6 of 8 trials under the same conditions")


async def test_shares_of_what_was_never_held_against_no_skill_are_unknown(tmp_path: Path) -> None:
    records, blobs = await keep(tmp_path, a_run(PP, FF, vs="self", other=a_skill()))
    said = CanaryVerdict(assertion=FIRST.id, canary="fluent", verdict="pass")
    check = CanaryCheck(judge="j", prompt_version="p", assertions=(FIRST.id,), satisfied=(said,))
    await blobs.put(f"canaries/{CASE.digest}/newest.json", check.model_dump_json().encode())
    [note] = await find_assertion_notes(records, blobs)
    assert (note.kind, note.with_skill, note.without_skill) == ("weak", None, None)
    assert note.readings == 0


async def test_runs_that_were_swept_leave_nothing_to_say(tmp_path: Path) -> None:
    records, _ = await keep(tmp_path / "swept", *better(5))
    assert await find_assertion_notes(records, Blobs((tmp_path / "empty").as_uri())) == ()
    assert await find_assertion_notes([], Blobs((tmp_path / "empty").as_uri())) == ()


async def test_the_order_of_records_changes_nothing(tmp_path: Path) -> None:
    records, blobs = await keep(tmp_path, *better(5), *_of_cases(3))
    notes = await find_assertion_notes(records, blobs)
    assert await find_assertion_notes(records[::-1], blobs) == notes
    assert [one.eval_id for one in notes] == sorted(one.eval_id for one in notes)


async def test_only_the_eval_cases_that_were_measured_last_are_looked_at(tmp_path: Path) -> None:
    records, blobs = await keep(tmp_path, *_of_cases(MOST_EVALS + 1))
    looked_at = {one.eval_id for one in await find_assertion_notes(records, blobs)}
    assert len(looked_at) == MOST_EVALS
    assert "case 00" not in looked_at


def _of_cases(count: int) -> Sequence[RunResult]:
    """Two runs of each of so many eval cases, with a weak assertion."""
    return [
        a_run(
            PP,
            PP,
            1_000 + 2 * case + number,
            eval_case=an_eval_case(id=f"case {case:02}", digest=f"{case:064}"),
        )
        for case in range(count)
        for number in range(2)
    ]
