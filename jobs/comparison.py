"""One run, from its sessions to two scores.

Each finished step is stored under the run's id before the next one begins, so that
whoever carries the run out a second time pays for nothing twice. Nothing here talks to
GitHub, and nothing here knows how a session or a judge works inside.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from jobs.baselines.kept import keep
from jobs.baselines.using import choose, render_refusals
from jobs.checks.staging import stage_check_files
from jobs.combining import combine
from jobs.content.skills import SKILL_FILE, skill_path
from jobs.content.snapshot import Snapshot
from jobs.content.staging import stage_inputs, stage_skill
from jobs.errors import OverBudget
from jobs.health.baseline import check_baseline
from jobs.health.expecting import expect
from jobs.health.manifest import Expected
from jobs.health.skill_free import SkillMark
from jobs.judging.agreement import find_agreement
from jobs.judging.blind import candidate_1_is
from jobs.keeping import find_ended, keep_ended
from jobs.leaks.assertion_class import find_leaks
from jobs.left_over import adopt, withdraw
from jobs.matched import find_other_judges
from jobs.reading_keys import reading_keys
from jobs.results import RunResult
from jobs.sequential.stop import Stop
from jobs.sequential.trials import run_trials
from jobs.sessions.prepared import PLAIN, Prepared
from jobs.sessions.run_limits import session_limits
from jobs.sessions.task import render_task
from jobs.sessions.workspace import remove_tree
from jobs.steps import (
    SessionKey,
    find_losses,
    get_ended_steps,
    render_losses,
    session_keys,
    settle_ended,
    trial_numbers,
)
from jobs.trials import Moved, Staged, StagedSkill, Trial, TrialRunner
from jobs.values import Arm, RunSpec, Skill
from jobs.world import RunWorld


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that has ended: its result, and the sessions' bundles for the archive."""

    result: RunResult
    bundles: dict[SessionKey, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files that a run is made from, each as its commit has them."""

    case: Snapshot
    """Where the eval case and its inputs come from."""
    skills: dict[Arm, Snapshot]
    """Where the skill of each arm comes from that has one."""

    @classmethod
    def of(cls, spec: RunSpec, snapshot: Snapshot) -> "Sources":
        """All from one commit, as it is where a skill is compared with none."""
        return cls(case=snapshot, skills=dict.fromkeys(spec.arms, snapshot))


async def run_comparison(
    spec: RunSpec,
    sources: Sources,
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
    limits = session_limits(world.settings, spec.shares)
    for key in session_keys(spec):
        await adopt(key.step, key.bundle, spec, limits, world)
    kept = await choose(spec, limits, world)
    started_at = world.clock()
    staged = await asyncio.to_thread(_stage, spec, sources, folder / "staged", prepared)
    reusable = {trial: one.run for trial, one in kept.items()}
    expected = await expect(spec, prepared, reusable, folder / "proof", world)
    await world.budget.reserve(spec.run_id, spec.repo, world.settings.max_usd_per_run)
    runner = TrialRunner(
        spec=spec, staged=staged, folder=folder, world=world, moved=moved, kept=kept
    )
    trials, stopped = await _run_trials(runner, expected)
    result = await _make_result(runner, trials, expected, started_at)
    result = result.model_copy(update={"stopped": stopped})
    works = [work for trial in trials for work in trial.works.values()]
    await keep(spec, [(work.session, work.bundle) for work in works], limits, world)
    await keep_ended(result, {name: folder / name for name in _kept(spec)}, world)
    for key in session_keys(spec):
        await withdraw(key.step, spec, limits, world)
    with suppress(OverBudget):  # known already, unless Redis was emptied within the run
        await world.budget.reserve(spec.run_id, spec.repo, world.settings.max_usd_per_run)
    await settle_ended(result, world)
    bundles = {
        SessionKey(arm, trial.number): work.bundle
        for trial in trials
        for arm, work in trial.works.items()
    }
    return Finished(result=result, bundles=bundles)


async def _run_trials(runner: TrialRunner, expected: Expected) -> tuple[list[Trial], Stop | None]:
    """The trials; in a world that has changed no session begins, since none would count."""
    if not expected.changes:
        return await run_trials(runner)
    reason = "it was not carried on, since the world had changed."
    return [await runner.recall(number, reason) for number in trial_numbers(runner.spec)], None


async def _make_result(
    runner: TrialRunner, trials: list[Trial], expected: Expected, started_at: datetime
) -> RunResult:
    spec, staged, world = runner.spec, runner.staged, runner.world
    combined = combine(spec, trials, expected)
    keys = [SessionKey(arm, trial.number) for trial in trials for arm in trial.works]
    ended = get_ended_steps(keys, [trial.judged for trial in trials])
    lost = await find_losses(ended, spec, world)
    passes = tuple(reading for trial in trials for reading in trial.judged.passes)
    return RunResult(
        spec=spec,
        started_at=started_at,
        ended_at=world.clock(),
        sessions=tuple(session for trial in trials for session in trial.sessions),
        passes=passes,
        machine=tuple(one for trial in trials for one in trial.machine),
        lost_readings=tuple(reading for trial in trials for reading in trial.judged.lost),
        candidate_1_is=candidate_1_is(spec.eval_case.id, spec.skill.sha, spec.arms),
        scrubbed=combined.scrubbed,
        lengths=tuple(trial.judged.lengths for trial in trials if trial.judged.lengths),
        leaks=find_leaks(spec.eval_case.assertions, spec.eval_case.prompt, staged.skill_texts),
        assertions=combined.assertions,
        with_skill=combined.with_skill,
        without_skill=combined.without_skill,
        ungraded_reason=combined.reason,
        agreement=find_agreement(passes),
        trials=combined.trials,
        manifest=expected.manifest,
        health=combined.health,
        environment=staged.prepared.told,
        lost_attempts=lost.attempts,
        lost_usd=lost.usd,
        remarks=(
            *render_losses(lost),
            *_remarks(spec, staged),
            *await render_refusals(spec, world),
            *find_other_judges(spec, passes),
            *combined.remarks,
        ),
    )


async def find_finished(spec: RunSpec, world: RunWorld) -> Finished | None:
    """The run as an earlier attempt left it, graded or not: only publishing had failed.

    The run's scratch folder is made anew, whether there is something to put into it or not.
    """
    folder = world.scratch / spec.run_id
    await asyncio.to_thread(remove_tree, folder)
    folder.mkdir(parents=True)
    result = await find_ended(spec, _kept(spec), folder, world)
    if result is None:
        return None
    await settle_ended(result, world)
    # fewer than were wanted where the run was given up
    keys = [SessionKey(session.arm, session.trial) for session in result.sessions]
    return Finished(result=result, bundles={key: folder / key.bundle for key in keys})


def _kept(spec: RunSpec) -> list[str]:
    """Files in the folder of a run that publishing it needs."""
    transcripts = (key.transcript for key in reading_keys(spec, trial_numbers(spec)))
    return [*(key.bundle for key in session_keys(spec)), *transcripts]


def _stage(spec: RunSpec, sources: Sources, folder: Path, prepared: Prepared) -> Staged:
    folder.mkdir()
    skills = {
        arm: _stage_skill(skill, sources.skills[arm], folder / f"skill-{number}", spec)
        for number, arm in enumerate(spec.arms, start=1)
        if (skill := spec.skill_of(arm)) is not None
    }
    inputs, case, check_files = folder / "input", spec.eval_case, folder / "checks"
    stage_inputs(sources.case, case, folder)
    stage_check_files(sources.case, case.checks, check_files)
    if spec.other is not None:  # each arm has a skill
        return Staged(
            skills=skills, inputs=inputs, check_files=check_files, prepared=prepared, absent=None
        )
    given = skills[spec.arms[0]]
    absent = SkillMark.read(spec.skill.name, given.folder, given.text, case.inputs)
    remarks = check_baseline(absent, case, render_task(case, inputs), folder)
    return Staged(
        skills=skills,
        inputs=inputs,
        check_files=check_files,
        prepared=prepared,
        absent=absent,
        remarks=remarks,
    )


def _stage_skill(skill: Skill, snapshot: Snapshot, folder: Path, spec: RunSpec) -> StagedSkill:
    withheld = stage_skill(snapshot, skill, folder, spec.eval_case.withheld)
    text = snapshot.read_text(skill_path(skill.path, SKILL_FILE))
    return StagedSkill(folder=folder, text=text, withheld=withheld)


def _remarks(spec: RunSpec, staged: Staged) -> tuple[str, ...]:
    """What the reader must know about how the run was set up."""
    paths = dict.fromkeys(path for skill in staged.skills.values() for path in skill.withheld)
    withheld = [f"Withheld from the session: `{path}`." for path in paths]
    return (*spec.skill.warnings, *spec.eval_case.remarks, *withheld, *staged.remarks)
