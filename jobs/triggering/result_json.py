"""Results in the shape that skill-creator's tools read, with our own facts beside it.

Its keys are all there and mean what they mean there; what it has no word for (a query of
which nothing was seen, an interval, the last comparison) stands under keys of its own.
"""

from collections.abc import Sequence
from typing import Any

from jobs.statistics.intervals import find_rate_interval
from jobs.triggering.observations import QueryResult
from jobs.triggering.optimization import Iteration, Optimization, Proof
from jobs.triggering.scores import Scores, score_queries, sum_usage
from jobs.values import Usage


def make_evaluation_json(
    skill_name: str, description: str, results: Sequence[QueryResult], remarks: Sequence[str] = ()
) -> dict[str, Any]:
    """One evaluation."""
    scores = score_queries(results)
    return {
        "skill_name": skill_name,
        "description": description,
        "results": [_make_row(result) for result in results],
        "summary": {
            "total": len(results),
            "passed": scores.passed,
            "failed": scores.decided - scores.passed,
            "missing": scores.missing,
        },
        "scores": _make_scores(scores),
        "usage": _make_usage(sum_usage(results)),
        "remarks": list(remarks),
    }


def make_optimization_json(found: Optimization) -> dict[str, Any]:
    """An optimization that has run at least one iteration."""
    best = found.best
    return {
        "exit_reason": found.exit_reason or "running",
        "original_description": found.original,
        "best_description": best.description,
        "best_score": _fraction(best.test_scores, found.test_size),
        "best_train_score": _fraction(best.train_scores, found.train_size),
        "best_test_score": _fraction(best.test_scores, found.test_size),
        "final_description": found.iterations[-1].description,
        "iterations_run": len(found.iterations),
        "holdout": found.holdout,
        "train_size": found.train_size,
        "test_size": found.test_size,
        "history": [_make_iteration(iteration) for iteration in found.iterations],
        "improved": found.improved,
        "chosen_description": found.chosen,
        "proof": _make_proof(found.proof) if found.proof else None,
        "usage": _make_usage(found.usage),
        "remarks": list(found.remarks),
    }


def _make_row(result: QueryResult) -> dict[str, Any]:
    interval = find_rate_interval(result.fired, result.seen)
    return {
        "query": result.query.text,
        "should_trigger": result.query.should_trigger,
        "trigger_rate": result.rate,
        "triggers": result.fired,
        "runs": result.seen,
        "pass": None if result.verdict == "missing" else result.verdict == "pass",
        "id": result.query.id,
        "interval": list(interval) if interval else None,
        "missing": len(result.observations) - result.seen,
        "missing_because": sorted({one.detail for one in result.observations if one.detail}),
        "other_skills": result.others,
    }


def _make_iteration(iteration: Iteration) -> dict[str, Any]:
    train, test = iteration.train_scores, iteration.test_scores
    train_rows = [_make_row(result) for result in iteration.train]
    counted = {
        "passed": train.passed,
        "failed": train.decided - train.passed,
        "total": len(iteration.train),
    }
    return {
        "iteration": iteration.number,
        "description": iteration.description,
        **{f"train_{name}": count for name, count in counted.items()},
        "train_results": train_rows,
        "test_passed": test.passed,
        "test_failed": test.decided - test.passed,
        "test_total": len(iteration.test),
        "test_results": [_make_row(result) for result in iteration.test],
        **counted,
        "results": train_rows,
        "train_scores": _make_scores(train),
        "test_scores": _make_scores(test),
    }


def _make_proof(proof: Proof) -> dict[str, Any]:
    interval = proof.interval
    return {
        "difference": proof.difference,
        "interval": list(interval) if interval else None,
        "original_results": [_make_row(result) for result in proof.original],
        "best_results": [_make_row(result) for result in proof.best],
    }


def _make_scores(scores: Scores) -> dict[str, Any]:
    return {
        **scores.model_dump(),
        "precision": scores.precision,
        "recall": scores.recall,
        "accuracy": scores.accuracy,
        "f1": scores.f1,
    }


def _make_usage(usage: Usage) -> dict[str, Any]:
    return {
        "requests": usage.requests,
        "tokens": usage.total_tokens,
        "cost_usd": None if usage.cost_usd is None else float(usage.cost_usd),
    }


def _fraction(scores: Scores, total: int) -> str:
    return f"{scores.passed}/{total}"
