"""The second half of a trial: both outputs blinded, read twice by each judge, scored.

A pass that was read is stored at once, so that a run carried out a second time asks the
judge only for what is missing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jobs.alongside import all_ended
from jobs.checks.merge import merge
from jobs.checks.verdict import MachineVerdict
from jobs.judging.blind import candidate_1_is, get_first_arm
from jobs.judging.candidates import Candidates, prepare_candidates
from jobs.judging.judge import ReadingSpec, Ungraded
from jobs.judging.judges import judges_of
from jobs.judging.panel import combine_judges
from jobs.judging.score import Scored, score_run
from jobs.keeping import begin, note_spent
from jobs.live_counting import SessionCounter, begin_reading
from jobs.reading_keys import PASSES, ReadingKey, reading_keys
from jobs.readings import JudgePass, LostReading, ScrubCount
from jobs.sessions.run_limits import judge_limits
from jobs.sessions.transcript import JsonlTranscript, Overheard, read_spent
from jobs.sessions.workspace import remove_tree
from jobs.values import Arm, Limits, RunSpec
from jobs.weak_evals.canary_check import OutputLengths
from jobs.weak_evals.lengths import measure_lengths
from jobs.world import RunWorld

NOTHING_SCRUBBED = ScrubCount(with_skill=0, without_skill=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What judging gave; `scored` is None where the trial stays ungraded for `reason`."""

    passes: tuple[JudgePass, ...] = ()
    lost: tuple[LostReading, ...] = ()
    scored: Scored | None = None
    reason: str | None = None
    scrubbed: ScrubCount = NOTHING_SCRUBBED
    lengths: OutputLengths | None = None
    """How much of both outputs the judge was shown; None where it was shown nothing."""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeInput:
    """What there is to judge."""

    spec: RunSpec
    outputs: dict[Arm, Path]
    """Each arm's collected output folder."""
    inputs: Path
    """The staged input files."""
    folder: Path
    """Where this run may write."""
    trial: int = 1
    machine: tuple[MachineVerdict, ...] = ()
    """What code found in this trial; it wins over the judge."""


async def judge_trial(given: JudgeInput, world: RunWorld) -> Judged:
    """All readings at once, each over scrubbed copies of its own, then the scores."""
    spec = given.spec
    first = candidate_1_is(spec.eval_case.id, spec.skill.sha, spec.arms)
    keys = reading_keys(spec, [given.trial])
    copies = [await asyncio.to_thread(_copy, key, given, first) for key in keys]
    lengths = await asyncio.to_thread(
        measure_lengths, copies[0], tested_first=first is spec.arms[0], trial=given.trial
    )
    share = _limits(spec, world).cost_usd
    for key in keys:
        if not await world.blobs.exists(f"{_kept(key, spec)}.json"):
            await begin(key.step, spec, share, world)
    readings = await all_ended(
        _read(key, candidates, given, world) for key, candidates in zip(keys, copies, strict=True)
    )
    outcome = _score(given, first, readings)
    scored = None if isinstance(outcome, Ungraded) else outcome
    return Judged(
        passes=tuple(one for one in readings if isinstance(one, JudgePass)),
        lost=_lost(keys, readings),
        scored=scored,
        reason=outcome.reason if isinstance(outcome, Ungraded) else None,
        scrubbed=copies[0].counts,
        lengths=lengths,
        remarks=(*copies[0].remarks, *(scored.remarks if scored else ())),
    )


def _copy(key: ReadingKey, given: JudgeInput, first: Arm) -> Candidates:
    """The scrubbed copies for one reading; a trial that is judged once more leaves older ones."""
    folder = given.folder / key.step
    remove_tree(folder)
    return prepare_candidates(
        given.outputs,
        given.spec.eval_case,
        given.spec.skills,
        folder,
        get_first_arm(key.number, first),
    )


def _score(
    given: JudgeInput, first: Arm, readings: Sequence[JudgePass | Ungraded]
) -> Scored | Ungraded:
    """What every judge says by itself, with what code found in its place, and then together."""
    spec = given.spec
    panel = [readings[at : at + len(PASSES)] for at in range(0, len(readings), len(PASSES))]
    outcomes = [
        score_run(
            spec.eval_case,
            first,
            of_judge,
            lambda rows: merge(rows, spec.eval_case, given.machine, spec.arms),
        )
        for of_judge in panel
    ]
    return combine_judges(outcomes, [judge.sent for judge in judges_of(spec)])


async def _read(
    key: ReadingKey, candidates: Candidates, given: JudgeInput, world: RunWorld
) -> JudgePass | Ungraded:
    """One pass, or what is stored of it from an earlier attempt at the same run."""
    spec, kept = given.spec, _kept(key, given.spec)
    path = given.folder / key.transcript
    judge = judges_of(spec)[key.judge - 1]
    begun = begin_reading(key, judge, world.clock())
    counter = SessionCounter(spec.run_id, begun, world.live, world.clock)
    stored = await world.blobs.get(f"{kept}.json")
    if stored is not None:
        counter.end("read")
        told = await world.blobs.get(f"{kept}.jsonl")
        await asyncio.to_thread(path.write_bytes, told or b"")
        return JudgePass.model_validate_json(stored)
    # what an earlier try at it had spent is noted for that one
    await asyncio.to_thread(path.unlink, missing_ok=True)
    try:
        with JsonlTranscript(path) as transcript:
            reading = await world.judge.read(
                ReadingSpec(
                    number=key.number,
                    candidates=candidates.folder,
                    case=spec.eval_case,
                    inputs=given.inputs,
                    judge=judge,
                    limits=_limits(spec, world),
                ),
                Overheard(transcript, counter.take),
            )
    finally:  # also of a reading that is stopped
        spent = await asyncio.to_thread(read_spent, path)
        await note_spent(key.step, spec, spent, world)
    counter.end("read" if isinstance(reading, JudgePass) else "lost")
    if isinstance(reading, JudgePass):
        reading = reading.model_copy(update={"trial": key.trial, "judge": key.judge})
        await world.blobs.put(f"{kept}.jsonl", path)
        await world.blobs.put(f"{kept}.json", reading.model_dump_json().encode())
    return reading


def _limits(spec: RunSpec, world: RunWorld) -> Limits:
    return judge_limits(world.settings, spec.shares, len(judges_of(spec)))


def _kept(key: ReadingKey, spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/{key.step}"


def _lost(
    keys: Sequence[ReadingKey], readings: Sequence[JudgePass | Ungraded]
) -> tuple[LostReading, ...]:
    return tuple(
        LostReading(
            number=key.number,
            reason=reading.reason,
            usage=reading.usage,
            raw_answers=reading.raw_answers,
            trial=key.trial,
            judge=key.judge,
        )
        for key, reading in zip(keys, readings, strict=True)
        if isinstance(reading, Ungraded)
    )
