"""Planning a label asks GitHub a handful of questions, however large the repository is."""

from pathlib import Path

import pytest

from demo.github import LocalGitHub
from tests.openapi import check_exchanges
from tools.bench.planning import ISSUE, Planned, Size, plan_label, served

GOAL_CALLS = 6
"""Beside one call per 100 comments and one per author of an older report."""
ONCE = "GET /app"
"""Who we are is asked once by a process, not once by a label."""
OFTEN_KEPT = "GET /repos/{owner}/{repo}/contents/{path:path}"
"""The repository's own file is looked for once in minutes, by all workers together."""


async def plan_on(folder: Path, app_key: str, size: Size) -> Planned:
    async with served(folder, size, app_key) as (github, settings, repository):
        planned = await plan_label(github, settings, repository, folder / "scratch")
        check_exchanges(github.requests)
        assert planned.calls.pop(ONCE) == planned.calls.pop(OFTEN_KEPT) == 1
        return planned


@pytest.mark.parametrize("cases", [8, 200])
async def test_the_number_of_eval_cases_costs_no_call(tmp_path: Path, app_key: str, cases: int):
    planned = await plan_on(tmp_path, app_key, Size(skills=5, cases=cases))
    [run] = planned.plan.runs
    assert run.eval_case.id == f"github-issue-{ISSUE}"
    assert run.eval_case.source == "file"
    assert planned.calls.total() <= GOAL_CALLS, planned.calls


async def test_comments_cost_a_call_per_hundred_and_older_reports_one_per_author(
    tmp_path: Path, app_key: str
):
    size = Size(skills=2, cases=8, comments=210, legacy_authors=3)
    planned = await plan_on(tmp_path, app_key, size)
    assert len(planned.plan.runs) == 1, "strangers' reports prove nothing"
    assert planned.calls.total() <= GOAL_CALLS + 3 + 3, planned.calls
    kinds = {kind.partition(" ")[2].rpartition("/")[2]: n for kind, n in planned.calls.items()}
    assert kinds["comments"] == 3
    assert kinds["permission"] == 1 + 3


async def test_a_second_report_by_the_same_stranger_asks_nothing_more(tmp_path: Path, app_key: str):
    async with served(tmp_path, Size(skills=2, cases=8, legacy_authors=1), app_key) as scene:
        github, settings, repository = scene
        said = repository.issue(ISSUE).comments[-1]
        repository.comment(ISSUE, by="stranger-0", body=said.body)
        planned = await plan_label(github, settings, repository, tmp_path / "scratch")
        assert permission_calls(github) == 2, planned.calls


def permission_calls(github: LocalGitHub) -> int:
    return sum(sent.path.endswith("/permission") for sent in github.requests)
