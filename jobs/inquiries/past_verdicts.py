"""What past runs of an eval case, and its canaries, say about its assertions, for `lint`."""

from jobs.checks.merge import list_scored
from jobs.inquiries.assertion_faults import Fault
from jobs.requests import Repo
from jobs.results import leave_out_pulls
from jobs.values import EvalCase
from jobs.weak_evals.past_runs import ResultReader, WeakEval, find_weak_eval
from jobs.world import World


async def find_past(case: EvalCase, repo: Repo, world: World) -> WeakEval | None:
    """What is weak about this very version of the case; nothing is run and nothing downloaded."""
    records = leave_out_pulls(await world.ledger.records(repo.full_name))
    reader = ResultReader(world.runs.blobs)
    return await find_weak_eval(case.id, case.digest, records, reader, list_scored(case))


def to_faults(weak: WeakEval | None) -> list[Fault]:
    """The same, each thing by itself."""
    found = weak.weaknesses if weak else ()
    return [Fault(one.assertion.id, one.what, one.advice) for one in found]
