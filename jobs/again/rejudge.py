"""Carries out `rejudge`: what the sessions of a run left is scored once more, by any judge.

No session is run again. The candidates are blinded and read in both orders as at first; each
reading is stored when it ends, and paid for once. The run keeps its report; what is new is
told in a comment of its own, whose marker has the newer scores.
"""

import asyncio
import hashlib
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import structlog

from config.effective import make_effective
from jobs.again.choosing import Told, find_told
from jobs.again.kept_runs import KeptRun, open_kept_run
from jobs.answers import react_to_end
from jobs.budgets import within_budgets
from jobs.calibration.finding import find_people
from jobs.calibration.people import RunVerdicts
from jobs.calibration.said import record_with
from jobs.carrying_out import begin, carry_out_answered, open_snapshot
from jobs.combining import combine
from jobs.comparison import Finished
from jobs.content.staging import stage_inputs
from jobs.errors import Gone, Refused, Suspended, Transient
from jobs.health.manifest import Expected
from jobs.judging.agreement import find_agreement
from jobs.judging.judges import judged_by, resolve_judges
from jobs.keeping import GivenUp, count_lost, find_planned, found_key, request_folder, settle
from jobs.matched import find_mismatch
from jobs.planning.dedup import record_key
from jobs.planning.plan import Plan
from jobs.publishing import make_context, upload_archive, write_archive
from jobs.reporting.rejudged import render_rejudged
from jobs.requests import Request
from jobs.results import RunResult
from jobs.scoring import Judged, JudgeInput, judge_trial
from jobs.sequential.trials import judge_again
from jobs.sessions.bundle import read_bundle
from jobs.steps import (
    SessionKey,
    get_ended_steps,
    get_reading_shares,
    settle_stopped,
)
from jobs.trials import ArmWork, Trial
from jobs.values import Arm, RunSpec
from jobs.weak_evals.canaries import check_canaries, with_canaries
from jobs.world import World

REJUDGED = "rejudged:"
"""Begins the tag of a comment that tells of a later judging."""

log = structlog.get_logger()


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Score a stored run again and tell it; raises `Transient` as all kinds of request do."""
    await carry_out_answered(lambda: _carry_out(request, world), request, world, last_try=last_try)


async def _carry_out(request: Request, world: World) -> None:
    if not await begin(request, world):
        return
    world = within_budgets(request, await world.github.repo_file(), world)
    told = await _find_run(request, world)
    async with open_kept_run(told.record.run, request, world) as (kept, folder):
        spec = await _plan(request, kept.result, world)
        judging = _Judging(spec=spec, kept=kept, folder=folder, request=request, world=world)
        result = await _find_judged(spec, world) or await _judge(judging)
        await judging.settle(result)
        result = await judging.check_canaries(result)
        await judging.publish(result, told)
    await react_to_end(request, world, good=result.graded)
    await world.runs.blobs.put(f"{request_folder(request)}/ended", b"")


async def _find_run(request: Request, world: World) -> Told:
    """The run that is meant; the same in every attempt, also where another one was reported."""
    key = f"{request_folder(request)}/judged-run"
    stored = await world.runs.blobs.get(key)
    named = request.model_copy(update={"run": stored.decode()}) if stored else request
    told = await find_told(named, world)
    await world.runs.blobs.put(key, told.record.run.encode())
    return told


async def _plan(request: Request, result: RunResult, world: World) -> RunSpec:
    """The run with the judge that reads it now, under the id of this judging.

    Kept as a plan, so that whoever cleans up, or cancels, knows what belongs to the request.
    """
    key = f"{request_folder(request)}/plan.json"
    if await find_planned(request_folder(request), world.runs.blobs):
        stored = await world.runs.blobs.get(key)
        return Plan.model_validate_json(stored or b"").runs[0]
    lacking = [one for one in result.sessions if not one.scored]
    if lacking or not result.sessions:
        raise Refused(
            f"the run `{result.spec.run_id}` cannot be judged: it lacks a session with an output "
            "that counts, and another judge does not change that. Measure it again."
        )
    effective = make_effective(await world.github.repo_file(), world.runs.settings, request)
    judges = await resolve_judges(effective.judge.value, world.runs.catalog)
    spec = result.spec.model_copy(
        update={
            "judge": judges[0],
            "other_judges": judges[1:],
            "asker": request.asker,
            "asked_at": request.asked_at,
        }
    )
    asking = f"{request.key}|{request.asked_at.isoformat()}|{result.spec.run_id}|{judged_by(spec)}"
    judging = hashlib.sha256(asking.encode()).hexdigest()[:12]
    spec = spec.model_copy(update={"run_id": judging})
    plan = Plan(request=request, commit=spec.commit, runs=(spec,), duplicates=(), refused=())
    await world.runs.blobs.put(key, plan.model_dump_json().encode())
    return spec


async def _judge(judging: "_Judging") -> RunResult:
    """The judging; where something ends it for good, what it had not spent is the day's again."""
    try:
        return await judging.judge()
    except Transient:
        raise  # it is carried on
    except Exception:
        await settle_stopped(judging.spec, judging.world.runs)
        raise


async def _find_judged(spec: RunSpec, world: World) -> RunResult | None:
    """What an earlier attempt has found; only telling it had failed."""
    stored = await world.runs.blobs.get(found_key(spec.run_id))
    return RunResult.model_validate_json(stored) if stored else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judging:
    """One judging of a kept run."""

    spec: RunSpec
    """The run under the id and with the judge of this judging."""
    kept: KeptRun
    folder: Path
    request: Request
    world: World

    async def judge(self) -> RunResult:
        """Both readings of every trial that has two outputs, and what they say together."""
        spec, runs = self.spec, self.world.runs
        shares = get_reading_shares(runs.settings, spec)
        most = sum(shares.values(), Decimal(0))
        await runs.budget.reserve(spec.run_id, self.request.repo, most)
        staged = self.folder / "staged"
        await self._stage_inputs(staged)
        numbers = range(1, self.kept.result.trials_wanted + 1)
        trials = [await self._judge_trial(number, staged / "input") for number in numbers]
        result = self._combine(trials)
        await runs.blobs.put(found_key(spec.run_id), result.model_dump_json().encode())
        return result

    async def settle(self, result: RunResult) -> None:
        """Settle the judging by what its readings cost; twice is once."""
        spec, runs = self.spec, self.world.runs
        shares = get_reading_shares(runs.settings, spec)
        judged = Judged(passes=result.passes, lost=result.lost_readings)
        lost = await count_lost(shares, get_ended_steps((), [judged]), spec, runs)
        known = (usage.cost_usd or Decimal(0) for usage in result.reading_usages)
        await settle(spec, sum(known, lost.usd), shares, runs)

    async def _judge_trial(self, number: int, inputs: Path) -> Trial:
        spec = self.spec
        works: dict[Arm, ArmWork] = {}
        for key in [SessionKey(arm, number) for arm in spec.arms]:
            if (bundle := self.kept.bundles.get(key)) is None:
                continue
            unpacked = self.folder / f"{key.step}-unpacked"
            session = await asyncio.to_thread(read_bundle, bundle, unpacked)
            works[key.arm] = ArmWork(session=session, output=unpacked / "output", bundle=bundle)
        sessions = tuple(work.session for work in works.values())
        if len(works) < len(spec.arms) or not all(one.scored for one in sessions):
            judged = Judged(reason="a session of it ended without an output that counts.")
            return Trial(number=number, works=works, judged=judged)
        if reason := find_mismatch(spec, sessions):
            return Trial(number=number, works=works, judged=Judged(reason=reason))
        outputs = {arm: work.output for arm, work in works.items()}
        given = JudgeInput(
            spec=spec,
            outputs=outputs,
            inputs=inputs,
            folder=self.folder,
            trial=number,
            machine=tuple(one for one in self.kept.result.machine if one.trial == number),
        )
        try:
            judged = await judge_trial(given, self.world.runs)
        except GivenUp as given_up:
            judged = Judged(reason=f"{given_up}.")
        return Trial(number=number, works=works, judged=judged)

    async def check_canaries(self, result: RunResult) -> RunResult:
        """The result with what this judge says of the canaries, where that is wanted."""
        world = self.world
        await check_canaries(result, self._stage_inputs, world.ledger.hold, world.runs)
        return await with_canaries(result, world.runs.blobs)

    async def _stage_inputs(self, staged: Path) -> None:
        """The input files as the sessions had them; nothing is downloaded where none are."""
        spec = self.spec
        if spec.eval_case.inputs:
            async with open_snapshot(self.request, spec.commit, self.world) as snapshot:
                await asyncio.to_thread(stage_inputs, snapshot, spec.eval_case, staged)

    def _combine(self, trials: list[Trial]) -> RunResult:
        """The run's result with the scores of this judging in place of those it had."""
        before = self.kept.result
        expected = Expected(manifest=before.manifest, judged_later=True)
        combined = combine(self.spec, trials, expected)
        differences = [one.difference for one in combined.trials]
        stopped = judge_again(before.stopped, differences) if before.stopped else None
        passes = tuple(one for trial in trials for one in trial.judged.passes)
        return before.model_copy(
            update={
                "spec": before.spec.model_copy(
                    update={"judge": self.spec.judge, "other_judges": self.spec.other_judges}
                ),
                "judging": self.spec.run_id,
                "passes": passes,
                "lost_readings": tuple(one for trial in trials for one in trial.judged.lost),
                "scrubbed": combined.scrubbed,
                "lengths": tuple(one.judged.lengths for one in trials if one.judged.lengths),
                "canaries": None,
                "assertions": combined.assertions,
                "with_skill": combined.with_skill,
                "without_skill": combined.without_skill,
                "ungraded_reason": combined.reason,
                "agreement": find_agreement(passes),
                "trials": combined.trials,
                "health": combined.health,
                "stopped": stopped,
                "remarks": combined.remarks,
            }
        )

    async def publish(self, result: RunResult, told: Told) -> None:
        """Keep the archive, tell both scores, remember the newer ones."""
        kept, world = self.kept, self.world
        finished = Finished(result=result, bundles=kept.bundles)
        url, absent = "", "judging again gave no score"
        if result.graded:
            archive = await write_archive(finished, world.runs, self.folder)
            url, absent = await upload_archive(result, archive, world)
        context = await make_context(finished, world.runs, archive_url=url, archive_absent=absent)
        people = await find_people(kept.result, world, reads_report=True)
        context = replace(context, people=people)
        body = await asyncio.to_thread(
            render_rejudged, kept.result, result, context, report_url=told.url
        )
        tag = f"{REJUDGED}{result.judging}"
        try:
            comment = await world.github.comment(self.request.issue, body, tag=tag)
        except Suspended:
            raise  # it is posted later, and remembered then
        except Gone:
            if result.graded:
                await _remember(result, people, url, world)
            raise
        log.info("rejudged", run=result.spec.run_id, graded=result.graded)
        if result.graded:
            await _remember(result, people, comment.url or url, world)


async def _remember(result: RunResult, people: RunVerdicts, url: str, world: World) -> None:
    """The newest judge's scores are the run's; a younger run of the same key keeps its place."""
    key = record_key(result.spec)
    record = record_with(result, people).model_copy(update={"url": url})
    known = await world.ledger.find(key)
    if known is None or known.run == record.run:
        await world.ledger.record(key, record)
    else:
        await world.ledger.note(record)
