"""Sessions for tests: a spec, a launcher, and programs that play Claude Code where the real
one cannot be made to misbehave.
"""

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from jobs.claude_code.cli import ClaudeCli
from jobs.claude_code.conversation import CliConversations, ModelApi
from jobs.claude_code.launcher import ClaudeCodeLauncher
from jobs.errors import Refused
from jobs.sessions.bubblewrap import BubblewrapMaker
from jobs.sessions.session_spec import SessionSpec
from jobs.values import Arm, SessionResult
from tests.builders import a_run_spec, a_skill, some_limits

KEY = "sk-the-real-key"
NOWHERE = "http://127.0.0.1:9"
"""The discard port, where nobody listens: for sessions that never ask the API."""
REAL = Path(__file__).parents[2] / "npm" / "claude" / "node_modules" / ".bin" / "claude"

SKILL_TEXT = """\
---
name: word-count
description: Counts words in text files.
---
Count with `wc -w`, and never by eye: people lose track after thirty words.
"""

_FAKE = """\
#!/usr/bin/python3 -I
import json, os, sys, time

def say(**event):
    print(json.dumps(event), flush=True)

def started(**changes):
    say(**{"type": "system", "subtype": "init", "claude_code_version": "2.1.197",
           "model": "claude-sonnet-4-6", "skills": [], "slash_commands": ["clear"],
           "tools": ["Bash", "Edit", "Glob", "Read", "Skill", "Write"],
           "plugins": [], "mcp_servers": [], **changes})

def said(*content, id="msg_1", **message):
    say(type="assistant", message={"id": id, "model": "claude-sonnet-4-6", "role": "assistant",
        "content": list(content), "usage": {"input_tokens": 10, "output_tokens": 5}, **message})

def text(words):
    return {"type": "text", "text": words}

def call(id, name="Bash", **arguments):
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}

def answered(id, words="ok", **more):
    block = {"type": "tool_result", "tool_use_id": id, "content": words, **more}
    say(type="user", message={"role": "user", "content": [block]})

def result(**changes):
    say(**{"type": "result", "subtype": "success", "is_error": False, "result": "", **changes})

"""


GOOD = 'started(); said(text("Total is 42")); result(result="Total is 42")'
"""A session in which everything goes well."""


ASKS = """
from urllib.request import Request, urlopen
asked = {"model": "claude-sonnet-4-6", "max_tokens": 9}
asked["messages"] = [{"role": "user", "content": "a"}]
key = {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
request = Request(url, json.dumps(asked).encode(), key)
"""
"""Makes a request to the model, which the rest of a program can send."""


def fake_cli(folder: Path, body: str) -> ClaudeCli:
    """A program in Python that stands where Claude Code would."""
    path = folder / "claude"
    path.write_text(_FAKE + body, encoding="utf-8")
    path.chmod(0o755)
    return ClaudeCli(path)


def real_cli() -> ClaudeCli:
    """The real Claude Code that `tests/npm/claude` pins; skips where it is not installed."""
    try:
        return ClaudeCli.find(str(REAL))
    except Refused as refusal:
        pytest.skip(f"npm ci --prefix tests/npm/claude brings it: {refusal}")


def make_launcher(cli: ClaudeCli, base_url: str = NOWHERE, **changes: Any) -> ClaudeCodeLauncher:
    defaults: dict[str, Any] = {
        "cli": cli,
        "sandboxes": BubblewrapMaker(use_memory_group=False),
        "api": ModelApi(base_url=base_url, key=SecretStr(KEY)),
        "memory_mb": 2_048,
        "max_retries": 1,
    }
    own = {name: changes.pop(name) for name in ("make_gate", "clock") if name in changes}
    return ClaudeCodeLauncher(conversations=CliConversations(**(defaults | changes)), **own)


def a_skill_folder(folder: Path, text: str = SKILL_TEXT) -> Path:
    skill = folder / "staged-skill"
    (skill / "scripts").mkdir(parents=True)
    (skill / "SKILL.md").write_text(text, encoding="utf-8")
    (skill / "scripts" / "count.sh").write_text('wc -w "$@"\n', encoding="utf-8")
    (skill / "scripts" / "count.sh").chmod(0o755)
    return skill


def a_session_spec(folder: Path, arm: Arm = Arm.WITHOUT_SKILL, **changes: Any) -> SessionSpec:
    """A session of the launcher; `mode`, `limits` and `skill` are its own, the rest a spec's."""
    mode = changes.pop("mode", "installed")
    skill = changes.pop("skill", a_skill())
    limits = some_limits(**changes.pop("limits", {}))
    inputs = changes.pop("inputs_folder", None)
    run = a_run_spec(launcher="claude-code", mode=mode, skill=skill, **changes)
    has_skill = arm is Arm.WITH_SKILL
    staged = folder / "staged-skill"
    if has_skill and not staged.exists():
        a_skill_folder(folder)
    return SessionSpec(
        arm=arm,
        run=run,
        trial=1,
        skill_folder=staged if has_skill else None,
        skill_text=(staged / "SKILL.md").read_text(encoding="utf-8") if has_skill else None,
        inputs_folder=inputs,
        limits=limits,
        bundle=folder / f"{arm}.zip",
        scratch=folder / "scratch",
    )


@dataclass
class Ran:
    """A session that is over."""

    result: SessionResult
    bundle: Path

    def output(self, name: str) -> str:
        with zipfile.ZipFile(self.bundle) as bundle:
            return bundle.read(f"output/{name}").decode()

    @property
    def names(self) -> list[str]:
        return [file.path for file in self.result.outputs]

    def events(self, kind: str) -> list[dict[str, Any]]:
        with zipfile.ZipFile(self.bundle) as bundle:
            lines = io.BytesIO(bundle.read("transcript.jsonl"))
        return [event["content"] for line in lines if (event := json.loads(line))["kind"] == kind]


async def run_session(launcher: ClaudeCodeLauncher, spec: SessionSpec) -> Ran:
    return Ran(await launcher.run(spec), spec.bundle)


async def run_fake(folder: Path, body: str, **changes: Any) -> Ran:
    """Run a session in which a program of a few lines plays Claude Code."""
    launcher = make_launcher(fake_cli(folder, body), grace_s=0.3)
    return await run_session(launcher, a_session_spec(folder, **changes))
