"""One trial of a run: a session in each arm, started together, then both judged blind.

Where a kept session may stand in for the arm without a skill, the other one runs first, and the
kept one is held against what it met (`jobs.baselines`).

Each finished step is stored under the run's id before the next one begins, so that whoever
carries the trial out a second time pays for nothing twice.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from jobs.alongside import all_ended
from jobs.baselines.kept import KeptSession
from jobs.baselines.using import take
from jobs.checks.verdict import MachineVerdict
from jobs.checks.verify import TrialOutputs, verify_trial
from jobs.health.skill_free import SkillMark
from jobs.keeping import GivenUp, begin, note_spent
from jobs.left_over import offer
from jobs.live_counting import SessionCounter, begin_arm, read_ended
from jobs.matched import ARM_NAMES, find_mismatch
from jobs.scoring import Judged, JudgeInput, judge_trial
from jobs.sessions.attempts import PLATFORM_ENDS
from jobs.sessions.bundle import TRANSCRIPT, read_bundle
from jobs.sessions.prepared import Prepared
from jobs.sessions.run_limits import session_limits
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.transcript import read_spent
from jobs.sessions.workspace import remove_tree
from jobs.steps import SessionKey, stored_at
from jobs.values import Arm, RunSpec, SessionResult
from jobs.world import RunWorld


class Moved(Protocol):
    """Takes the news that the run has moved to another state."""

    def __call__(self, state: str, detail: str = "", /) -> Awaitable[None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedSkill:
    """A version of the skill as sessions are given it."""

    folder: Path
    text: str
    """What its SKILL.md says."""
    withheld: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """What all sessions of a run are given, put in place once."""

    skills: Mapping[Arm, StagedSkill]
    """Of each arm that has one."""
    inputs: Path
    check_files: Path
    """What the commands among the checks name."""
    prepared: Prepared
    absent: SkillMark | None
    """The skill that the arm without one must be free of; None where both arms have one."""
    remarks: tuple[str, ...] = ()
    """What the reader must know of what was staged."""

    @property
    def skill_texts(self) -> list[str]:
        """What the SKILL.md of each arm says that has one."""
        return [skill.text for skill in self.skills.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmWork:
    """A finished session: what it did, and its unpacked output."""

    session: SessionResult
    output: Path
    bundle: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial that has ended: the sessions that there are, and what judging gave."""

    number: int
    works: Mapping[Arm, ArmWork]
    judged: Judged
    machine: tuple[MachineVerdict, ...] = ()
    """What code found in both outputs."""

    @property
    def sessions(self) -> tuple[SessionResult, ...]:
        return tuple(work.session for work in self.works.values())

    @property
    def is_lost(self) -> bool:
        """Whether a platform took a session or a reading of it, so that it may be had yet."""
        ends = {session.end for session in self.sessions}
        return bool(ends & PLATFORM_ENDS or self.judged.lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRunner:
    """Runs the trials of one run, one after the other."""

    spec: RunSpec
    staged: Staged
    folder: Path
    """Where this run may write."""
    world: RunWorld
    moved: Moved
    kept: Mapping[int, KeptSession]
    """By trial, the kept session that may stand in for the arm without a skill."""

    async def run(self, number: int) -> Trial:
        """One trial; a reason stands in place of a score where it came to none."""
        works: dict[Arm, ArmWork] = {}
        machine: tuple[MachineVerdict, ...] = ()
        try:
            await self._tell("running", number)
            works = await self._run_arms(number)
            sessions = tuple(work.session for work in works.values())
            if reason := _why_not_scored(sessions) or find_mismatch(self.spec, sessions):
                return Trial(number=number, works=works, judged=Judged(reason=reason))
            await self._tell("judging", number)
            outputs = {arm: work.output for arm, work in works.items()}
            machine = await self._verify(outputs, number)
            given = JudgeInput(
                spec=self.spec,
                outputs=outputs,
                inputs=self.staged.inputs,
                folder=self.folder,
                trial=number,
                machine=machine,
            )
            judged = await judge_trial(given, self.world)
            return Trial(number=number, works=works, judged=judged, machine=machine)
        except GivenUp as given_up:
            works = works or await self._find_stored(number)
            judged = Judged(reason=f"{given_up}.")
            return Trial(number=number, works=works, judged=judged, machine=machine)

    async def recall(self, number: int, reason: str) -> Trial:
        """A trial that is carried on no further: the sessions that are stored, and no score."""
        works = await self._find_stored(number)
        return Trial(number=number, works=works, judged=Judged(reason=reason))

    async def _verify(self, outputs: dict[Arm, Path], number: int) -> tuple[MachineVerdict, ...]:
        """What code says of both outputs, once the sessions and their sandboxes are gone."""
        given = TrialOutputs(
            spec=self.spec,
            outputs=outputs,
            inputs=self.staged.inputs,
            files=self.staged.check_files,
            prepared=self.staged.prepared,
            folder=self.folder,
            trial=number,
        )
        return await verify_trial(given, self.world)

    async def _tell(self, state: str, number: int) -> None:
        most = self.spec.trials
        told = f"trial {number}, {most} at most" if self.spec.until_sure == "trials" else ""
        await self.moved(state, told or (f"trial {number} of {most}" if most > 1 else ""))

    async def _run_arms(self, number: int) -> dict[Arm, ArmWork]:
        """Both sessions, started together unless one is at hand."""
        tested, other = (SessionKey(arm, number) for arm in self.spec.arms)
        kept = self.kept.get(number)
        if kept is None or await self.world.blobs.exists(stored_at(other, self.spec)):
            return await self._run_all(tested, other)
        works = await self._run_all(tested)
        met = works[tested.arm].session
        if met.scored:  # else there is nothing to compare
            await take(kept, other, met, self.spec, self.folder, self.world)
            works |= await self._run_all(other)
        return works

    async def _run_all(self, *keys: SessionKey) -> dict[Arm, ArmWork]:
        """Some sessions of a trial; one that fails leaves the other alone."""
        share = session_limits(self.world.settings, self.spec.shares).cost_usd
        for key in keys:
            if not await self.world.blobs.exists(stored_at(key, self.spec)):
                await begin(key.step, self.spec, share, self.world)
        works = await all_ended(self._run_arm(key) for key in keys)
        return {key.arm: work for key, work in zip(keys, works, strict=True)}

    async def _find_stored(self, number: int) -> dict[Arm, ArmWork]:
        """The sessions of a trial that are stored; none is begun."""
        keys = [SessionKey(arm, number) for arm in self.spec.arms]
        stored = [key for key in keys if await self.world.blobs.exists(stored_at(key, self.spec))]
        return {key.arm: await self._run_arm(key) for key in stored}

    async def _run_arm(self, key: SessionKey) -> ArmWork:
        """One session, or what is stored of it from an earlier attempt at the same run."""
        bundle = self.folder / key.bundle
        stored = await self.world.blobs.get(stored_at(key, self.spec))
        if stored is not None:
            await asyncio.to_thread(bundle.write_bytes, stored)
        else:
            await self._run_session(key, bundle)
        unpacked = self.folder / f"{key.step}-unpacked"
        await asyncio.to_thread(remove_tree, unpacked)
        session = await asyncio.to_thread(read_bundle, bundle, unpacked)
        transcript = unpacked / TRANSCRIPT
        ended = await asyncio.to_thread(read_ended, session, key.trial, transcript)
        self.world.live.show(self.spec.run_id, ended)
        return ArmWork(session=session, output=unpacked / "output", bundle=bundle)

    async def _run_session(self, key: SessionKey, bundle: Path) -> None:
        """One session, kept if it is scored; what it spent is noted in any case."""
        spec, world = self.spec, self.world
        skill = self.staged.skills.get(key.arm)
        limits = session_limits(world.settings, spec.shares)
        begun = begin_arm(key.arm, key.trial, limits, world.clock())
        counter = SessionCounter(spec.run_id, begun, world.live, world.clock)
        given = SessionSpec(
            arm=key.arm,
            run=spec,
            trial=key.trial,
            skill_folder=skill.folder if skill else None,
            skill_text=skill.text if skill else None,
            inputs_folder=self.staged.inputs,
            limits=limits,
            bundle=bundle,
            scratch=self.folder / "sessions",
            prepared=self.staged.prepared,
            absent=None if skill else self.staged.absent,
            heard=counter.take,
        )
        try:
            session = await world.launchers.get(spec.launcher).run(given)
        except asyncio.CancelledError:
            stopped = await asyncio.to_thread(read_spent, given.transcript)
            await note_spent(key.step, spec, stopped, world)
            raise
        spent = session.usage.cost_usd or Decimal(0)
        await note_spent(key.step, spec, spent, world)
        if session.scored:
            await world.blobs.put(stored_at(key, spec), bundle)
            await offer(key.step, spec, given.limits, spent, world)


def _why_not_scored(sessions: Sequence[SessionResult]) -> str | None:
    words = [
        f"the session {ARM_NAMES[session.arm]} ended as {session.end}"
        + (f" ({session.detail})" if session.detail else "")
        for session in sessions
        if not session.scored
    ]
    return "; ".join(words) + "." if words else None
