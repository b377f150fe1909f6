"""A server of pages with runs in every state."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from redis.asyncio import Redis

from bot.blobs import Blobs
from bot.store.live_datasets import RedisLiveRuns
from jobs.datasets.dialogue import Reply, ToolUse
from jobs.datasets.grades import Grade
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.live import LiveCase, LiveState, end_of
from jobs.datasets.plan import RunPlan
from jobs.datasets.report_files import store_report, write_report
from jobs.datasets.results import CaseResult
from tests.bot.web import some_settings, web_client
from tests.jobs.datasets.given import NOON, said
from tests.jobs.datasets.given_results import a_head, a_result, one_by_one

ENDED, RUNNING, CANCELLED = "aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"
HOSTILE = "<script>document.title='run'</script><img src=x onerror=alert(1)>\u202e"
ODD_ID = "a/../b?c=d&e#f 💊"


@dataclass(frozen=True, slots=True)
class Seeded:
    """The server, and what lies behind it."""

    client: httpx.AsyncClient
    redis: Redis
    keeping: DatasetKeeping
    live: RedisLiveRuns


def a_plan(run_id: str, cases: Sequence[str], **changes: Any) -> RunPlan:
    values: dict[str, Any] = {
        "run_id": run_id,
        "benchmark": "healthbench",
        "dataset": "sample",
        "digest": "ab" * 32,
        "source": "folder",
        "target_type": "llm_api",
        "typed": {"model": "claude-sonnet", "system_prompt": "Be brief."},
        "cases": tuple(cases),
        "parallel": 3,
        "judge": "",
        "user_model": "",
        "started_at": NOON,
        "asker": "maria",
    }
    return RunPlan.model_validate(values | changes)


def some_results() -> list[CaseResult]:
    """Seventy cases; one that nobody graded, one whose texts try to break out of the page."""
    results = [
        a_result(
            f"hb_{n:03}",
            "pass" if n % 3 else "fail",
            (n * 37 % 100) / 100,
            tags=("theme:hedging" if n % 2 else "theme:emergency",),
            by_tag={"axis:accuracy": (n * 13 % 10) / 10},
        )
        for n in range(68)
    ]
    lost = a_result("lost", "ungraded", trouble="target", dialogue=said(("are you there?", None)))
    reply = Reply(text=f"An answer {HOSTILE}", tool_calls=(ToolUse(name="look", result=HOSTILE),))
    odd = a_result(
        ODD_ID,
        title=HOSTILE,
        dialogue=said(("What now?", "See a doctor."), (HOSTILE, reply)),
        grade=Grade(
            outcome="scored",
            score=0.5,
            feedback=HOSTILE,
            detail={
                "rubric_results": [
                    {"criterion": "Advises a doctor", "criteria_met": True, "points": 5,
                     "explanation": "It says so."},
                    {"criterion": HOSTILE, "criteria_met": False, "explanation": HOSTILE},
                ],
                "raw": 0.5,
            },
        ),
        history=({"role": "assistant", "content": "Hello, how can I help?"},),
    )  # fmt: skip
    return [*results, lost, odd]


async def put_run(
    seeded: Seeded, plan: RunPlan, results: Sequence[CaseResult], state: LiveState, folder: Path
) -> None:
    """A run as workers leave it, and as they tell of it."""
    await seeded.keeping.put_plan(plan)
    await seeded.live.begin(plan)
    for one in results:
        await seeded.keeping.put_case(plan.run_id, one)
        await seeded.live.ended(plan.run_id, end_of(one))
    if state == "running":
        return
    head = a_head(
        run_id=plan.run_id, selected=len(plan.cases), state=state, started_at=plan.started_at,
        ended_at=plan.started_at + timedelta(minutes=3),
    )  # fmt: skip
    path = folder / f"{plan.run_id}.json"
    summary = await write_report(path, head, one_by_one(results))
    await store_report(seeded.keeping.blobs, plan.run_id, path, summary)
    await seeded.keeping.put_state(plan.run_id, state)
    await seeded.live.set_state(plan.run_id, state)


@asynccontextmanager
async def seeded_server(redis_url: str, folder: Path, **changes: Any) -> AsyncIterator[Seeded]:
    """The web process over a data folder; nothing has been run yet."""
    settings = some_settings(redis_url, data_dir=folder / "data", **changes)
    redis = Redis.from_url(redis_url)
    try:
        async with web_client(settings) as client:
            keeping = DatasetKeeping(Blobs(settings.blobs))
            yield Seeded(client, redis, keeping, RedisLiveRuns(redis))
    finally:
        await redis.aclose()


async def seed(seeded: Seeded, folder: Path) -> None:
    """One run that has ended, one that goes on, one that was cancelled."""
    results = some_results()
    names = [one.id for one in results]
    await put_run(seeded, a_plan(ENDED, names), results, "complete", folder)
    later = a_plan(
        RUNNING, names, started_at=NOON + timedelta(hours=1), asker="", target_type="mirobody"
    )
    await put_run(seeded, later, results[:20], "running", folder)
    for turn, name in enumerate(names[20:23]):
        case = LiveCase(id=name, turn=turn, since=NOON)
        await seeded.live.turned(RUNNING, case)
    better = [
        one.model_copy(
            update={
                "grade": one.grade.model_copy(update={"score": min(1.0, one.grade.score + 0.1)})
            }
        )
        if one.grade.score is not None
        else one
        for one in results[:40]
    ]
    stopped = a_plan(CANCELLED, names, started_at=NOON + timedelta(minutes=30))
    await put_run(seeded, stopped, better, "cancelled", folder)


def put_suite(folder: Path) -> None:
    """A benchmark in the data folder."""
    suite = folder / "data/datasets/healthbench"
    suite.mkdir(parents=True)
    (suite / "metadata.json").write_text('{"target": [{"type": "llm_api", "fields": {}}]}')
    (suite / "sample.jsonl").write_text(
        '{"id": "c1", "title": "t", "user": {"type": "manual", "strict_inputs": ["q"]}, '
        '"eval": {"evaluator": "exact", "expected": "a"}}\n'
    )
