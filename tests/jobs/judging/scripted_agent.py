"""Judges that say what a test wants, through the real `Agent` and `SandboxMaker` ports."""

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from jobs.conversation import (
    ConversationEnd,
    ConversationSpec,
    Tool,
    ToolOutcome,
    TranscriptEvent,
    TranscriptSink,
)
from jobs.sandbox import CommandResult, Sandbox
from jobs.values import Assertion, Usage

Reply = str | ConversationEnd | Callable[[ConversationSpec], str | ConversationEnd]


def an_end(text: str = "", **changes: Any) -> ConversationEnd:
    defaults = {
        "end": "completed",
        "last_text": text,
        "turns": 1,
        "tool_calls": 0,
        "failed_tool_calls": 0,
        "retries": 0,
        "usage": Usage(requests=1, input_tokens=100, output_tokens=50, cost_usd=Decimal("0.01")),
        "served_models": ("claude-opus-4-7",),
    }
    return ConversationEnd(**(defaults | changes))


@dataclass
class ScriptedAgent:
    """Gives prepared answers in turn, the last one again and again; remembers what was asked."""

    replies: Sequence[Reply]
    asked: list[ConversationSpec] = field(default_factory=list)

    async def converse(self, spec: ConversationSpec, transcript: TranscriptSink) -> ConversationEnd:
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(spec)
        if callable(reply):
            reply = reply(spec)
        return an_end(reply) if isinstance(reply, str) else reply


def wanted_in(spec: ConversationSpec) -> list[tuple[str, str]]:
    """The verdicts a prompt asks for."""
    line = re.findall(r"^Verdicts wanted, \d+ in all: (.*)$", spec.prompt, re.MULTILINE)[-1]
    return [(assertion, candidate) for assertion, candidate in json.loads(line)]


def an_entry(assertion: Assertion, candidate: str, verdict: Any = "pass", **changes: Any) -> dict:
    defaults = {
        "assertion": assertion.id,
        "echo": assertion.text,
        "candidate": candidate,
        "verdict": verdict,
        "quotation": "Total: 42 words",
        "reason": "It says so.",
    }
    return defaults | changes


def entries_for(
    assertions: Sequence[Assertion], decide: Callable[[str, str], str] = lambda _a, _c: "pass"
) -> list[dict]:
    """An entry for each assertion and candidate, its verdict as `decide` says."""
    return [
        an_entry(assertion, candidate, decide(assertion.id, candidate))
        for assertion in assertions
        for candidate in ("candidate_1", "candidate_2")
    ]


def an_answer(entries: Sequence[object], **notes: Any) -> str:
    return json.dumps({"verdicts": list(entries), **notes})


@dataclass
class Silent:
    """A transcript that keeps events in memory."""

    events: list[TranscriptEvent] = field(default_factory=list)

    def write(self, event: TranscriptEvent) -> None:
        self.events.append(event)


class NoCommands:
    """A sandbox in which nothing is ever run."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        stdin: bytes = b"",
        max_output: int = 1_000_000,
    ) -> CommandResult:
        raise AssertionError(f"no command was expected, got {argv}")


@dataclass
class FolderOnly:
    """A sandbox maker that notes the folder it was opened over and what stood in it."""

    name: str = "none"
    seen: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def open(self, work: Path, *, memory_mb: int) -> AsyncIterator[Sandbox]:
        self.seen = sorted(
            path.relative_to(work).as_posix() for path in work.rglob("*") if path.is_file()
        )
        yield NoCommands()

    async def problem(self) -> str | None:
        return None


@dataclass
class FiveTools:
    """A tool box like a session's; remembers the calls that reach it."""

    calls: list[str] = field(default_factory=list)
    tools: Sequence[Tool] = tuple(
        Tool(name, f"{name} it.", {"type": "object"})
        for name in ("Bash", "Read", "Write", "Edit", "Glob")
    )

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        self.calls.append(name)
        return ToolOutcome(f"{name} done")
