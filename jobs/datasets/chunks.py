"""Carries out one chunk of a run of a dataset; whichever ends last ends the run.

A chunk says nothing of its own: what becomes of it stands in the run's report. Its cases are
stored one by one, so a worker that takes it over pays for none of them again.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

import structlog

from jobs.alongside import alongside
from jobs.budgets import within_budgets
from jobs.cancelling import Cancelled
from jobs.datasets import carry_out as planning
from jobs.datasets.carry_out import ask_for_chunks, find_plan
from jobs.datasets.ending import end_if_all_ended
from jobs.datasets.live import LiveWatcher
from jobs.datasets.opening import opened_again
from jobs.datasets.plan import RunPlan
from jobs.datasets.progress import describe_estimate, render_progress
from jobs.datasets.purse import Purse
from jobs.datasets.ready import DatasetWorld, Ready
from jobs.datasets.request_world import DatasetRequestWorld
from jobs.datasets.run_money import ChunkMoney
from jobs.datasets.run_state import ChunkBegun, ChunkEnd, Chunks, RunState, chunk_key, divide
from jobs.datasets.running import run_dataset
from jobs.errors import Gone, Transient, UserError
from jobs.keeping import MOST_LOST
from jobs.living_comment import comment_tag
from jobs.requests import Kind, Request
from jobs.world import World

KINDS: frozenset[Kind] = frozenset({"dataset", "dataset_chunk"})
LOOK_S = 1.0
"""How often a chunk looks whether its run was cancelled."""
REST_S = 10.0
"""Between two edits of the living comment."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Chunk:
    """One chunk with all that it is a part of."""

    number: int
    plan: RunPlan
    asked: Request
    """What somebody has asked for, on an issue."""
    chunks: Chunks
    state: RunState

    @property
    def ids(self) -> tuple[str, ...]:
        return self.chunks.ids[self.number]

    def money(self, place: World) -> ChunkMoney | None:
        """Its part of the run's money; None where the run has no limit."""
        if self.plan.max_usd is None:
            return None
        return ChunkMoney(
            blobs=self.state.blobs,
            hold=place.ledger.hold,
            budget=place.runs.budget,
            repo=self.asked.repo,
            run_id=self.plan.run_id,
            limit=self.plan.max_usd,
            number=self.number,
            chunks=len(self.chunks.ids),
        )


async def carry_out(request: Request, world: DatasetRequestWorld, *, last_try: bool) -> None:
    """Carry out a request for a run or a chunk of it; raises `Transient` as every kind does."""
    if request.kind == "dataset":
        await planning.carry_out(request, world, last_try=last_try)
    else:
        await _carry_out_chunk(request, world, last_try=last_try)


async def _carry_out_chunk(request: Request, world: DatasetRequestWorld, *, last_try: bool) -> None:
    """Run the cases of a chunk; end the run, if it is the last one.

    Raises `Transient` where it is worth carrying out again and `last_try` is False.
    """
    chunk = await _find(request, world)
    if chunk is None:
        log.warning("chunk_of_no_run", key=request.key)
        return
    try:
        if not await chunk.state.has_ended(chunk.number):
            end = await _run_counted(chunk, request, world)
            if end is None:
                return
            await _close(chunk, end, world)
    except UserError as refusal:
        await _close(chunk, ChunkEnd(state="failed", reason=str(refusal)), world)
    except Gone as gone:  # nobody to answer, now or later
        await _close(chunk, ChunkEnd(state="failed", reason=str(gone)), world)
    except Transient as trouble:
        if not last_try:
            raise
        reason = f"a platform failed for too long: {trouble}"
        await _close(chunk, ChunkEnd(state="failed", reason=reason), world)
    except Exception:
        log.exception("chunk_failed", run=chunk.plan.run_id, chunk=chunk.number)
        reason = "something broke on our side; the log says what"
        await _close(chunk, ChunkEnd(state="failed", reason=reason), world)
    await end_if_all_ended(chunk.asked, chunk.plan, world, last_try=last_try)


async def end_cancelled(request: Request, cancelled: Cancelled, world: DatasetRequestWorld) -> bool:
    """End a cancelled request for a run, or for a chunk of it; False where it is neither, or
    nothing was planned yet.

    Nothing of it runs any more in this process; the other workers hear of it within a second.
    """
    plan = await _plan_of(request, world)
    if plan is None:
        return request.kind == "dataset_chunk"
    state = RunState(world.keeping.blobs, plan.run_id)
    await state.cancel(cancelled.by)
    await world.live.cancel(plan.run_id, cancelled.by)
    if request.kind == "dataset":  # what was not on the queue yet has to end as well
        await ask_for_chunks(request, plan, world)
        return True
    chunk = await _find(request, world)
    if chunk is not None and not await state.has_ended(chunk.number):
        await _close(chunk, ChunkEnd(state="cancelled"), world)
    if chunk is not None:
        await end_if_all_ended(chunk.asked, chunk.plan, world, last_try=True)
    return True


async def _plan_of(request: Request, world: DatasetRequestWorld) -> RunPlan | None:
    if request.kind == "dataset":
        return await find_plan(request, world)
    if request.kind != "dataset_chunk":
        return None
    return await world.keeping.get_plan(request.run or "")


async def _find(request: Request, world: DatasetRequestWorld) -> _Chunk | None:
    plan = await world.keeping.get_plan(request.run or "")
    if plan is None or request.dataset.chunk is None:
        return None
    state = RunState(world.keeping.blobs, plan.run_id)
    asked = await state.get_request()
    if asked is None:
        return None
    chunks = divide(plan, await state.get_workers())
    return _Chunk(request.dataset.chunk, plan, asked, chunks, state)


async def _close(chunk: _Chunk, end: ChunkEnd, world: DatasetRequestWorld) -> None:
    """Settle what the chunk has cost, and note how it ended.

    Not before: what was set aside for it stays so while another worker may take it over.
    """
    await _settle(chunk, world)
    await chunk.state.end_chunk(chunk.number, end)


async def _run_counted(
    chunk: _Chunk, request: Request, world: DatasetRequestWorld
) -> ChunkEnd | None:
    """Run the cases, unless too many workers were lost with them; None: another request does.

    Cases that get on in spite of lost workers go on as a new request, since the queue gives a
    request up that workers are lost with.
    """
    begun = await chunk.state.get_begun(chunk.number)
    ended = len(await world.keeping.find_ended(chunk.plan.run_id, chunk.ids))
    if begun.times and ended > begun.ended:
        key = chunk_key(chunk.asked, chunk.plan.run_id, chunk.number, ended=ended)
        begun = ChunkBegun(ended=ended, key=key)
        await chunk.state.put_begun(chunk.number, begun)
    if begun.key not in {"", request.key}:
        again = request.model_copy(update={"key": begun.key})
        await world.place.requests.enqueue(again)
        return None
    if begun.times >= MOST_LOST:
        reason = f"{begun.times} workers were lost with the same cases, which are not begun again"
        return ChunkEnd(state="failed", reason=reason)
    begun = begun.model_copy(update={"ended": ended})
    once_more = begun.model_copy(update={"times": begun.times + 1})
    await chunk.state.put_begun(chunk.number, once_more)
    try:
        return await _run(chunk, world)
    except (asyncio.CancelledError, Transient):  # told to leave, or to try again: nobody was lost
        await chunk.state.put_begun(chunk.number, begun)
        raise


async def _run(chunk: _Chunk, world: DatasetRequestWorld) -> ChunkEnd:
    """Run the cases; how that ended."""
    if await _find_cancelled(chunk, world) is not None:
        return ChunkEnd(state="cancelled")
    place = within_budgets(chunk.asked, await world.place.github.repo_file(), world.place)
    money = chunk.money(place)
    async with opened_again(chunk.plan, world) as (ready, cases):
        if money is None:
            purse = Purse(None, expected=ready.expected)
        else:
            purse = Purse(await money.open(), expected=ready.expected, more=money.take)
        end = await _run_ready(chunk, ready, cases, purse, world)
    if end.state == "out_of_money" and money is not None:
        return end.model_copy(update={"reason": money.refusal})
    return end


async def _run_ready(
    chunk: _Chunk, ready: Ready, cases: DatasetWorld, purse: Purse, world: DatasetRequestWorld
) -> ChunkEnd:
    plan = ready.plan.model_copy(update={"parallel": chunk.chunks.parallel})
    ready = Ready(plan, ready.specs, ready.estimate, ready.unpriced, ready.catalog)
    await world.live.begin(chunk.plan)
    watcher = LiveWatcher(world.live, plan.run_id, world.place.runs.clock)
    work = asyncio.create_task(
        run_dataset(ready, cases, watcher, only=frozenset(chunk.ids), purse=purse)
    )
    try:
        async with (
            alongside(_tell(chunk, ready, world)),
            alongside(_wait_for_cancel(chunk, world)) as cancelled,
        ):
            await asyncio.wait({work, cancelled}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                return ChunkEnd(state="cancelled")
            return ChunkEnd(state="complete" if await work else "out_of_money")
    finally:
        work.cancel()
        await asyncio.wait({work})


async def _wait_for_cancel(chunk: _Chunk, world: DatasetRequestWorld) -> None:
    """Wait until somebody cancels the run; while Redis is away, nobody can."""
    while True:
        await asyncio.sleep(LOOK_S)
        if await _find_cancelled(chunk, world) is not None:
            return


async def _find_cancelled(chunk: _Chunk, world: DatasetRequestWorld) -> str | None:
    """Who cancelled the run: by a command, or on a page."""
    by = await chunk.state.get_cancelled()
    if by is None:
        with suppress(Transient):
            by = await world.live.find_cancelled(chunk.plan.run_id)
        if by is not None:
            await chunk.state.cancel(by)
    return by


async def _tell(chunk: _Chunk, ready: Ready, world: DatasetRequestWorld) -> None:
    """Keep the living comment up to date; one of the chunks under way does so at a time."""
    comment = await chunk.state.get_comment()
    if not comment:
        return
    place, tag = world.place, comment_tag(chunk.asked)
    mention = place.runs.settings.mention
    expected = describe_estimate(ready.estimate, chunk.plan)
    with suppress(Gone, Transient):  # another chunk goes on, and the report says it all
        async with place.ledger.hold(f"dataset-comment:{chunk.plan.run_id}"):
            while True:
                run = await world.live.look(chunk.plan.run_id)
                text = render_progress(chunk.plan, run, mention=mention, expected=expected)
                with suppress(Transient):
                    await place.github.edit_comment(comment, text, tag=tag, droppable=True)
                await asyncio.sleep(REST_S)


async def _settle(chunk: _Chunk, world: DatasetRequestWorld) -> None:
    """Replace what was set aside by what the cases have cost, as far as that is known."""
    money = chunk.money(world.place)
    if money is None:
        return
    spent = Decimal(0)
    own = chunk.plan.model_copy(update={"cases": chunk.ids})
    async for one in world.keeping.cases(own):
        if not await world.keeping.is_taken_over(chunk.plan, one.id):
            spent += one.known_cost_usd
    await money.close(spent)
