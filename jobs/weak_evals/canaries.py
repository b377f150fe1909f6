"""Has a judge read the canaries of an eval case, before a first result of the case counts.

Both canaries stand in one reading, in the prompt and the form of any other, so a judge cannot know
what it reads. The reading belongs to the eval case (by digest), the judge and the wording of both
the scoring prompt and the canaries: it is paid once, by the run that comes first, under a purse of
its own, and all other runs and models share it. It blocks no result: where a judge fails, the day
has no money left or a platform is away, the case is not checked, which says nothing about it.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import structlog
from pydantic import ValidationError

from jobs.errors import Gone, Refused, Transient
from jobs.judging.judge import ReadingSpec, Ungraded
from jobs.judging.prompt import PROMPT_VERSION
from jobs.ports import BlobStore
from jobs.readings import JudgePass
from jobs.results import RunResult
from jobs.sessions.run_limits import judge_limits
from jobs.sessions.transcript import JsonlTranscript, read_spent
from jobs.sessions.workspace import remove_tree
from jobs.side_purse import NotBegun, SidePurse
from jobs.values import RunSpec, Usage
from jobs.weak_evals.canary_check import CanaryCheck, CanaryVerdict
from jobs.weak_evals.fakes import CANARY_VERSION, place_canaries, write_canaries
from jobs.world import RunWorld

log = structlog.get_logger()

Stage = Callable[[Path], Awaitable[None]]
"""Puts the input files of the eval case into `input/` below a folder."""
Hold = Callable[[str], AbstractAsyncContextManager[None]]
"""Waits until nobody else works under a name."""


async def check_canaries(result: RunResult, stage: Stage, hold: Hold, world: RunWorld) -> None:
    """Have the canaries read, unless they were; what was found is kept for this run.

    Nothing is asked where that is not wanted, or a run has no score that could count. Raises
    `Transient` where the blob store or Redis stays away, and nothing else: a defect of ours costs
    the check alone.
    """
    if not result.spec.canaries or not result.graded or result.produced_nothing:
        return
    try:
        await _Check(result, stage, world).carry_out(hold)
    except Transient:
        raise
    except Exception:
        log.exception("canaries_not_read", run=_id(result))


async def with_canaries(result: RunResult, blobs: BlobStore) -> RunResult:
    """The result with what was found for its run; as it is where nothing was."""
    found = await _find(_told_at(_id(result)), blobs)
    return result if found is None else result.model_copy(update={"canaries": found})


async def find_newest_check(eval_digest: str, blobs: BlobStore) -> CanaryCheck | None:
    """The last reading of an eval case's canaries, by whichever judge; None without one."""
    return await _find(f"canaries/{eval_digest}/newest.json", blobs)


async def count_unread(specs: Iterable[RunSpec], blobs: BlobStore) -> int:
    """How many readings of canaries planned runs would have to pay for."""
    keys = {_kept_at(spec) for spec in specs if spec.canaries}
    return len([key for key in keys if not await blobs.exists(key)])


class _Check:
    """The canaries of one run's eval case."""

    def __init__(self, result: RunResult, stage: Stage, world: RunWorld) -> None:
        self._spec = result.spec
        self._id = _id(result)
        self._stage = stage
        self._world = world
        self._limits = judge_limits(world.settings)
        self._purse = SidePurse(
            asking="canaries",
            run_id=self._id,
            repo=result.spec.repo,
            most_usd=self._limits.cost_usd,
            world=world,
        )

    async def carry_out(self, hold: Hold) -> None:
        blobs = self._world.blobs
        check = await _find(_told_at(self._id), blobs)
        if check is None:
            key = _kept_at(self._spec)
            async with hold(key):  # who comes second waits, and finds it
                check = await _find(key, blobs) or await self._read_once()
                await blobs.put(_told_at(self._id), check.model_dump_json().encode())
        if check.paid_by == self._id:
            await self._purse.settle(check.usage.cost_usd)

    async def _read_once(self) -> CanaryCheck:
        """What a new reading says; one that brought nothing is kept for nobody else."""
        try:
            await self._purse.begin("the reading")
        except NotBegun as reason:
            return self._not_checked(str(reason))
        reading = await self._read()
        if isinstance(reading, str):
            return self._not_checked(reading, paid_by=self._id)
        if isinstance(reading, Ungraded):
            return self._not_checked(reading.reason, usage=reading.usage, paid_by=self._id)
        check = self._make_check(reading)
        content = check.model_dump_json().encode()
        blobs = self._world.blobs
        await blobs.put(f"canaries/{self._spec.eval_case.digest}/newest.json", content)
        await blobs.put(_kept_at(self._spec), content)
        return check

    async def _read(self) -> JudgePass | Ungraded | str:
        """The reading; a sentence where it could not begin."""
        case, world = self._spec.eval_case, self._world
        folder = world.scratch / f"reading-{self._id}"  # a judge may see where it works
        transcript = folder / "judge.jsonl"
        await asyncio.to_thread(remove_tree, folder)
        await asyncio.to_thread(write_canaries, case, folder / "pass-1")
        try:
            await self._stage(folder)
            with JsonlTranscript(transcript) as sink:
                return await world.judge.read(
                    ReadingSpec(
                        number=1,
                        candidates=folder / "pass-1",
                        case=case,
                        inputs=folder / "input",
                        judge=self._spec.judge,
                        limits=self._limits,
                    ),
                    sink,
                )
        except Refused as refusal:
            return str(refusal)
        except Gone:
            return "the input files are not to be had any more"
        except (asyncio.CancelledError, Exception):  # in good order, so what is spent is known
            spent = await asyncio.to_thread(read_spent, transcript)
            await self._purse.settle(spent)
            raise
        finally:
            await asyncio.to_thread(remove_tree, folder)

    def _make_check(self, reading: JudgePass) -> CanaryCheck:
        case = self._spec.eval_case
        places = place_canaries(case)
        return CanaryCheck(
            judge=self._spec.judge.sent,
            prompt_version=PROMPT_VERSION,
            assertions=tuple(one.id for one in case.assertions),
            satisfied=tuple(
                CanaryVerdict(
                    assertion=one.assertion,
                    canary=places[one.candidate],
                    verdict=one.verdict,
                    reason=one.reason,
                )
                for one in reading.verdicts
                if one.verdict in {"pass", "partial"}
            ),
            usage=reading.usage,
            paid_by=self._id,
        )

    def _not_checked(
        self, problem: str, *, usage: Usage | None = None, paid_by: str = ""
    ) -> CanaryCheck:
        return CanaryCheck(
            judge=self._spec.judge.sent,
            prompt_version=PROMPT_VERSION,
            problem=problem.rstrip("."),
            usage=usage or Usage(),
            paid_by=paid_by,
        )


def _id(result: RunResult) -> str:
    """A later judging of a run may have another judge."""
    return result.judging or result.spec.run_id


def _told_at(run_id: str) -> str:
    return f"runs/{run_id}/canaries.json"


def _kept_at(spec: RunSpec) -> str:
    judge = f"{spec.judge.provider}|{spec.judge.sent}|{PROMPT_VERSION}|{CANARY_VERSION}"
    name = hashlib.sha256(judge.encode()).hexdigest()[:24]
    return f"canaries/{spec.eval_case.digest}/{name}.json"


async def _find(key: str, blobs: BlobStore) -> CanaryCheck | None:
    stored = await blobs.get(key)
    if stored is None:
        return None
    try:
        return CanaryCheck.model_validate_json(stored)
    except ValidationError:  # of another version
        return None
