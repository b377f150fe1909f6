"""One run of a request: held against twins, carried out, published, its row kept true."""

import structlog

from jobs.comparison import run_comparison
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Transient, UserError
from jobs.living_comment import LivingComment
from jobs.planning.dedup import record_key
from jobs.publishing import publish_run
from jobs.requests import Request
from jobs.results import RunRecord, RunResult
from jobs.values import RunSpec
from jobs.world import World

log = structlog.get_logger()


class RunRunner:
    """Runs the runs of one request."""

    def __init__(
        self, request: Request, snapshot: Snapshot, living: LivingComment, world: World
    ) -> None:
        self._request = request
        self._snapshot = snapshot
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
        if known is not None:
            state = "done" if known.run == spec.run_id else "duplicate"
            self._living.change(row, state=state, url=known.url, score=known.score)
            return

        async def moved(state: str) -> None:
            log.info("run_moved", state=state)
            self._living.change(row, state=state)

        finished = await run_comparison(spec, self._snapshot, self._world.runs, moved)
        await moved("publishing")
        report = await publish_run(finished, self._world)
        result = finished.result
        await self._count(result)
        log.info("run_ended", graded=result.graded, difference=result.difference)
        self._living.change(row, state="done" if result.graded else "ungraded", url=report.url)

    async def _count(self, result: RunResult) -> None:
        counts = self._world.counts
        await counts.add("runs", "graded" if result.graded else "ungraded")
        for session in result.sessions:
            await counts.add("sessions", session.end)

    async def _find_finished(self, spec: RunSpec) -> RunRecord | None:
        """The ledger's record of this run; one of our own is from an earlier attempt."""
        record = await self._world.ledger.find(record_key(spec))
        if record is None or (self._request.force and record.run != spec.run_id):
            return None
        return record
