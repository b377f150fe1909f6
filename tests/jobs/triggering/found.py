"""Measurements that have ended, for tests of what is made of them."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from jobs.triggering.estimate import Estimate
from jobs.triggering.eval_set import EvalSet, make_eval_set
from jobs.triggering.found import Found
from jobs.triggering.observations import Observation, QueryResult
from jobs.triggering.optimization import Iteration, Optimization, Proof
from jobs.triggering.plan import TriggerRun
from jobs.values import Usage
from tests.builders import NOON, a_model, a_repo, a_skill


def a_trigger_run(**changes: Any) -> TriggerRun:
    defaults = {
        "run_id": "0123456789ab",
        "kind": "trigger",
        "skill": a_skill(),
        "neighbours": (),
        "eval_set": make_eval_set([("do it", True), ("leave it", False)], "set"),
        "source": "evals/trigger.json",
        "model": a_model(),
        "launcher": "api",
        "key": "d" * 64,
        "prefix": "runs/0123456789ab",
        "page_id": "e" * 32,
        "estimate": Estimate(sessions=10, tokens=10_000, usd=Decimal(1)),
        "most_usd": Decimal(5),
        "most_tokens": 100_000,
    }
    return TriggerRun.model_validate(defaults | changes)


def make_results(
    eval_set: EvalSet, fired: Sequence[Sequence[bool | None]], **more: Any
) -> tuple[QueryResult, ...]:
    """A result for each query, with one observation for each entry."""
    return tuple(
        QueryResult(
            query=query,
            observations=tuple(
                Observation(
                    query_id=query.id,
                    number=number,
                    fired=one,
                    detail="the stream broke off" if one is None else "",
                    **more,
                )
                for number, one in enumerate(seen, 1)
            ),
        )
        for query, seen in zip(eval_set.queries, fired, strict=True)
    )


def a_found(fired: Sequence[Sequence[bool | None]] = ((True,), (False,)), **changes: Any) -> Found:
    run = changes.pop("run", None) or a_trigger_run()
    defaults = {
        "run": run,
        "repo": a_repo(),
        "commit": "c" * 40,
        "runs_per_query": len(fired[0]),
        "results": make_results(run.eval_set, fired),
        "usage": Usage(requests=2, input_tokens=900, output_tokens=100, cost_usd=Decimal("0.1")),
        "started_at": NOON,
        "ended_at": NOON,
    }
    return Found.model_validate(defaults | changes)


def an_optimization(*descriptions: str, right: Sequence[int], proof: int | None = 3) -> Found:
    """Descriptions under which each query came out right in so many of three sessions.

    With `proof`, the last one did so in that many of the fresh sessions, the first one in none.
    """
    eval_set = make_eval_set(
        [(f"do {n}", True) for n in range(4)] + [(f"skip {n}", False) for n in range(4)], "set"
    )

    def results(count: int) -> tuple[QueryResult, ...]:
        return make_results(
            eval_set,
            [
                [one.should_trigger if n < count else not one.should_trigger for n in range(3)]
                for one in eval_set.queries
            ],
        )

    iterations = tuple(
        Iteration(
            number=number,
            description=description,
            train=results(count)[::2],
            test=results(count)[1::2],
        )
        for number, (description, count) in enumerate(zip(descriptions, right, strict=True), 1)
    )
    state = Optimization(
        original=descriptions[0],
        iterations=iterations,
        exit_reason=f"max_iterations ({len(iterations)})",
        proof=None if proof is None else Proof(original=results(0), best=results(proof)),
        holdout=0.5,
        train_size=4,
        test_size=4,
    )
    run = a_trigger_run(kind="optimize", eval_set=eval_set)
    return a_found([(True,)] * 8, run=run, results=(), optimization=state)
