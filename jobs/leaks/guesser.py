"""Asks the guesser about a sample of runs, after their scores are there.

The answer changes no score and blocks nothing: where the guesser fails, the day has no money left
or a platform is away, the run is not guessed, which says nothing. The same runs are in the sample
whenever they are carried out, and each is asked about once, under a purse of its own.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

import structlog
from pydantic import ValidationError

from config.settings import Settings
from jobs.conversation import ConversationEnd, ConversationSpec
from jobs.errors import Refused, Transient
from jobs.judging.blind import PassNumber, get_arm, get_first_arm
from jobs.judging.candidates import prepare_candidates
from jobs.judging.prompt import TEMPERATURE
from jobs.leaks.guess import Guess
from jobs.leaks.question import GUESS_VERSION, SYSTEM, read_answer, render_question
from jobs.ports import BlobStore
from jobs.results import RunResult
from jobs.sessions.bundle import read_bundle
from jobs.sessions.run_limits import judge_limits
from jobs.sessions.transcript import JsonlTranscript, read_spent
from jobs.sessions.workspace import remove_tree
from jobs.side_purse import NotBegun, SidePurse
from jobs.steps import SessionKey
from jobs.values import Arm, Limits, Model, RunSpec
from jobs.world import RunWorld

log = structlog.get_logger()

MOST_USD = Decimal("0.25")
"""Of one guess; a judge's reading may cost less where the operator says so, and so may this."""
WALL_S = 180.0
"""Seconds of one guess."""
ANSWER_TOKENS = 4_000
"""Room for a model that thinks before it answers."""
_DRAWS = 2**32
"""How many different numbers a run can draw."""

_FAILED = {
    "rate_limited": "its provider kept refusing requests for their rate",
    "stalled": "its model stopped sending",
    "error": "its model could not be reached",
    "refused": "its model declined to answer",
    "timeout": "it reached its time limit",
    "max_cost": "it reached its cost or token limit",
}


async def ask_guesser(
    result: RunResult, bundles: Mapping[SessionKey, Path], world: RunWorld
) -> None:
    """Have a run guessed that is in the sample, unless it was; the answer is kept for it.

    Raises `Transient` where the blob store or Redis stays away, and nothing else: a defect of ours
    costs the guess alone.
    """
    spec = result.spec
    wanted = may_be_guessed(spec) and is_in_sample(spec.run_id, world.settings.guesser_share)
    if not wanted or not result.graded or not _has_both_outputs(result):
        return
    try:
        await _Asking(result, bundles, world).carry_out()
    except Transient:
        raise
    except Exception:
        log.exception("run_not_guessed", run=spec.run_id)


async def with_guess(result: RunResult, blobs: BlobStore) -> RunResult:
    """The result with what was guessed about its run; as it is where nothing was."""
    found = await _find(result.spec.run_id, blobs)
    return result if found is None else result.model_copy(update={"guess": found})


def may_be_guessed(spec: RunSpec) -> bool:
    """Whether there is anything to guess: an output with the skill, and one without."""
    return spec.guesser and spec.other is None


def is_in_sample(run_id: str, share: float) -> bool:
    """Whether a run is among the `share` of all that are asked about."""
    return _draw(run_id, "sample") < share


def guess_limits(settings: Settings) -> Limits:
    """What one guess may use."""
    reading = judge_limits(settings)
    return reading.model_copy(
        update={
            "wall_s": min(reading.wall_s, WALL_S),
            "turns": 1,
            "output_tokens": min(reading.output_tokens, ANSWER_TOKENS),
            "cost_usd": min(reading.cost_usd, MOST_USD),
        }
    )


def choose_order(run_id: str) -> PassNumber:
    """The reading in whose order a run's outputs are shown.

    The judge's first reading has the same order in all runs of an eval case and a version of its
    skill; a guesser that prefers a place would always be right about some of them, or never.
    """
    return 1 if _draw(run_id, "order") < 1 / 2 else 2


def _draw(run_id: str, what: str) -> float:
    """A number from 0 to 1 that a run has drawn, the same whenever it is looked at."""
    digest = hashlib.sha256(f"guesser:{what}:{run_id}".encode()).digest()
    return int.from_bytes(digest[:4]) / _DRAWS


def _choose_trial(result: RunResult) -> int:
    """The first trial with a score."""
    return next((one.number for one in result.whole_trials), 1)


def _has_both_outputs(result: RunResult) -> bool:
    """An arm that left nothing is told by that, and no word gives it away."""
    trial = _choose_trial(result)
    return all(one.outputs for one in result.sessions if one.trial == trial)


class _Asking:
    """The question about one run."""

    def __init__(
        self, result: RunResult, bundles: Mapping[SessionKey, Path], world: RunWorld
    ) -> None:
        self._result = result
        self._spec = result.spec
        self._bundles = bundles
        self._world = world
        self._limits = guess_limits(world.settings)
        self._trial = _choose_trial(result)
        self._order = choose_order(self._spec.run_id)
        self._purse = SidePurse(
            asking="guess",
            run_id=self._spec.run_id,
            repo=self._spec.repo,
            most_usd=self._limits.cost_usd,
            world=world,
        )

    async def carry_out(self) -> None:
        guess = await _find(self._spec.run_id, self._world.blobs)
        if guess is None:
            guess = await self._guess()
            key = _kept_at(self._spec.run_id)
            await self._world.blobs.put(key, guess.model_dump_json().encode())
        await self._purse.settle(guess.usage.cost_usd)

    async def _guess(self) -> Guess:
        asked = self._world.settings.guesser_model
        try:
            model = await self._world.catalog.resolve(asked)
        except (Refused, Transient) as unknown:
            return self._make_guess(asked, problem=str(unknown))
        try:
            await self._purse.begin("the asking")
        except NotBegun as reason:
            return self._make_guess(model.sent, problem=str(reason))
        end = await self._ask(model)
        served = end.served_models[-1] if end.served_models else ""
        told = {"served": served, "usage": end.usage}
        answered = read_answer(end.last_text)
        if answered is None:
            problem = _FAILED.get(end.end, "its answer names no output, or both")
            return self._make_guess(model.sent, problem=problem, **told)
        arm = get_arm(answered.candidate, self._order, self._result.candidate_1_is)
        right = arm is Arm.WITH_SKILL
        return self._make_guess(model.sent, right=right, reason=answered.reason, **told)

    async def _ask(self, model: Model) -> ConversationEnd:
        """The answer, over a scrubbed copy of both outputs, in a conversation without tools."""
        folder = self._world.scratch / f"guess-{self._spec.run_id}"
        transcript = folder / "guesser.jsonl"
        await asyncio.to_thread(remove_tree, folder)
        await asyncio.to_thread(folder.mkdir, parents=True)
        try:
            prompt = await asyncio.to_thread(self._render, folder)
            with JsonlTranscript(transcript) as sink:
                return await self._world.judge.agent.converse(
                    ConversationSpec(
                        model=model,
                        system=SYSTEM,
                        prompt=prompt,
                        toolbox=None,
                        limits=self._limits,
                        max_answer_tokens=ANSWER_TOKENS,
                        temperature=TEMPERATURE,
                    ),
                    sink,
                )
        except (asyncio.CancelledError, Exception):  # in good order, so what is spent is known
            await self._purse.settle(await asyncio.to_thread(read_spent, transcript))
            raise
        finally:
            await asyncio.to_thread(remove_tree, folder)

    def _render(self, folder: Path) -> str:
        """The question, about what the judge was shown of one trial. Blocks."""
        spec, outputs = self._spec, {}
        for arm in spec.arms:
            unpacked = folder / f"unpacked-{arm}"
            read_bundle(self._bundles[SessionKey(arm, self._trial)], unpacked)
            outputs[arm] = unpacked / "output"
        first = get_first_arm(self._order, self._result.candidate_1_is)
        # what only tools could open is not shown, so it need not be searched either
        candidates = prepare_candidates(
            outputs, spec.eval_case, spec.skills, folder / "shown", first, search_s=0
        )
        return render_question(spec.eval_case, spec.skill, candidates.folder)

    def _make_guess(self, model: str, **changes: object) -> Guess:
        fields = {"model": model, "version": GUESS_VERSION, "trial": self._trial}
        guess = Guess.model_validate({**fields, "shown_as": self._order, **changes})
        return guess.model_copy(update={"problem": guess.problem.rstrip(".")})


def _kept_at(run_id: str) -> str:
    return f"runs/{run_id}/guess.json"


async def _find(run_id: str, blobs: BlobStore) -> Guess | None:
    stored = await blobs.get(_kept_at(run_id))
    if stored is None:
        return None
    try:
        return Guess.model_validate_json(stored)
    except ValidationError:  # of another version
        return None
