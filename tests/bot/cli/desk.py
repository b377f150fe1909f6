"""A folder with a suite, and `skillbench dataset` as a process beside it."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from demo.model_api import Asked, Gate, HttpError, Reply, ScriptedModelApi, Stall
from demo.model_api.steps import Step
from tests.bot.cli.processes import WAIT_S, environment

CAPITALS = {"France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Peru": "Lima"}


@dataclass
class Model:
    """Knows all capitals but one, and judges by whether the right one is named."""

    wrong: str = "Spain"
    down: set[str] = field(default_factory=set)
    """Countries at which the model API fails."""
    gate: Gate | None = None
    """Where the third answer waits."""
    asked: list[str] = field(default_factory=list)

    def answer(self, asked: Asked) -> Step:
        country = next((name for name in CAPITALS if name in asked.prompt), "")
        self.asked.append(country)
        if country in self.down:
            return HttpError(status=400, type="invalid_request_error")
        if self.gate and len(self.asked) > 2:
            return Stall(gate=self.gate)
        if "Grade the assistant" in asked.prompt:
            return Reply(text='{"dimensions": [{"name": "right", "score": 90}]}')
        return Reply(text="Oslo" if country == self.wrong else CAPITALS[country])


@dataclass(frozen=True)
class Ended:
    code: int | None
    printed: str
    said: str

    @property
    def report(self) -> dict[str, Any]:
        path = re.search(r"^Report: (.*)$", self.printed, re.MULTILINE)
        assert path, self.said
        found: dict[str, Any] = json.loads(Path(path[1]).read_text())
        return found


@dataclass
class Desk:
    """A folder with a suite, and the command line beside it."""

    model: Model
    folder: Path
    invoke: Callable[..., Awaitable[Ended]]

    async def run(self, *words: str) -> Ended:
        return await self.invoke("capitals", "sample", "--data", "sets", "-p", "1", *words)


def write_suite(folder: Path, targets: object) -> None:
    suite = folder / "sets/capitals"
    suite.mkdir(parents=True)
    lines = [
        {
            "id": f"q-{country.lower()}",
            "title": country,
            "user": {"type": "manual", "strict_inputs": [f"The capital of {country}?"]},
            "eval": {"evaluator": "exact", "expected": [capital]},
            "tags": ["continent:america" if country == "Peru" else "continent:europe"],
        }
        for country, capital in CAPITALS.items()
    ]
    (suite / "sample.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (suite / "metadata.json").write_text(json.dumps({"target": targets}))


def reports(*ended: Ended) -> list[str]:
    """Paths of the reports that runs wrote."""
    return [re.findall(r"^Report: (.*)$", one.printed, re.MULTILINE)[0] for one in ended]


@asynccontextmanager
async def open_desk(folder: Path) -> AsyncIterator[Desk]:
    write_suite(folder, {"type": "llm_api", "model": "scripted-demo"})
    model = Model()
    api = ScriptedModelApi(behaviour=model.answer)
    names = {
        "model": "scripted-demo",
        "judge_model": "scripted-demo",
        "data_dir": str(folder / "kept"),
    }
    async with api.serve() as server:
        variables = environment(folder, names) | {
            "ANTHROPIC_API_KEY": "scripted",
            "ANTHROPIC_BASE_URL": server.anthropic_url,
        }

        async def invoke(*words: str) -> Ended:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "dataset", *words),
                cwd=folder,
                env=variables,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            if model.gate:
                await asyncio.wait_for(model.gate.reached.wait(), 4 * WAIT_S)
                process.send_signal(signal.SIGINT)
            printed, said = await asyncio.wait_for(process.communicate(), 4 * WAIT_S)
            return Ended(process.returncode, printed.decode(), said.decode())

        yield Desk(model, folder, invoke)
