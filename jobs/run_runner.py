"""One run of a request: held against twins, carried out, published, its row kept true."""

import asyncio
from contextlib import suppress
from pathlib import Path

import structlog

from jobs.commits import Commits
from jobs.comparison import Sources, run_comparison
from jobs.content.staging import stage_inputs
from jobs.errors import Gone, Transient, UserError
from jobs.keeping import find_result
from jobs.leaks.guesser import ask_guesser
from jobs.live_sessions import tell_move, told_live
from jobs.living_comment import LivingComment
from jobs.planning.dedup import answers, record_key
from jobs.planning.plan import Plan
from jobs.planning.rows import find_live_page
from jobs.preparation import Preparation
from jobs.publishing import publish_run
from jobs.reporting.progress_comment import RunState
from jobs.results import RunRecord, RunResult
from jobs.sessions.prepared import PLAIN
from jobs.steps import settle_stopped
from jobs.under_way import find_under_way, forget_under_way, record_under_way
from jobs.values import RunSpec
from jobs.weak_evals.canaries import check_canaries
from jobs.world import World

log = structlog.get_logger()


def state_of(result: RunResult) -> RunState:
    """How an ended run stands in the living comment."""
    if not result.graded:
        return "ungraded"
    return "empty" if result.produced_nothing else "done"


class RunRunner:
    """Runs the runs of one request."""

    def __init__(self, plan: Plan, commits: Commits, living: LivingComment, world: World) -> None:
        self._request = plan.request
        self._preparation = Preparation(plan.environment, world.runs.environments, living)
        self._commits = commits
        self._living = living
        self._world = world

    async def run(self, row: int, spec: RunSpec) -> None:
        """Carry out a run; `row` is its row in the living comment.

        What breaks in one run ends in its row, so that the others go on. Raises `Transient`
        and `Gone`, after which the whole request is carried out again, or nobody is there.
        """
        with structlog.contextvars.bound_contextvars(run=spec.run_id):
            try:
                async with self._world.ledger.hold(record_key(spec)):
                    await self._run_held(row, spec)
            except UserError as refusal:
                self._living.change(row, state="refused", detail=str(refusal))
            except (Transient, Gone):
                raise
            except Exception:
                log.exception("run_failed")
                detail = f"this failed on our side; id for the operator: {spec.run_id}"
                self._living.change(row, state="failed", detail=detail)

    async def _run_held(self, row: int, spec: RunSpec) -> None:
        """The run itself, unless somebody finished the same one while we waited."""
        known = await self._find_finished(spec)
        if known is None and await self._carry_on_twin(row, spec):
            known = await self._find_finished(spec)
        if known is not None:
            ours = known.run == spec.run_id
            kept = await find_result(spec, self._world.runs) if ours else None
            state = state_of(kept) if kept else "done" if ours else "duplicate"
            self._living.change(row, state=state, url=known.url, score=known.score)
            return
        result, url = await self._run_to_its_end(row, spec)
        self._living.change(row, state=state_of(result), url=url)

    async def _carry_on_twin(self, row: int, spec: RunSpec) -> bool:
        """Bring the same run of another request to its end, if its worker was lost with it."""
        if self._request.force:
            return False
        twin = await find_under_way(spec, self._world.runs)
        if twin is None:
            return False
        log.info("twin_carried_on", twin=twin.run_id)
        self._living.change(row, watch=find_live_page(twin, self._world.runs.settings))
        with suppress(Gone):  # its issue; what it found is remembered all the same
            await self._run_to_its_end(row, twin)
        return True

    async def _run_to_its_end(self, row: int, spec: RunSpec) -> tuple[RunResult, str]:
        """Carry a run out and publish it; gives its result, and where the report is."""
        runs = self._world.runs
        await record_under_way(spec, runs)
        try:
            with told_live(spec, runs.live, runs.clock):
                result, url = await self._run_and_publish(row, spec)
        except Transient:
            raise  # it is carried on
        except Exception:
            await forget_under_way(spec, runs)
            if await find_result(spec, runs) is None:
                await settle_stopped(spec, runs)  # the rest is the day's again
            raise
        await forget_under_way(spec, runs)
        return result, url

    async def _run_and_publish(self, row: int, spec: RunSpec) -> tuple[RunResult, str]:
        runs = self._world.runs

        async def moved(state: str, detail: str = "", /) -> None:
            log.info("run_moved", state=state)
            tell_move(spec.run_id, state, detail, runs.live, runs.clock)
            self._living.change(row, state=state, detail=detail)

        # a run that has ended has no more sessions, whose environment may be gone by now
        ended = await find_result(spec, self._world.runs) is not None
        finished = await run_comparison(
            spec,
            await self._find_sources(spec),
            self._world.runs,
            moved,
            prepared=PLAIN if ended else await self._preparation.get(row),
        )
        await self._check_canaries(finished.result)
        await ask_guesser(finished.result, finished.bundles, self._world.runs)
        await moved("publishing")
        report = await publish_run(finished, self._world)
        result = finished.result
        await self._count(result)
        log.info("run_ended", graded=result.graded, difference=result.difference)
        return result, report.url

    async def _check_canaries(self, result: RunResult) -> None:
        """Have the eval case's canaries read before its result counts, where that is wanted."""

        async def stage(folder: Path) -> None:
            snapshot = await self._commits.get(result.spec.commit)
            await asyncio.to_thread(stage_inputs, snapshot, result.spec.eval_case, folder)

        await check_canaries(result, stage, self._world.ledger.hold, self._world.runs)

    async def _find_sources(self, spec: RunSpec) -> Sources:
        tested, other = spec.arms
        skills = {tested: await self._commits.get(spec.read_from)}
        if spec.other_commit:
            skills[other] = await self._commits.get(spec.other_commit)
        return Sources(case=await self._commits.get(spec.commit), skills=skills)

    async def _count(self, result: RunResult) -> None:
        counts = self._world.counts
        await counts.add("runs", "graded" if result.graded else "ungraded")
        for session in result.sessions:
            await counts.add("sessions", session.end)

    def _will_do(self, record: RunRecord, spec: RunSpec) -> bool:
        """Whether another run's record answers for this one."""
        return not self._request.force and answers(record, spec)

    async def _find_finished(self, spec: RunSpec) -> RunRecord | None:
        """The ledger's record of this run; one of our own is from an earlier attempt."""
        record = await self._world.ledger.find(record_key(spec))
        if record is None or (record.run != spec.run_id and not self._will_do(record, spec)):
            return None
        return record
