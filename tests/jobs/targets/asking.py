"""A server that plays a service, a world to ask it from, and a model that answers by a rule."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from demo.github.serving import open_socket, serving
from jobs.conversation import ConversationSpec
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Reply, Said
from jobs.datasets.suites import TargetChoice
from jobs.targets.registry import TARGETS, make_fields
from jobs.targets.target import TargetWorld
from jobs.values import Limits
from tests.jobs.datasets.given import a_case
from tests.jobs.datasets.test_case_run import Catalog, SmallAgent

EXACT = {"evaluator": "exact", "expected": ["Paris"]}
EMAIL = "user1@demo"
SECRET = "sk-very-secret"


@dataclass(slots=True)
class Service:
    """Answers every request by a rule, and remembers what it was asked."""

    answer: Callable[[str, Any], Response | dict[str, Any]]
    """From the path and the JSON of a request."""
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    """Method, path and JSON."""
    headers: list[dict[str, str]] = field(default_factory=list)

    async def handle(self, request: Request) -> Response:
        content = await request.body()
        body = json.loads(content) if content else None
        self.asked.append((request.method, request.url.path, body))
        self.headers.append(dict(request.headers))
        given = self.answer(request.url.path, body)
        return given if isinstance(given, Response) else JSONResponse(given)

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[str]:
        methods = ["GET", "POST"]
        app = Starlette(routes=[Route("/{path:path}", self.handle, methods=methods)])
        bound = open_socket("127.0.0.1", 0)
        address = f"http://127.0.0.1:{bound.getsockname()[1]}"
        async with serving(app, bound):
            yield address


def limits(wall_s: float = 20.0) -> Limits:
    return Limits(
        wall_s=wall_s, idle_s=9, turns=1, output_tokens=9, total_tokens=9, cost_usd=Decimal(9)
    )


@asynccontextmanager
async def a_world(
    tmp_path: Path,
    *,
    answer: Callable[[ConversationSpec], str] = lambda _: "Paris",
    wall_s: float = 20.0,
    **changes: Any,
) -> AsyncIterator[TargetWorld]:
    """A world; variables of the environment are given as `environment`."""
    async with httpx.AsyncClient() as http:
        parts: dict[str, Any] = {
            "agent": SmallAgent(answer),
            "catalog": Catalog(),
            "http": http,
            "sandboxes": None,
            "environment": {},
            "limits": limits(wall_s),
            "suite": tmp_path / "suite",
            "scratch": tmp_path / "scratch",
        }
        yield TargetWorld(**parts | changes)


async def ask(
    target: str,
    fields: dict[str, Any],
    world: TargetWorld,
    *texts: str,
    case: DatasetCase | None = None,
) -> list[Reply]:
    """The answers to some turns of one dialogue."""
    case = case or a_case(EXACT)
    choice = TargetChoice.model_validate({"type": target, **fields})
    conversation = await TARGETS[target].open(make_fields(choice, case, {}), case, world)
    try:
        return [await conversation.reply(Said(text=text)) for text in texts or ("a question",)]
    finally:
        await conversation.close()


def write_records(suite: Path, *entries: dict[str, Any], profile: object = None) -> Path:
    """A person's folder of data."""
    folder = suite / ".data" / EMAIL.replace("@", "_AT_")
    folder.mkdir(parents=True)
    (folder / "timeline.json").write_text(json.dumps({"entries": entries}))
    (folder / "profile.json").write_text(json.dumps(profile or {"age": 41}))
    (folder / "events.json").write_text('{"answer": 42}')
    return folder


def device(time: str, indicator: str, value: object) -> dict[str, Any]:
    return {"entry_type": "device_indicator", "time": time, "indicator": indicator, "value": value,
            "unit": "bpm", "device_type": "watch"}  # fmt: skip


def exam(time: str, indicator: str, value: object) -> dict[str, Any]:
    return {"entry_type": "exam_indicator", "time": time, "indicator": indicator, "value": value,
            "unit": "g/l", "exam_type": "blood", "exam_location": "clinic"}  # fmt: skip


def event(time: str, name: str) -> dict[str, Any]:
    return {"entry_type": "event", "time": time, "end_time": None,
            "event": {"event_id": name, "event_type": "sport", "event_name": name,
                      "start_date": time, "duration_days": 3, "interrupted": False}}  # fmt: skip
