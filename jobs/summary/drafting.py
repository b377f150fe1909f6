"""The failure patterns of one skill, paid for once.

What the judge answered is kept by a digest of what it was asked, so that whoever asks for the
same summary again, after a crash or a week in which nothing was run, pays nothing. Money is set
aside before the asking and settled after it; an asking that was lost with its worker is counted
whole, since nobody knows what it had cost.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from decimal import Decimal
from uuid import uuid4

from jobs.errors import OverBudget, Refused, Transient
from jobs.keeping import request_folder
from jobs.requests import Request, Value
from jobs.sessions.run_limits import judge_limits
from jobs.sessions.transcript import JsonlTranscript, read_spent
from jobs.sessions.workspace import remove_tree
from jobs.summary.patterns import (
    PROMPT_VERSION,
    Drafted,
    PatternDrafter,
    choose_shown,
    render_prompt,
)
from jobs.summary.verdicts import Findings
from jobs.world import RunWorld, World

MOST_BEGINNINGS = 5
"""Workers that one asking may be lost with."""


class _Kept(Value):
    """An answer as it is kept, and by which request it was asked for."""

    request: str
    drafted: Drafted


async def draft_patterns(
    skill: str, findings: Sequence[Findings], request: Request, asked: str, world: World
) -> Drafted:
    """The patterns in a skill's failures, by the judge that is `asked` for by name.

    Never raises for the judge's sake: what went wrong is the `problem`. Its usage is what was
    paid in this asking, nothing where the answer was kept.
    """
    failing = [one for one in findings if one.unmet or one.report]
    if not failing:
        return Drafted()
    try:
        judge = await world.runs.catalog.resolve(asked)
    except (Refused, Transient) as problem:
        return Drafted(asked=True, problem=str(problem))
    shown = choose_shown(failing)
    prompt = render_prompt(skill, shown, len(failing) - len(shown))
    identity = f"{PROMPT_VERSION}\n{judge.provider}\n{judge.sent}\n{prompt}"
    digest = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()
    drafter = PatternDrafter(
        agent=world.runs.judge.agent,
        model=judge,
        limits=judge_limits(world.runs.settings),
        known=tuple(one.eval_id for one in shown),
    )
    asking = _Asking(digest, prompt, drafter, request, world.runs)
    async with world.ledger.hold(f"summary:{digest}"):  # who asks for the same waits and finds it
        return await asking.carry_out()


class _Asking:
    """One question to the judge, begun and ended once."""

    def __init__(
        self, digest: str, prompt: str, drafter: PatternDrafter, request: Request, runs: RunWorld
    ) -> None:
        self._prompt = prompt
        self._drafter = drafter
        self._request = request
        self._runs = runs
        self._key = f"runs/summary-{digest[:32]}"
        asking = f"{request_folder(request)}|{digest}"
        self._asking = hashlib.sha256(asking.encode()).hexdigest()[:12]

    async def carry_out(self) -> Drafted:
        """The answer, kept or new."""
        blobs, budget = self._runs.blobs, self._runs.budget
        begun = int(await blobs.get(self._begun) or 0)
        kept = await self._find_kept()
        if kept is not None:
            if begun and kept.request == request_folder(self._request):
                await budget.settle(self._purse(begun), kept.drafted.usage.cost_usd or Decimal(0))
                return kept.drafted
            return Drafted(patterns=kept.drafted.patterns, asked=True)
        if begun >= MOST_BEGINNINGS:
            return Drafted(
                asked=True, problem=f"the judge was asked {begun} times and lost each time"
            )
        purse = self._purse(begun + 1)
        try:
            await budget.reserve(purse, self._request.repo, self._drafter.limits.cost_usd)
        except OverBudget as over:
            return Drafted(asked=True, problem=str(over))
        await blobs.put(self._begun, str(begun + 1).encode())
        drafted = await self._ask(purse)
        answer = _Kept(request=request_folder(self._request), drafted=drafted)
        await blobs.put(f"{self._key}/answer.json", answer.model_dump_json().encode())
        await budget.settle(purse, drafted.usage.cost_usd or Decimal(0))
        return drafted

    @property
    def _begun(self) -> str:
        return f"{self._key}/{self._asking}.begun"

    def _purse(self, number: int) -> str:
        """Under which the money of one beginning is set aside; a lost one keeps it whole."""
        return f"summary-{self._asking}-{number}"

    async def _find_kept(self) -> _Kept | None:
        """What was answered before; a failure counts for its own request alone."""
        stored = await self._runs.blobs.get(f"{self._key}/answer.json")
        if stored is None:
            return None
        kept = _Kept.model_validate_json(stored)
        is_own = kept.request == request_folder(self._request)
        return kept if is_own or not kept.drafted.problem else None

    async def _ask(self, purse: str) -> Drafted:
        folder = self._runs.scratch / f"summary-{uuid4().hex[:12]}"
        await asyncio.to_thread(folder.mkdir, parents=True)
        transcript = folder / "judge.jsonl"
        try:
            with JsonlTranscript(transcript) as sink:
                return await self._drafter.draft(self._prompt, sink)
        except asyncio.CancelledError:  # stopped in good order, so what it had spent is known
            spent = await asyncio.to_thread(read_spent, transcript)
            await self._runs.budget.settle(purse, spent)
            raise
        finally:
            await asyncio.to_thread(remove_tree, folder)
