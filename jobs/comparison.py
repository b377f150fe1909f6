"""One run, from two sessions to two scores.

Each finished step is stored under the run's id before the next one begins, so that
whoever carries the run out a second time pays for nothing twice. Nothing here talks to
GitHub, and nothing here knows how a session or a judge works inside.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from jobs.content.skills import SKILL_FILE, skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.staging import stage_inputs, stage_skill
from jobs.errors import OverBudget
from jobs.judging.blind import candidate_1_is
from jobs.keeping import (
    GivenUp,
    begin,
    find_ended,
    keep_ended,
    note_spent,
)
from jobs.left_over import adopt, offer, withdraw
from jobs.matched import find_mismatch, find_other_judges
from jobs.results import RunResult
from jobs.scoring import PASSES, Judged, JudgeInput, judge_run, judge_transcript
from jobs.sessions.bundle import read_bundle
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.sessions.run_limits import session_limits
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.transcript import read_spent
from jobs.sessions.workspace import remove_tree
from jobs.steps import TRIAL, arm_step, find_losses, render_losses, settle_ended
from jobs.values import Arm, RunSpec, SessionResult
from jobs.world import RunWorld

Moved = Callable[[str], Awaitable[None]]
"""Takes the news that the run has moved to another state."""


def _bundle_name(arm: Arm) -> str:
    return f"{arm}-{TRIAL}.zip"


_KEPT = (
    *(_bundle_name(arm) for arm in Arm),
    *(judge_transcript(Path(), number).name for number in PASSES),
)
"""Files in the folder of a run that publishing it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that has ended: its result, and the sessions' bundles for the archive."""

    result: RunResult
    bundles: dict[Arm, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Staged:
    """What both sessions are given, put in place once."""

    skill: Path
    skill_text: str
    inputs: Path
    withheld: tuple[str, ...]
    prepared: Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class _ArmWork:
    """A finished session: what it did, and its unpacked output."""

    session: SessionResult
    output: Path
    bundle: Path


async def run_comparison(
    spec: RunSpec,
    snapshot: Snapshot,
    world: RunWorld,
    moved: Moved,
    *,
    prepared: Prepared = PLAIN,
) -> Finished:
    """Carry out one run, its sessions in the environment `prepared`.

    Sets the run's ceiling aside before the first model call and settles what was really
    spent. A platform failure gives an ungraded result, it raises nothing. Raises
    `OverBudget` before anything is spent, `Refused` where a skill cannot be staged or the
    launcher cannot work in the environment.
    """
    if (ended := await find_finished(spec, world)) is not None:
        return ended
    folder = world.scratch / spec.run_id
    limits = session_limits(world.settings)
    for arm in Arm:
        await adopt(arm_step(arm), _bundle_name(arm), spec, limits, world)
    started_at = world.clock()
    staged = await asyncio.to_thread(_stage, spec, snapshot, folder / "staged", prepared)
    if not await _are_stored(spec, world):
        await world.launchers.get(spec.launcher).prove(prepared, folder / "proof")
    await world.budget.reserve(spec.run_id, spec.repo, world.settings.max_usd_per_run)
    await moved("running")
    arms, judged = await _run_and_judge(spec, staged, world, folder, moved)
    lost = await find_losses(arms, judged, spec, world)
    result = RunResult(
        spec=spec,
        started_at=started_at,
        ended_at=world.clock(),
        sessions=tuple(work.session for work in arms.values()),
        passes=judged.passes,
        lost_readings=judged.lost,
        candidate_1_is=candidate_1_is(spec.eval_case.id, spec.skill.sha),
        scrubbed=judged.scrubbed,
        assertions=judged.scored.assertions if judged.scored else (),
        with_skill=judged.scored.with_skill if judged.scored else None,
        without_skill=judged.scored.without_skill if judged.scored else None,
        ungraded_reason=judged.reason,
        environment=prepared.told,
        lost_attempts=lost.attempts,
        lost_usd=lost.usd,
        remarks=(
            *render_losses(lost),
            *_remarks(spec, staged),
            *find_other_judges(spec, judged.passes),
            *judged.remarks,
        ),
    )
    await keep_ended(result, {name: folder / name for name in _KEPT}, world)
    for arm in Arm:
        await withdraw(arm_step(arm), spec, limits, world)
    with suppress(OverBudget):  # known already, unless Redis was emptied within the run
        await world.budget.reserve(spec.run_id, spec.repo, world.settings.max_usd_per_run)
    await settle_ended(result, world)
    return Finished(result=result, bundles={arm: work.bundle for arm, work in arms.items()})


async def find_finished(spec: RunSpec, world: RunWorld) -> Finished | None:
    """The run as an earlier attempt left it, graded or not: only publishing had failed.

    The run's scratch folder is made anew, whether there is something to put into it or not.
    """
    folder = world.scratch / spec.run_id
    await asyncio.to_thread(remove_tree, folder)
    folder.mkdir(parents=True)
    result = await find_ended(spec, _KEPT, folder, world)
    if result is None:
        return None
    await settle_ended(result, world)
    arms = [session.arm for session in result.sessions]  # fewer where the run was given up
    return Finished(result=result, bundles={arm: folder / _bundle_name(arm) for arm in arms})


def _stage(spec: RunSpec, snapshot: Snapshot, folder: Path, prepared: Prepared) -> _Staged:
    folder.mkdir()
    withheld = stage_skill(snapshot, spec.skill, folder / "skill", spec.eval_case.withheld)
    stage_inputs(snapshot, spec.eval_case, folder)
    return _Staged(
        skill=folder / "skill",
        skill_text=snapshot.read_text(skill_path(spec.skill.path, SKILL_FILE)),
        inputs=folder / "input",
        withheld=withheld,
        prepared=prepared,
    )


async def _run_and_judge(
    spec: RunSpec, staged: _Staged, world: RunWorld, folder: Path, moved: Moved
) -> tuple[dict[Arm, _ArmWork], Judged]:
    """The sessions that there are, and what judging gave: a reason where it gave no score."""
    arms: dict[Arm, _ArmWork] = {}
    try:
        arms = await _run_arms(spec, staged, world, folder)
        sessions = tuple(work.session for work in arms.values())
        if reason := _why_not_scored(sessions) or find_mismatch(spec, sessions):
            return arms, Judged(reason=reason)
        await moved("judging")
        outputs = {arm: work.output for arm, work in arms.items()}
        given = JudgeInput(spec=spec, outputs=outputs, inputs=staged.inputs, folder=folder)
        return arms, await judge_run(given, world)
    except GivenUp as given_up:
        stored = [arm for arm in Arm if await world.blobs.exists(_stored_at(arm, spec))]
        found = {arm: await _run_arm(arm, spec, staged, world, folder) for arm in stored}
        return arms or found, Judged(reason=f"{given_up}.")


async def _run_arms(
    spec: RunSpec, staged: _Staged, world: RunWorld, folder: Path
) -> dict[Arm, _ArmWork]:
    """Both sessions, started together; one that fails leaves the other alone."""
    limits = session_limits(world.settings)
    for arm in Arm:
        if not await world.blobs.exists(_stored_at(arm, spec)):
            await begin(arm_step(arm), spec, limits.cost_usd, world)
    works = await asyncio.gather(*(_run_arm(arm, spec, staged, world, folder) for arm in Arm))
    return dict(zip(Arm, works, strict=True))


def _stored_at(arm: Arm, spec: RunSpec) -> str:
    return f"runs/{spec.run_id}/{_bundle_name(arm)}"


async def _are_stored(spec: RunSpec, world: RunWorld) -> bool:
    """Whether an earlier attempt at the run left both sessions, so that none has to start."""
    return all([await world.blobs.exists(_stored_at(arm, spec)) for arm in Arm])


async def _run_arm(
    arm: Arm, spec: RunSpec, staged: _Staged, world: RunWorld, folder: Path
) -> _ArmWork:
    """One session, or what is stored of it from an earlier attempt at the same run."""
    key = _stored_at(arm, spec)
    bundle = folder / _bundle_name(arm)
    stored = await world.blobs.get(key)
    if stored is not None:
        await asyncio.to_thread(bundle.write_bytes, stored)
    else:
        with_skill = arm is Arm.WITH_SKILL
        given = SessionSpec(
            arm=arm,
            run=spec,
            trial=TRIAL,
            skill_folder=staged.skill if with_skill else None,
            skill_text=staged.skill_text if with_skill else None,
            inputs_folder=staged.inputs,
            limits=session_limits(world.settings),
            bundle=bundle,
            scratch=folder / "sessions",
            prepared=staged.prepared,
        )
        await _run_session(given, key, world)
    unpacked = folder / f"{arm}-unpacked"
    session = await asyncio.to_thread(read_bundle, bundle, unpacked)
    return _ArmWork(session=session, output=unpacked / "output", bundle=bundle)


async def _run_session(given: SessionSpec, key: str, world: RunWorld) -> None:
    """One session, kept under `key` if it is scored; what it spent is noted in any case."""
    step, spec = arm_step(given.arm), given.run
    try:
        session = await world.launchers.get(spec.launcher).run(given)
    except asyncio.CancelledError:
        stopped = await asyncio.to_thread(read_spent, given.transcript)
        await note_spent(step, spec, stopped, world)
        raise
    spent = session.usage.cost_usd or Decimal(0)
    await note_spent(step, spec, spent, world)
    if session.scored:
        await world.blobs.put(key, given.bundle)
        await offer(step, spec, given.limits, spent, world)


def _why_not_scored(sessions: tuple[SessionResult, ...]) -> str | None:
    words = [
        f"the session {session.arm.value.replace('_', ' ')} ended as {session.end}"
        + (f" ({session.detail})" if session.detail else "")
        for session in sessions
        if not session.scored
    ]
    return "; ".join(words) + "." if words else None


def _remarks(spec: RunSpec, staged: _Staged) -> tuple[str, ...]:
    """What the reader must know about how the run was set up."""
    withheld = [f"Withheld from the session: `{path}`." for path in staged.withheld]
    return (*spec.skill.warnings, *spec.eval_case.remarks, *withheld)
