"""What was measured before is read from the ledger and from comments, and counted once."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import pytest

from jobs.choosing.history import Conditions, Histories, History
from jobs.errors import Gone, Suspended, Transient
from jobs.planning.markers import render_marker
from jobs.ports import Comment, GitHub, Ledger
from jobs.results import RunRecord
from jobs.sequential.stop import Stop
from tests.builders import A_LEGACY_SHA, NOON, a_run_record, a_skill, an_eval_case

SONNET, OPUS = "claudesonnet46", "claudeopus47"
AS_USUAL = Conditions("api", "forced", "", 1)


def record(run: str = "r1", **changes: Any) -> RunRecord:
    return a_run_record(**({"run": run, "finished_at": NOON} | changes))


def comment(
    body: str, *, by: str = "skillbench[bot]", own: bool = True, number: int = 1
) -> Comment:
    at = NOON + timedelta(hours=number)
    return Comment(
        id=number, body=body, author=by, by_this_app=own, created_at=at, url=f"https://c/{number}"
    )


def older(model: str = "claude-sonnet-4-6", sha: str = A_LEGACY_SHA) -> str:
    return f'<!-- BENCHMARK_COMPLETE: {{"model": "{model}", "skill_sha": "{sha}"}} -->'


@dataclass
class Thread:
    """The comments of issue 21, or why there are none."""

    said: list[Comment] = field(default_factory=list)
    trouble: Exception | None = None

    async def comments(self, number: int) -> list[Comment]:
        assert number == 21
        if self.trouble is not None:
            raise self.trouble
        return self.said

    async def permission(self, login: str) -> str:
        return "write" if login == "mona" else "read"


async def history(thread: Thread, *records: RunRecord, issue: int = 21) -> History:
    reader = Histories(cast("GitHub", thread), cast("Ledger", None), records)
    return await reader.read("github-issue-21", issue)


async def test_a_run_that_ledger_and_report_tell_of_counts_once() -> None:
    one = record()
    found = await history(Thread([comment(render_marker(one))]), one, record("r2"))
    assert (found.count(), found.count(SONNET), found.count(OPUS)) == (2, 2, 0)
    assert found.last_run == NOON


async def test_after_redis_was_lost_the_reports_tell_it_all() -> None:
    found = await history(Thread([comment(render_marker(record(finished_at=None)))]))
    assert found.count(SONNET) == 1
    assert found.last_run == NOON + timedelta(hours=1), "when it was told"
    assert found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL)


async def test_ungraded_runs_other_comparisons_and_other_cases_count_for_nothing() -> None:
    found = await history(
        Thread(),
        record("r1", state="ungraded", score=None),
        record("r2", vs="b" * 64),
        record("r3", eval_id="github-issue-22"),
    )
    assert found.count() == 0
    assert found.last_run is None


@pytest.mark.parametrize(
    ("by", "own", "counts"),
    [("skillbench[bot]", True, 1), ("mona", False, 1), ("rudi", False, 0)],
)
async def test_older_reports_count_by_the_word_of_the_app_and_of_who_may_write(
    by: str, own: bool, counts: int
) -> None:
    found = await history(Thread([comment(older(), by=by, own=own)]))
    assert found.count(SONNET) == counts
    assert found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL) is bool(counts)


async def test_a_marker_that_somebody_forged_counts_for_nothing() -> None:
    forged = comment(render_marker(record()), by="mona", own=False)
    assert (await history(Thread([forged]))).count() == 0


async def test_an_older_report_that_says_it_twice_counts_once() -> None:
    prose = (
        "# Automated Benchmark Results\n\n| Model | claude-sonnet-4-6 |\n"
        f"| Skill version | `{A_LEGACY_SHA[:12]}` |\n\n{older()}"
    )
    found = await history(Thread([comment(prose)]))
    assert found.count(SONNET) == 1


@pytest.mark.parametrize("trouble", [Gone("issue 21 is not there"), Transient("GitHub is away")])
async def test_of_an_issue_that_cannot_be_read_the_ledger_alone_speaks(trouble: Exception) -> None:
    found = await history(Thread(trouble=trouble), record())
    assert (found.is_readable, found.count()) == (False, 1)


async def test_a_suspended_installation_is_no_unreadable_case() -> None:
    with pytest.raises(Suspended):
        await history(Thread(trouble=Suspended("the installation is suspended")))


async def test_a_case_without_an_issue_is_known_from_the_ledger() -> None:
    found = await history(Thread(trouble=AssertionError("nobody asks")), record(), issue=0)
    assert (found.is_readable, found.count()) == (True, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"eval_digest": "e" * 64},
        {"skill_sha": "b" * 64},
        {"model_identity": OPUS},
        {"launcher": "claude-code"},
        {"mode": "installed"},
        {"environment": "c" * 64},
    ],
)
async def test_a_run_of_another_version_or_another_way_measures_nothing_now(
    changes: dict[str, str],
) -> None:
    found = await history(Thread(), record(**changes))
    assert found.count() == 1
    assert not found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL)


async def test_more_trials_than_were_made_are_pending() -> None:
    found = await history(Thread([comment(older())]), record(trials=2))
    assert found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL._replace(trials=2))
    assert not found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL._replace(trials=3))


async def test_what_was_measured_until_sure_is_measured_however_few_trials_it_took() -> None:
    """Else a sweep would measure it every night."""
    stopped = Stop(why="higher", wins=8, ties=0, losses=0, most=20)
    found = await history(Thread(), record(trials=8, stopped=stopped))
    until_sure = AS_USUAL._replace(trials=20, until_sure="trials")
    assert found.covers(an_eval_case(), a_skill(), SONNET, until_sure)
    assert not found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL._replace(trials=20))


async def test_a_run_of_a_pull_request_counts_only_where_its_version_has_come() -> None:
    """Until it is merged it is no run of the case; then the same is not measured again."""
    found = await history(Thread(), record(pull=7))
    assert (found.count(), found.last_run) == (0, None)
    assert found.covers(an_eval_case(), a_skill(), SONNET, AS_USUAL)
