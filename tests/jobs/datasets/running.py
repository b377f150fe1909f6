"""A run of a dataset in miniature: a real store, real cases, a model that answers by a rule."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from bot.blobs import Blobs
from jobs.conversation import (
    ConversationEnd,
    ConversationSpec,
    TranscriptEvent,
    TranscriptSink,
)
from jobs.datasets.case_run import CaseWorld
from jobs.datasets.cases import DatasetCase
from jobs.datasets.dialogue import Dialogue
from jobs.datasets.keeping import DatasetKeeping
from jobs.datasets.loading import Dataset, load_dataset
from jobs.datasets.ready import DatasetWorld
from jobs.datasets.results import CaseResult
from jobs.errors import Refused
from jobs.targets.target import TargetWorld
from jobs.values import Limits, Model, Usage
from tests.builders import NOON
from tests.jobs.datasets.given import NoPrograms

LIMITS = Limits(wall_s=9, idle_s=9, turns=9, output_tokens=9, total_tokens=9, cost_usd=Decimal(9))


class Catalog:
    """Knows every model but `nobody`; an alias is what it was set to last."""

    def __init__(self) -> None:
        self.sent: dict[str, str] = {}
        self.asked: list[str] = []

    async def resolve(self, asked: str) -> Model:
        self.asked.append(asked)
        if asked == "nobody":
            raise Refused("no provider knows `nobody`")
        sent = self.sent.get(asked, asked)
        return Model(asked=asked, sent=sent, identity=sent, provider="anthropic")

    def price_known(self, _: Model) -> bool:
        return True


def end_with(text: str, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
    """A conversation that ended with this answer for one cent; "!stalled" and such are ends."""
    usage = Usage(requests=1, input_tokens=10, output_tokens=5, cost_usd=Decimal("0.01"))
    transcript.write(TranscriptEvent(NOON, "usage", usage.model_dump()))
    end: Any = text[1:] if text.startswith("!") else "completed"
    return ConversationEnd(
        end=end,
        last_text="" if text.startswith("!") else text,
        turns=1,
        tool_calls=0,
        failed_tool_calls=0,
        retries=0,
        usage=usage,
        served_models=(spec.model.sent,),
    )


@dataclass(slots=True)
class RuledAgent:
    """Answers by a rule, which may wait or raise; each answer costs one cent."""

    answer: Callable[[ConversationSpec], Any]
    asked: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        self.asked.append(spec.prompt)
        self.models.append(spec.model.sent)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            text: str = await self.answer(spec)
        finally:
            self.in_flight -= 1
        return end_with(text, spec, transcript)


@dataclass(slots=True)
class Seen:
    """What a watcher was told."""

    began_ids: list[str] = field(default_factory=list)
    results: list[CaseResult] = field(default_factory=list)

    async def began(self, case: DatasetCase) -> None:
        self.began_ids.append(case.id)

    async def turned(self, case_id: str, dialogue: Dialogue) -> None:
        assert case_id in self.began_ids
        assert dialogue.turns

    async def ended(self, result: CaseResult) -> None:
        self.results.append(result)


def write_suite(
    root: Path, *, cases: int = 4, max_concurrency: int = 0, **changes: Mapping[str, Any]
) -> Dataset:
    """A suite `demo` with one dataset `sample`: each question is its own right answer."""
    folder = root / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "target": {"type": "llm_api", "fields": {"model": {"default": "m"}}},
        "max_concurrency": max_concurrency,
    }
    (folder / "metadata.json").write_text(json.dumps(settings), encoding="utf-8")
    lines = [
        json.dumps(
            {
                "id": f"c{number}",
                "title": f"Case {number}",
                "user": {"type": "manual", "strict_inputs": [f"say c{number}"]},
                "eval": {"evaluator": "exact", "expected": [f"c{number}"]},
                **changes.get(f"c{number}", {}),
            }
        )
        for number in range(cases)
    ]
    (folder / "sample.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return load_dataset(root, "demo", "sample")


async def right(spec: ConversationSpec) -> str:
    """The right answer to a question of `write_suite`."""
    return spec.prompt.removeprefix("say ")


@asynccontextmanager
async def dataset_world(
    folder: Path, agent: RuledAgent, catalog: Catalog | None = None
) -> AsyncIterator[DatasetWorld]:
    """A world whose store is in `folder`, so that two of them share it."""
    async with httpx.AsyncClient() as http:
        catalog = catalog or Catalog()
        target = TargetWorld(
            agent=agent,
            catalog=catalog,
            http=http,
            sandboxes=None,
            environment={},
            limits=LIMITS,
            suite=None,
            scratch=folder,
        )
        yield DatasetWorld(
            cases=CaseWorld(target=target, agent=agent, programs=NoPrograms(), clock=lambda: NOON),
            keeping=DatasetKeeping(Blobs((folder / "blobs").as_uri())),
            catalog=catalog,
            default_judge="judge",
            default_user_model="user",
        )
