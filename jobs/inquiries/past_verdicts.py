"""What past runs of an eval case say about its assertions: which of them tell nothing apart."""

from collections.abc import Sequence

from pydantic import ValidationError

from jobs.inquiries.assertion_faults import Fault
from jobs.ports import BlobStore
from jobs.reporting import numbers
from jobs.requests import Repo
from jobs.results import AssertionScore, RunResult, leave_out_pulls
from jobs.values import EvalCase, VerdictWord
from jobs.world import World

MOST_RUNS = 10
"""Past runs that are looked at, the newest."""
FEWEST_RUNS = 2
"""One run says little about a case."""


async def find_past_faults(case: EvalCase, repo: Repo, world: World) -> list[Fault]:
    """Assertions that came out the same in both arms of every kept run of this very case.

    Only runs against no skill count: that two versions of a skill fulfil an assertion alike says
    nothing against it.
    """
    records = leave_out_pulls(await world.ledger.records(repo.full_name))
    wanted = (case.id, case.digest, "none")
    same = [one for one in records if (one.eval_id, one.eval_digest, one.vs) == wanted]
    results = []
    for record in reversed(same[-MOST_RUNS:]):
        result = await _find(record.run, world.runs.blobs)
        if result is not None and result.graded:
            results.append(result)
    if len(results) < FEWEST_RUNS:
        return []
    faults = []
    for assertion in case.assertions:
        scored = [
            one
            for result in results
            for one in result.assertions
            if one.assertion.id == assertion.id
        ]
        if len(scored) == len(results):
            faults += _of_one(assertion.id, scored)
    return faults


async def _find(run_id: str, blobs: BlobStore) -> RunResult | None:
    """What is kept of a run; None where it was swept up, or is of another version."""
    stored = await blobs.get(f"runs/{run_id}/ended.json")
    if stored is None:
        return None
    try:
        return RunResult.model_validate_json(stored)
    except ValidationError:
        return None


def _of_one(name: str, scored: Sequence[AssertionScore]) -> list[Fault]:
    words: set[VerdictWord] = {
        verdict.verdict for one in scored for verdict in (*one.with_skill, *one.without_skill)
    }
    runs = numbers.plural(len(scored), "past run")
    if words == {"pass"}:
        return [
            Fault(
                name,
                f"passed in both arms of all {runs}",
                "it tells nothing apart; ask for more, or take it out",
            )
        ]
    if words == {"fail"}:
        return [
            Fault(
                name,
                f"failed in both arms of all {runs}",
                "no answer has fulfilled it; is it possible, and is it asked for?",
            )
        ]
    if not any(one.counted for one in scored):
        return [
            Fault(
                name,
                f"could be verified in none of {runs}",
                "it counts for nothing; ask for what the outputs themselves can show",
            )
        ]
    return []
