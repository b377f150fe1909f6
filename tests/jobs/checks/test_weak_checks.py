"""A check that decides nothing over several runs is named like an assertion that does."""

from pathlib import Path
from typing import cast

from redis.asyncio import Redis

from jobs.checks.check import Check
from jobs.checks.merge import as_assertion
from jobs.inquiries.past_verdicts import find_past, to_faults
from jobs.world import World
from tests.builders import a_repo, a_result, a_run_spec, an_assertion_score, an_eval_case
from tests.jobs.inquiries.test_past_verdicts import Kept


async def test_a_check_that_both_arms_always_pass_is_named(redis: Redis, tmp_path: Path) -> None:
    check = Check(id="C1", command="true")
    case, kept = an_eval_case(checks=(check,)), Kept(redis, tmp_path)
    both = an_assertion_score(as_assertion(check), ("pass", "pass"), ("pass", "pass"))
    for number in range(3):
        spec = a_run_spec(run_id=f"{number:012x}", eval_case=case)
        await kept.keep(a_result(spec=spec, assertions=(both,)))
    found = to_faults(await find_past(case, a_repo(), cast("World", kept)))
    assert [(one.where, one.what) for one in found] == [
        ("C1", "passed in both arms of all 3 past runs")
    ]
