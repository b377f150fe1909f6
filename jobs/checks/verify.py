"""What code says of both outputs of a trial: checks and the plain among the assertions.

Commands cost no money, but time, so what they found is stored, like every other step of a run.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from jobs.alongside import all_ended
from jobs.checks.facts import tell
from jobs.checks.files import OutputFolder
from jobs.checks.plain import recognise
from jobs.checks.running import CheckRunner
from jobs.checks.verdict import MachineVerdict
from jobs.keeping import MOST_LOST
from jobs.sessions.prepared import Prepared
from jobs.values import Arm, Assertion, RunSpec
from jobs.world import RunWorld

_VERDICTS = TypeAdapter(tuple[MachineVerdict, ...])


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutputs:
    """What there is to verify."""

    spec: RunSpec
    outputs: Mapping[Arm, Path]
    """Each arm's collected output folder, as the session left it."""
    inputs: Path
    files: Path
    """The staged files that checks name."""
    prepared: Prepared
    folder: Path
    """Where this run may write."""
    trial: int


async def verify_trial(given: TrialOutputs, world: RunWorld) -> tuple[MachineVerdict, ...]:
    """The verdicts of code on both outputs, or what is stored of them from an earlier attempt.

    Commands with which three workers were lost are not begun again: they count as not measured.
    Raises nothing but `CancelledError`, and `Transient` where nothing can be stored.
    """
    if not given.spec.eval_case.checks:  # what is read off the files alone need not be kept
        return await _verify(given, world)
    key = f"runs/{given.spec.run_id}/checks-{given.trial}"
    stored = await world.blobs.get(f"{key}.json")
    if stored is not None:
        return _VERDICTS.validate_json(stored)
    begun = int(await world.blobs.get(f"{key}.begun") or 0)
    await world.blobs.put(f"{key}.begun", str(begun + 1).encode())
    try:
        verdicts = await _verify(given, world, is_given_up=begun >= MOST_LOST)
    except asyncio.CancelledError:  # a worker that was told to leave was not lost
        await world.blobs.put(f"{key}.begun", str(begun).encode())
        raise
    await world.blobs.put(f"{key}.json", _VERDICTS.dump_json(verdicts))
    return verdicts


async def _verify(
    given: TrialOutputs, world: RunWorld, *, is_given_up: bool = False
) -> tuple[MachineVerdict, ...]:
    found = await all_ended(
        _verify_arm(arm, output, given, world, is_given_up=is_given_up)
        for arm, output in given.outputs.items()
    )
    return tuple(
        one.model_copy(update={"trial": given.trial}) for verdicts in found for one in verdicts
    )


async def _verify_arm(
    arm: Arm, output: Path, given: TrialOutputs, world: RunWorld, *, is_given_up: bool
) -> list[MachineVerdict]:
    case = given.spec.eval_case
    plain = await asyncio.to_thread(_verify_plain, case.assertions, output, arm)
    if not case.checks:
        return plain
    if is_given_up:
        reason = f"Not measured: {MOST_LOST} workers were lost with the checks of this trial."
        return plain + [
            MachineVerdict(assertion=one.id, arm=arm, verdict=None, found=reason)
            for one in case.checks
        ]
    settings = world.settings
    runner = CheckRunner(
        sandboxes=world.sandboxes,
        prepared=given.prepared,
        memory_mb=settings.session_memory_mb,
        timeout_s=settings.check_timeout.total_seconds(),
        inputs=given.inputs,
        files=given.files,
        scratch=given.folder / "checks",
    )
    return plain + await runner.run(case.checks, output, arm)


def _verify_plain(
    assertions: tuple[Assertion, ...], output: Path, arm: Arm
) -> list[MachineVerdict]:
    """Verdicts on the assertions that code can read and answer; the others are the judge's."""
    verdicts = []
    for assertion in assertions:
        if not (claims := recognise(assertion.text)):
            continue
        told = tell(claims, OutputFolder(output))
        word = None if told.holds is None else "pass" if told.holds else "fail"
        verdicts.append(
            MachineVerdict(assertion=assertion.id, arm=arm, verdict=word, found=told.found)
        )
    return verdicts
