"""Looks for a description that triggers better, and believes it only when it is shown.

Tries the original, asks for another from what went wrong, tries that, and so on; then lets
the best one and the original run once more on queries that taught nobody anything. Every
finished session and every proposal is kept, so a second carrying-out repeats none of them.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from pathlib import Path

from jobs.alongside import all_ended
from jobs.conversation import TranscriptSink
from jobs.judging.reading import add_usage
from jobs.triggering.defaults import MAX_ITERATIONS
from jobs.triggering.evaluation import Evaluator
from jobs.triggering.installed import Installed
from jobs.triggering.observations import Observation
from jobs.triggering.optimization import Iteration, Optimization, Proof
from jobs.triggering.proposals import Attempt, Proposal, Proposer
from jobs.triggering.scores import sum_usage
from jobs.triggering.split import Split
from jobs.values import Usage

FEW = 6
MOST_NAMED = 10
_BOTH = "These held-out queries also stand, in the same words, among those to learn from"
_FEW = "The held-out part has only {count} queries: what holds for them need not hold for others."

Install = Callable[[str, Path], Installed]
"""Prepares the skills with another description, in a new folder. Blocks; raises `Refused`."""
Changed = Callable[[Optimization], None]
"""Takes the state after every step."""
Heard = Callable[[int, Observation], None]
"""Takes each observation with the number of its iteration, 0 in the last comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimizer:
    """One optimization of one skill's description."""

    evaluator: Evaluator
    proposer: Proposer
    install: Install
    scratch: Path
    split: Split
    holdout: float
    max_iterations: int = MAX_ITERATIONS
    changed: Changed = lambda _: None
    heard: Heard = lambda _, __: None

    async def run(self, original: str, transcript: TranscriptSink) -> Optimization:
        """The whole search, from the original description.

        Raises `Transient` where the model cannot be asked, `Refused` where a description
        cannot be installed.
        """
        state = Optimization(
            original=original,
            usage=Usage(cost_usd=Decimal(0)),
            holdout=self.holdout,
            train_size=len(self.split.train),
            test_size=len(self.split.test),
            remarks=_remarks(self.split),
        )
        state = await self._search(state, transcript)
        if state.best.description != original:
            self.changed(state)
            state = await self._prove(state)
        self.changed(state)
        return state

    async def _search(self, state: Optimization, transcript: TranscriptSink) -> Optimization:
        description = state.original
        while True:
            number = len(state.iterations) + 1
            iteration = await self._try(number, description)
            spent = sum_usage((*iteration.train, *iteration.test))
            state = _moved(state, spent, iterations=(*state.iterations, iteration))
            self.changed(state)
            if iteration.all_train_passed:
                return _moved(state, exit_reason=f"all_passed (iteration {number})")
            if not iteration.train_scores.decided:  # there are no failures to learn from
                return _moved(state, exit_reason=f"nothing_seen (iteration {number})")
            if number == self.max_iterations:
                return _moved(state, exit_reason=f"max_iterations ({number})")
            proposal = await self._propose(state.iterations, transcript)
            state = _moved(state, proposal.usage)
            if proposal.description is None:
                return _moved(state, exit_reason=f"no_proposal ({proposal.problem})")
            description = proposal.description

    async def _try(self, number: int, description: str) -> Iteration:
        """Both parts in one batch, so that neither meets another hour of the model."""
        installed = await self._install(description, f"iteration-{number}")
        train, test = self.split
        results = await self.evaluator.evaluate(
            [*train, *test],
            installed,
            round_name=f"iteration-{number}",
            heard=lambda one: self.heard(number, one),
        )
        return Iteration(
            number=number,
            description=description,
            train=results[: len(train)],
            test=results[len(train) :],
        )

    async def _propose(
        self, iterations: Sequence[Iteration], transcript: TranscriptSink
    ) -> Proposal:
        """The next description, from the part to learn from alone."""
        blobs = self.evaluator.blobs
        key = f"{self.evaluator.prefix}/proposal-{len(iterations)}.json"
        if (kept := await blobs.get(key)) is not None:
            return Proposal.model_validate_json(kept)
        attempts = [Attempt(one.description, one.train) for one in iterations]
        proposal = await self.proposer.propose(attempts, transcript)
        self.evaluator.purse.take(proposal.usage)
        await blobs.put(key, proposal.model_dump_json().encode())
        return proposal

    async def _prove(self, state: Optimization) -> Optimization:
        """Best and original once more, side by side, on the held-out part."""
        original, best = await asyncio.gather(
            self._install(state.original, "proof-original"),
            self._install(state.best.description, "proof-best"),
        )
        before, after = await all_ended(
            self.evaluator.evaluate(
                self.split.test,
                installed,
                round_name="proof",
                heard=lambda one: self.heard(0, one),
            )
            for installed in (original, best)
        )
        spent = add_usage(sum_usage(before), sum_usage(after))
        return _moved(state, spent, proof=Proof(original=before, best=after))

    async def _install(self, description: str, name: str) -> Installed:
        return await asyncio.to_thread(self.install, description, self.scratch / name)


def _moved(state: Optimization, *spent: Usage, **changes: object) -> Optimization:
    usage = reduce(add_usage, spent, state.usage)
    return state.model_copy(update={"usage": usage, **changes})


def _remarks(split: Split) -> tuple[str, ...]:
    count = len(split.test)
    remarks = [_FEW.format(count=count)] if count < FEW else []
    learnt = {query.text: query.id for query in split.train}
    both = [f"{one.id} ({learnt[one.text]})" for one in split.test if one.text in learnt]
    if both:
        remarks.append(f"{_BOTH}: {', '.join(both[:MOST_NAMED])}.")
    return tuple(remarks)
