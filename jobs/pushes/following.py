"""A push's benchmarks: not begun where a newer push made them pointless, and noted when they end.

How such a benchmark is carried out is no different from any other. Nobody has asked for it, so
there is no comment that lives meanwhile: what goes on stands in the check run of the commit,
and the report on the eval case's issue.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from config.repo_file import RepoFile
from jobs import benchmark
from jobs.answers import said_key
from jobs.carrying_out import open_snapshot
from jobs.content.repo_file import load_repo_file
from jobs.content.skills import find_skills
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, Refused, Suspended, Transient
from jobs.keeping import request_folder
from jobs.late import forget_late, late_key, put_off
from jobs.planning.dedup import record_key
from jobs.planning.plan import Plan
from jobs.planning.previous import find_previous
from jobs.ports import Ledger
from jobs.pushes.plan import EndState, PushPlan, PushRow, RowEnd, find_plan, keep_end
from jobs.pushes.showing import show_push
from jobs.reporting import escape
from jobs.requests import Request
from jobs.results import RunRecord
from jobs.values import RunSpec
from jobs.world import World

log = structlog.get_logger(__name__)


async def carry_out(request: Request, world: World, *, last_try: bool) -> None:
    """Carry out a benchmark as `jobs.benchmark.carry_out` does; of a push's, tell the check run."""
    plan = await find_plan(request, world.runs.blobs) if request.origin == "push" else None
    if plan is None:
        await benchmark.carry_out(request, world, last_try=last_try)
        return
    otherwise: EndState = "refused"
    if await _is_superseded(request, plan, world):
        log.info("request_superseded", key=request.key)
        otherwise = "superseded"
    else:
        await benchmark.carry_out(request, world, last_try=last_try)
        if await world.runs.blobs.exists(late_key(request)):
            return  # it is carried out again, and has not ended before
    try:
        await _note(request, plan, world, otherwise=otherwise)
    except Suspended as pause:
        await put_off(request, str(pause), world)
    except Transient as trouble:
        if not last_try:
            raise
        await put_off(request, str(trouble), world)
    else:
        await forget_late(request, world)


async def note_cancelled(request: Request, world: World) -> None:
    """Tell the check run that somebody took a push's benchmark back, if it is one."""
    plan = await find_plan(request, world.runs.blobs) if request.origin == "push" else None
    if plan is not None:
        with suppress(Suspended):  # nobody sees the check run meanwhile
            await _note(request, plan, world, otherwise="cancelled")


async def _is_superseded(request: Request, plan: PushPlan, world: World) -> bool:
    """Whether the skill's version is not on the default branch any more, and nothing has begun."""
    if await world.runs.blobs.exists(f"{request_folder(request)}/plan.json"):
        return False
    wanted = {row.skill.sha for row in plan.rows if row.request == request.key}
    try:
        head = await world.github.default_commit()
        if head == request.after:
            return False
        async with open_snapshot(request, head, world) as snapshot:
            now = await asyncio.to_thread(_find_versions, snapshot)
    except (Gone, Refused, Transient) as trouble:  # the benchmark meets it, too, and answers
        log.info("head_not_looked_at", key=request.key, reason=str(trouble))
        return False
    return not wanted & now


def _find_versions(snapshot: Snapshot) -> set[str]:
    try:
        repo_file = load_repo_file(snapshot)
    except Refused:
        repo_file = RepoFile()
    return {skill.sha for skill in find_skills(snapshot, repo_file).skills}


async def _note(request: Request, plan: PushPlan, world: World, *, otherwise: EndState) -> None:
    """Keep what became of each row, and show it."""
    stored = await world.runs.blobs.get(f"{request_folder(request)}/plan.json")
    said = await world.runs.blobs.get(said_key(request))
    ending = _Ending(
        made=Plan.model_validate_json(stored) if stored else None,
        otherwise=otherwise,
        said=said.decode() if said else "",
        records=await world.ledger.records(plan.repo.full_name),
    )
    rows = [row for row in plan.rows if row.request == request.key]
    ends = [await ending.end_of(row, world.ledger) for row in rows]
    await keep_end(request, ends, world.runs.blobs)
    await show_push(plan, world)


@dataclass(frozen=True, slots=True)
class _Ending:
    """What a request has left behind, from which the ends of its rows are read."""

    made: Plan | None
    """What was planned; None where it came to no plan."""
    otherwise: EndState
    """How a row ended that has no result."""
    said: str
    """The request's last words, if it had any."""
    records: Sequence[RunRecord]

    async def end_of(self, row: PushRow, ledger: Ledger) -> RowEnd:
        """What became of a row: by the run that was planned for it, or by why there was none."""
        run = self._find_run(row)
        spec = run or self._find_duplicate(row)
        record = None
        if run is not None:
            record = next((one for one in self.records if one.run == run.run_id), None)
        if record is None and spec is not None:  # another run of the same has answered for it
            record = await ledger.find(record_key(spec))
        state = self._state(record, run, spec)
        return RowEnd(
            model_identity=row.model_identity,
            state=state,
            record=record,
            previous=find_previous(record, self.records) if record else row.previous,
            reason=self._reason() if state == "refused" else "",
        )

    def _find_run(self, row: PushRow) -> RunSpec | None:
        runs = self.made.runs if self.made else ()
        return next((spec for spec in runs if _is_for(spec, row)), None)

    def _find_duplicate(self, row: PushRow) -> RunSpec | None:
        found = self.made.duplicates if self.made else ()
        return next((one.spec for one in found if _is_for(one.spec, row)), None)

    def _state(
        self, record: RunRecord | None, run: RunSpec | None, spec: RunSpec | None
    ) -> EndState:
        if record is None:
            return "known" if run is None and spec is not None else self.otherwise
        if record.score is None:
            return "ungraded"
        if record.canary_passed:
            return "unsound"
        return "done" if run is not None and record.run == run.run_id else "known"

    def _reason(self) -> str:
        refused = self.made.refused if self.made else ()
        words = [
            f"{escape.inline(one.title, 200)}: {escape.message(one.reason)}" for one in refused
        ]
        return "\n\n".join(words) or self.said or "It could not be carried out."


def _is_for(spec: RunSpec, row: PushRow) -> bool:
    return spec.model.identity == row.model_identity and spec.skill.sha == row.skill.sha
