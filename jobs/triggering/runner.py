"""One measurement of a request: held against twins, measured, published, its row kept true."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import structlog

from jobs.alongside import alongside
from jobs.carrying_out import open_snapshot
from jobs.content.snapshot import Snapshot
from jobs.errors import Gone, OverBudget, Transient, UserError
from jobs.keeping import found_key, request_folder
from jobs.requests import Request
from jobs.sessions.transcript import JsonlTranscript
from jobs.sessions.workspace import remove_tree
from jobs.triggering.found import Found
from jobs.triggering.left import forget_left, take_over
from jobs.triggering.live_page import LivePage, end_page
from jobs.triggering.measuring import Measuring
from jobs.triggering.optimization import Optimization
from jobs.triggering.plan import TriggerPlan, TriggerRun, make_options
from jobs.triggering.publishing import publish
from jobs.triggering.record import TriggerRecord, find_known
from jobs.triggering.spending import Spending, settle
from jobs.triggering.world import TriggerRequestWorld

Change = Callable[..., None]
"""Changes fields of a row, by keyword."""

GIVEN_UP = "This failed and was given up. The comment where it was asked for says more."

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerRunner:
    """Carries out the measurements of one plan."""

    plan: TriggerPlan
    snapshot: Snapshot
    world: TriggerRequestWorld

    async def run(self, run: TriggerRun, change: Change) -> None:
        """Carry one out. What breaks in it ends in its row, so that the others go on.

        Raises `Transient` and `Gone`, after which the whole request is carried out again, or
        nobody is there.
        """
        with structlog.contextvars.bound_contextvars(run=run.run_id):
            try:
                async with self.world.place.ledger.hold(f"trigger:{run.key}"):
                    await self._run_held(run, change)
            except OverBudget as over:
                change(state="stopped", detail=str(over))
                await self._end_page(run, str(over))
            except UserError as refusal:
                change(state="refused", detail=str(refusal))
                await self._end_page(run, f"Not measured: {refusal}")
            except (Transient, Gone):
                raise
            except Exception:
                log.exception("measurement_failed")
                await settle(run, self.world.triggers, ended=False)
                detail = f"this failed on our side; id for the operator: {run.run_id}"
                change(state="failed", detail=detail)
                await self._end_page(run, GIVEN_UP)

    async def _end_page(self, run: TriggerRun, words: str) -> None:
        words = words[:1].upper() + words[1:]
        await end_page(run, self.plan.request.repo, words, self.world)

    async def _run_held(self, run: TriggerRun, change: Change) -> None:
        found = await find_found(run, self.world)
        known = None if found or self.plan.request.force else await self._find_known(run)
        if known is not None:
            change(state="known", url=known.url)
            return
        if found is None:
            found = await self._measure(run, change)
        change(state="publishing")
        url = await publish(found, self.plan, self.snapshot, self.world)
        if not self.plan.request.force:
            await forget_left(run, self.world.triggers.blobs)
        change(
            state="done",
            url=url,
            done=run.estimate.sessions,
            tokens=found.usage.total_tokens,
            usd=found.usage.cost_usd,
        )
        await self.world.place.counts.add("runs", "measured")
        log.info("measurement_ended", accuracy=found.scores.accuracy)

    async def _find_known(self, run: TriggerRun) -> TriggerRecord | None:
        """What somebody found out while we waited for our turn."""
        known = await find_known(run.key, (), self.world.triggers.blobs)
        return known if known is not None and known.run != run.run_id else None

    async def _measure(self, run: TriggerRun, change: Change) -> Found:
        """Measure and keep what was found, with its money settled."""
        triggers = self.world.triggers
        spending = await Spending.begin(run, self.plan.request.repo, triggers)
        started_at = triggers.clock()
        try:
            async with self._open_scratch(run) as scratch, spending.noting():
                measuring = await self._make_measuring(run, scratch)
                change(state="checking")
                steps = _Steps(measuring, spending, change)
                if run.kind == "optimize":
                    outcome = await self._optimize(run, steps)
                else:
                    outcome = {"results": await steps.evaluate(), "remarks": measuring.remarks}
        except UserError:
            await settle(run, triggers, ended=True)
            raise
        lost = await settle(run, triggers, ended=True)
        found = Found.model_validate(
            {
                "run": run,
                "repo": self.plan.request.repo,
                "commit": self.plan.commit,
                "runs_per_query": measuring.options.runs_per_query,
                "usage": spending.purse.spent,
                "lost_usd": lost,
                "started_at": started_at,
                "ended_at": triggers.clock(),
                **outcome,
            }
        )
        await triggers.blobs.put(found_key(run.run_id), found.model_dump_json().encode())
        return found

    async def _optimize(self, run: TriggerRun, steps: "_Steps") -> dict[str, object]:
        page = LivePage(run, steps.measuring, self.plan.request.repo, self.world)
        address = await page.show() or ""
        steps.change(page=address)
        async with alongside(page.keep_up()):
            found = await steps.optimize(page)
        await page.finish(found)
        return {"optimization": found, "remarks": found.remarks, "page": address}

    async def _make_measuring(self, run: TriggerRun, scratch: Path) -> Measuring:
        at_once = self.world.triggers.settings.queries_at_once
        is_afresh = self.plan.request.force
        return Measuring(
            snapshot=self.snapshot,
            skill=run.skill,
            neighbours=run.neighbours,
            eval_set=run.eval_set,
            model=run.model,
            launcher=run.launcher,
            options=make_options(self.plan.request, at_once),
            world=self.world.triggers,
            scratch=scratch,
            prefix=run.prefix if is_afresh else await take_over(run, self.world.triggers.blobs),
        )

    @asynccontextmanager
    async def _open_scratch(self, run: TriggerRun) -> AsyncIterator[Path]:
        scratch = self.world.triggers.scratch / f"trigger-{run.run_id}-{uuid4().hex[:8]}"
        scratch.mkdir(parents=True)
        try:
            yield scratch
        finally:
            await asyncio.to_thread(remove_tree, scratch)


@dataclass(slots=True)
class _Steps:
    """Measures, and tells row, money and page of every step."""

    measuring: Measuring
    spending: Spending
    change: Change
    done: int = 0

    async def evaluate(self) -> object:
        return await self.measuring.evaluate(self.spending.purse, heard=lambda _: self._heard())

    async def optimize(self, page: LivePage) -> Optimization:
        def heard(iteration: int) -> None:
            state = "measuring" if iteration else "comparing"
            self._heard(state=state, **({"iteration": iteration} if iteration else {}))
            page.moved(self.done)

        with JsonlTranscript(self.measuring.scratch / "proposals.jsonl") as transcript:
            return await self.measuring.optimize(
                self.spending.purse,
                transcript,
                changed=page.changed,
                heard=lambda iteration, _: heard(iteration),
            )

    def _heard(self, **changes: object) -> None:
        """One session more has ended."""
        self.done += 1
        spent = self.spending.purse.spent
        self.spending.changed()
        self.change(
            **{"state": "measuring", **changes},
            done=self.done,
            tokens=spent.total_tokens,
            usd=spent.cost_usd,
        )


async def publish_found(request: Request, world: TriggerRequestWorld) -> None:
    """Publish what a request had found before; its issue is moved, and the report follows it."""
    stored = await world.triggers.blobs.get(f"{request_folder(request)}/plan.json")
    if stored is None:
        return
    plan = TriggerPlan.model_validate_json(stored)
    found = [one for run in plan.runs if (one := await find_found(run, world)) is not None]
    if found:
        async with open_snapshot(request, plan.commit, world.place) as snapshot:
            for one in found:
                await publish(one, plan, snapshot, world)


async def settle_unfinished(request: Request, world: TriggerRequestWorld) -> None:
    """Settle what a request has begun and not brought to its end; it is given up.

    What has ended is settled already, and its page says how.
    """
    stored = await world.triggers.blobs.get(f"{request_folder(request)}/plan.json")
    for run in TriggerPlan.model_validate_json(stored).runs if stored else ():
        await settle(run, world.triggers, ended=False)
        await end_page(run, request.repo, GIVEN_UP, world)


async def find_found(run: TriggerRun, world: TriggerRequestWorld) -> Found | None:
    """What a measurement has found that ended in an earlier attempt; or None."""
    stored = await world.triggers.blobs.get(found_key(run.run_id))
    return Found.model_validate_json(stored) if stored else None
