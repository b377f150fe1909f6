"""The second half of a trial: both outputs blinded, read twice, scored.

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
from jobs.judging.blind import PassNumber, candidate_1_is, get_first_arm
from jobs.judging.candidates import Candidates, prepare_candidates
from jobs.judging.judge import ReadingSpec, Ungraded
from jobs.judging.score import Scored, score_run
from jobs.keeping import begin, note_spent
from jobs.readings import JudgePass, LostReading
from jobs.results import ScrubCount
from jobs.sessions.run_limits import judge_limits
from jobs.sessions.transcript import JsonlTranscript, read_spent
from jobs.values import Arm, RunSpec
from jobs.weak_evals.canary_check import OutputLengths
from jobs.weak_evals.lengths import measure_lengths
from jobs.world import RunWorld

NOTHING_SCRUBBED = ScrubCount(with_skill=0, without_skill=0)
PASSES: tuple[PassNumber, PassNumber] = (1, 2)


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
    """Both passes at once, each over scrubbed copies of its own, then the scores."""
    spec = given.spec
    first = candidate_1_is(spec.eval_case.id, spec.skill.sha, spec.arms)
    copies = [
        await asyncio.to_thread(
            prepare_candidates,
            given.outputs,
            spec.eval_case,
            spec.skills,
            given.folder / pass_step(number, given.trial),
            get_first_arm(number, first),
        )
        for number in PASSES
    ]
    lengths = await asyncio.to_thread(
        measure_lengths, copies[0], tested_first=first is spec.arms[0], trial=given.trial
    )
    share = judge_limits(world.settings, spec.shares).cost_usd
    for number in PASSES:
        if not await world.blobs.exists(f"{_kept(number, given)}.json"):
            await begin(pass_step(number, given.trial), spec, share, world)
    readings = await all_ended(
        _read(number, candidates, given, world)
        for number, candidates in zip(PASSES, copies, strict=True)
    )
    outcome = score_run(
        spec.eval_case,
        first,
        readings,
        lambda rows: merge(rows, spec.eval_case, given.machine, spec.arms),
    )
    scored = None if isinstance(outcome, Ungraded) else outcome
    return Judged(
        passes=tuple(one for one in readings if isinstance(one, JudgePass)),
        lost=_lost(readings, given.trial),
        scored=scored,
        reason=outcome.reason if isinstance(outcome, Ungraded) else None,
        scrubbed=copies[0].counts,
        lengths=lengths,
        remarks=(*copies[0].remarks, *(scored.remarks if scored else ())),
    )


async def _read(
    number: PassNumber, candidates: Candidates, given: JudgeInput, world: RunWorld
) -> JudgePass | Ungraded:
    """One pass, or what is stored of it from an earlier attempt at the same run."""
    key = _kept(number, given)
    path = judge_transcript(given.folder, number, given.trial)
    stored = await world.blobs.get(f"{key}.json")
    if stored is not None:
        told = await world.blobs.get(f"{key}.jsonl")
        await asyncio.to_thread(path.write_bytes, told or b"")
        return JudgePass.model_validate_json(stored)
    try:
        with JsonlTranscript(path) as transcript:
            reading = await world.judge.read(
                ReadingSpec(
                    number=number,
                    candidates=candidates.folder,
                    case=given.spec.eval_case,
                    inputs=given.inputs,
                    judge=given.spec.judge,
                    limits=judge_limits(world.settings, given.spec.shares),
                ),
                transcript,
            )
    finally:  # also of a reading that is stopped
        spent = await asyncio.to_thread(read_spent, path)
        await note_spent(pass_step(number, given.trial), given.spec, spent, world)
    if isinstance(reading, JudgePass):
        reading = reading.model_copy(update={"trial": given.trial})
        await world.blobs.put(f"{key}.jsonl", path)
        await world.blobs.put(f"{key}.json", reading.model_dump_json().encode())
    return reading


def _kept(number: PassNumber, given: JudgeInput) -> str:
    return f"runs/{given.spec.run_id}/{pass_step(number, given.trial)}"


def pass_step(number: PassNumber, trial: int) -> str:
    """The name under which a pass is begun and kept."""
    return f"pass-{number}{_of_trial(trial)}"


def judge_transcript(folder: Path, number: int, trial: int) -> Path:
    """Where the transcript of a judge's pass lies in a run's folder."""
    return folder / f"judge-{number}{_of_trial(trial)}.jsonl"


def _of_trial(trial: int) -> str:
    """What names of the first trial go without: older runs had no other."""
    return "" if trial == 1 else f"-trial-{trial}"


def _lost(readings: Sequence[JudgePass | Ungraded], trial: int) -> tuple[LostReading, ...]:
    return tuple(
        LostReading(
            number=number,
            reason=reading.reason,
            usage=reading.usage,
            raw_answers=reading.raw_answers,
            trial=trial,
        )
        for number, reading in zip(PASSES, readings, strict=True)
        if isinstance(reading, Ungraded)
    )
