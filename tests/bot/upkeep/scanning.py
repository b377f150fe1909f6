"""A scan in a test: run it, leave something behind for it, see what it took up."""

import json
from datetime import timedelta
from typing import Any

from bot.blobs import Blobs
from bot.github.tags import with_tag
from bot.queues import JOB_KEY, REQUESTS
from bot.upkeep.scan import Scan
from handlers.questions import HandlerContext
from jobs.keeping import request_folder
from jobs.living_comment import comment_tag
from jobs.planning.plan import Plan
from jobs.reporting.progress_comment import ProgressComment, RunRow, render_progress
from jobs.requests import Inquiry, Request
from tests.bot.upkeep.conftest import World

LABEL = "needs-benchmark"
COMMAND = "@skillbench run claude-sonnet"


async def scan(world: World, **changes: Any) -> None:
    async def find_context() -> HandlerContext:
        return world.context

    async def answer(inquiry: Inquiry) -> str:
        return f"the answer to {inquiry.name}"

    given: dict[str, Any] = {
        "app": world.app,
        "redis": world.redis,
        "blobs": blobs(world),
        "find_context": find_context,
        "answer": answer,
        "clock": world.now,
    }
    await Scan(**(given | changes)).run()


def blobs(world: World) -> Blobs:
    return Blobs(world.settings.blobs)


async def requests(world: World) -> list[Request]:
    """What waits to be carried out."""
    ids = await world.redis.zrange(REQUESTS, 0, -1)
    jobs = [await world.redis.get(JOB_KEY + job.decode()) for job in ids]
    return [Request.model_validate(json.loads(job)["a"][0]) for job in jobs if job]


def a_request(world: World, **changes: Any) -> Request:
    """A request as a label on issue 7 makes it."""
    repo = world.handle.repository
    installation = world.gh.installation_id
    given: dict[str, Any] = {
        "key": "label:acme/skills#7",
        "repo": {"owner": "acme", "name": repo.name, "installation_id": installation},
        "issue": 7,
        "asker": "mona",
        "origin": "label",
        "asked_at": world.now() + timedelta(microseconds=123),
    }
    return Request.model_validate(given | changes)


async def begin(world: World, request: Request, *, state: str = "running") -> None:
    """Leave a living comment and a plan, as a worker that was killed would."""
    row = RunRow.model_validate({"title": "github-issue-7", "state": state})
    body = render_progress(ProgressComment(asker=request.asker, rows=(row,)))
    tag = comment_tag(request)
    world.handle.comment(request.issue, by=world.gh.bot_login, body=with_tag(body, tag))
    plan = Plan(request=request, commit="c" * 40, runs=(), duplicates=(), refused=())
    await blobs(world).put(f"{request_folder(request)}/plan.json", plan.model_dump_json().encode())
