"""`skillbench trigger` and `optimize` as processes, with the scripted model on a socket."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demo.model_api import Asked, Call, Gate, HttpError, Reply, ScriptedModelApi, Stall
from demo.model_api.steps import Step
from jobs.triggering.proposals import SYSTEM as WRITER
from tests.bot.cli.processes import WAIT_S, environment

QUERIES = [
    *({"query": f"fill in tax form {n}", "should_trigger": True} for n in range(6)),
    *({"query": f"write haiku {n}", "should_trigger": False} for n in range(6)),
]
STOPPED_AFTER = 9
"""Requests to the model."""


@dataclass
class Model:
    """Uses a skill where its description says `forms`, and writes one that does."""

    is_blind: bool = False
    is_down: bool = False
    proposals: int = 0
    gate: Gate | None = None
    """Where the session after the first `STOPPED_AFTER` waits, and the program is stopped."""
    asked: int = 0

    def answer(self, asked: Asked) -> Step:
        self.asked += 1
        if self.gate and self.asked > STOPPED_AFTER:
            return Stall(gate=self.gate)
        return self.act(asked)

    def act(self, asked: Asked) -> Step:
        if self.is_down:
            return HttpError(status=529, type="overloaded_error")
        if asked.system.startswith(WRITER):
            self.proposals += 1
            return Reply(text=json.dumps({"description": "Fills in forms of every kind."}))
        if asked.turn or self.is_blind:
            return Reply(text="Done.")
        if "zebra-lighthouse" in asked.prompt:
            return Reply(calls=(Call("Skill", {"skill": "harness-check"}),))
        if "form" in asked.prompt and "forms of every kind" in asked.system:
            return Reply(calls=(Call("Skill", {"skill": "pdf"}),))
        return Reply(text="Done.")


@dataclass(frozen=True)
class Ended:
    code: int | None
    printed: str
    said: str

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.printed)
        return found


@dataclass
class Bench:
    """A repository with a skill, and the program that measures it."""

    model: Model
    api: ScriptedModelApi
    folder: Path
    invoke: Callable[..., Awaitable[Ended]]

    async def run(self, command: str, *words: str) -> Ended:
        return await self.invoke(
            *(command, "--eval-set", "trigger.json", "--skill-path", "skills/pdf", *words)
        )


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    skill = tmp_path / "skills/pdf"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: pdf\ndescription: Helps.\n---\n# How to\n")
    (tmp_path / "trigger.json").write_text(json.dumps(QUERIES))
    model = Model()
    api = ScriptedModelApi(behaviour=model.answer)
    async with api.serve() as server:
        variables = environment(tmp_path, {"model": "scripted-demo"}) | {
            "ANTHROPIC_API_KEY": "scripted",
            "ANTHROPIC_BASE_URL": server.anthropic_url,
        }

        async def invoke(*words: str) -> Ended:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", *words),
                cwd=tmp_path,
                env=variables,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            if model.gate:
                await asyncio.wait_for(model.gate.reached.wait(), 4 * WAIT_S)
                process.send_signal(signal.SIGINT)
            printed, said = await asyncio.wait_for(process.communicate(), 4 * WAIT_S)
            return Ended(process.returncode, printed.decode(), said.decode())

        yield Bench(model, api, tmp_path, invoke)


async def test_a_description_that_never_fires_is_measured_as_that(bench: Bench):
    ended = await bench.run("trigger", "--runs-per-query", "1")
    assert ended.code == 0, ended.said
    assert ended.result["summary"] == {"total": 12, "passed": 6, "failed": 6, "missing": 0}
    assert ended.result["scores"]["recall"] == 0
    assert "This takes at most 16 sessions" in ended.said


async def test_a_measurement_saves_its_results_and_no_empty_places(bench: Bench):
    ended = await bench.run("trigger", "--results-dir", "results", "--runs-per-query", "1")
    (folder,) = (bench.folder / "results").iterdir()
    assert [path.name for path in folder.iterdir()] == ["results.json"]
    assert json.loads((folder / "results.json").read_text()) == ended.result


async def test_another_description_is_tried_in_its_place(bench: Bench):
    words = "--runs-per-query", "1", "--description", "Fills in forms of every kind."
    ended = await bench.run("trigger", *words)
    assert ended.result["summary"]["passed"] == 12
    own = (bench.folder / "skills/pdf/SKILL.md").read_text()
    assert "description: Helps.\n" in own


async def test_a_better_description_is_found_shown_and_saved(bench: Bench):
    ended = await bench.run("optimize", "--results-dir", "results", "--runs-per-query", "1")
    assert ended.code == 0, ended.said
    assert ended.result["exit_reason"] == "all_passed (iteration 2)"
    assert ended.result["best_description"] == "Fills in forms of every kind."
    assert ended.result["best_test_score"] == "4/4"
    (folder,) = (bench.folder / "results").iterdir()
    assert json.loads((folder / "results.json").read_text()) == ended.result
    page = (folder / "report.html").read_text()
    assert "Fills in" in page
    assert 'http-equiv="refresh"' not in page
    assert bench.model.proposals == 1
    assert "forms of every kind" in (folder / "logs/proposals.jsonl").read_text()


async def test_a_page_of_a_search_that_came_to_no_end_says_so(bench: Bench):
    bench.model.is_blind = True
    ended = await bench.run("optimize", "--report", "page.html", "--runs-per-query", "1")
    assert ended.code == 2
    page = (bench.folder / "page.html").read_text()
    assert "The skill is not to blame" in page
    assert 'http-equiv="refresh"' not in page


async def test_a_search_that_is_stopped_says_so_and_goes_on_where_it_was(bench: Bench):
    bench.model.gate = Gate()
    words = "optimize", "--report", "page.html", "--runs-per-query", "1", "--num-workers", "1"
    stopped = await bench.run(*words)
    assert stopped.code == 130
    page = (bench.folder / "page.html").read_text()
    assert "goes on where it was" in page
    assert 'http-equiv="refresh"' not in page
    bench.model.gate = None
    ended = await bench.run(*words)
    assert ended.code == 0, ended.said
    # the session that was under way is all that is asked again
    sessions = [one for one in bench.api.requests if not one.turn]
    assert len(sessions) == (2 + 12 * 2 + 4 * 2) + 1 + 1  # and the proposal


async def test_what_was_measured_in_good_order_is_measured_afresh_the_next_time(bench: Bench):
    words = "trigger", "--runs-per-query", "1"
    first = len(bench.api.requests)
    await bench.run(*words)
    second = len(bench.api.requests)
    await bench.run(*words)
    assert len(bench.api.requests) - second == second - first


async def test_a_broken_harness_is_said_before_anything_is_measured(bench: Bench):
    bench.model.is_blind = True
    ended = await bench.run("trigger")
    assert ended.code == 2
    assert "The skill is not to blame" in ended.said
    assert len(bench.api.requests) <= 4


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--skill-path", "nosuch"), "`nosuch` holds no SKILL.md"),
        (("--eval-set", "nosuch.json"), "`nosuch.json` cannot be read"),
        (("--launcher", "claude-kode"), "SKILLBENCH_LAUNCHER"),
        (("--model", "nosuch"), "nosuch"),
        (("--description", "use <it>"), "angle brackets"),
    ],
)
async def test_what_cannot_be_measured_is_refused_for_nothing(
    bench: Bench, words: tuple[str, ...], reason: str
):
    ended = await bench.run("trigger", *words)
    assert ended.code == 2
    assert reason in ended.said
    assert bench.api.requests == []


async def test_a_set_of_one_kind_cannot_be_parted(bench: Bench):
    (bench.folder / "trigger.json").write_text(json.dumps(QUERIES[:6]))
    ended = await bench.run("optimize")
    assert ended.code == 2
    assert "0 queries that should not trigger" in ended.said
    assert bench.api.requests == []


@pytest.mark.parametrize(
    "front",
    ["description: Helps.\nversion: a: b", "description: Helps.\ndescription: And how."],
    ids=["no YAML", "twice"],
)
async def test_a_file_that_could_take_no_other_description_is_refused_for_nothing(
    bench: Bench, front: str
):
    """It can be read and measured, but what is found could not be tried in its place."""
    text = f"---\nname: pdf\n{front}\n---\n# How to\n"
    (bench.folder / "skills/pdf/SKILL.md").write_text(text)
    ended = await bench.run("optimize")
    assert ended.code == 2
    assert "cannot be replaced" in ended.said
    assert bench.api.requests == []
