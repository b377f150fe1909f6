"""A launcher with a real sandbox in front of a scripted model API."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.settings import Settings
from demo.model_api import ModelServer, ScriptedModelApi
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.retries import RetryPolicy
from jobs.sandbox import SandboxMaker
from jobs.sessions.api_launcher import ApiLauncher
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.bundle import read_bundle
from jobs.sessions.session_spec import SessionSpec
from jobs.values import Arm, InputFile, Model, SessionResult
from tests.builders import a_run_spec, an_eval_case, an_input_file, some_limits

SKILL_TEXT = "---\nname: word-count\n---\n# Counting words\n\nSee `reference.md`.\n"
AT_ONCE = RetryPolicy(first_s=0.0, most_s=0.0, attempts=3, stalls=2)
INPUT = "one two\nthree\n"


@dataclass
class Launched:
    """A session that has ended: its result, and its bundle unpacked."""

    result: SessionResult
    output: Path
    events: Sequence[dict[str, Any]]

    def read(self, name: str) -> str:
        return (self.output / name).read_text(encoding="utf-8")

    @property
    def files(self) -> list[str]:
        return [file.path for file in self.result.outputs]

    @property
    def tool_results(self) -> list[str]:
        return [event["content"]["text"] for event in self.events if event["kind"] == "tool_result"]


@dataclass
class Bench:
    """Where sessions are run, one after another or side by side."""

    api: ScriptedModelApi
    server: ModelServer
    folder: Path
    runs: int = 0

    def launcher(self, sandboxes: SandboxMaker | None = None) -> ApiLauncher:
        settings = Settings(
            _env_file=None,
            anthropic_api_key="sk-secret-key",
            anthropic_base_url=self.server.anthropic_url,
        )
        return ApiLauncher(
            ModelAgent(Doors(settings), retries=AT_ONCE),
            sandboxes or BubblewrapMaker(use_memory_group=False),
            memory_mb=512,
        )

    def spec(
        self, arm: Arm = Arm.WITH_SKILL, *, limits: dict[str, Any] | None = None, **case: Any
    ) -> SessionSpec:
        """A session's spec, its skill and input staged."""
        self.runs += 1
        folder = self.folder / f"staged-{self.runs}"
        (folder / "input").mkdir(parents=True)
        (folder / "input/input_001.txt").write_text(INPUT)
        (folder / "skill/scripts").mkdir(parents=True)
        (folder / "skill/SKILL.md").write_text(SKILL_TEXT)
        (folder / "skill/reference.md").write_text("Split at white space.\n")
        (folder / "skill/data.bin").write_bytes(bytes(range(256)))
        script = folder / "skill/scripts/count.sh"
        script.write_text("#!/bin/sh\nwc -w\n")
        script.chmod(0o755)
        with_skill = arm is Arm.WITH_SKILL
        inputs: tuple[InputFile, ...] = (an_input_file(size_bytes=len(INPUT)),)
        model = Model(
            asked="scripted-demo",
            sent="scripted-demo",
            identity="scripteddemo",
            provider="anthropic",
        )
        return SessionSpec(
            arm=arm,
            run=a_run_spec(model=model, eval_case=an_eval_case(**{"inputs": inputs} | case)),
            trial=1,
            skill_folder=folder / "skill" if with_skill else None,
            skill_text=SKILL_TEXT if with_skill else None,
            inputs_folder=folder / "input",
            limits=some_limits(**(limits or {})),
            bundle=self.folder / f"{arm}-{self.runs}.zip",
            scratch=self.folder / "sessions",
        )

    async def run(
        self, spec: SessionSpec | None = None, sandboxes: SandboxMaker | None = None
    ) -> Launched:
        spec = spec or self.spec()
        async with asyncio.timeout(30):
            result = await self.launcher(sandboxes).run(spec)
        unpacked = self.folder / f"unpacked-{spec.bundle.stem}"
        assert read_bundle(spec.bundle, unpacked) == result
        lines = (unpacked / "transcript.jsonl").read_text().splitlines()
        assert list(spec.scratch.iterdir()) == [], "no workspace is left behind"
        return Launched(result, unpacked / "output", [json.loads(line) for line in lines])
