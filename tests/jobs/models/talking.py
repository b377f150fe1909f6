"""An agent in front of a scripted model API, and what it is given to talk with."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from config.settings import Settings
from demo.model_api import ModelServer, ScriptedModelApi
from jobs.conversation import ConversationEnd, ConversationSpec, Tool, ToolOutcome, TranscriptEvent
from jobs.models.agent import ModelAgent
from jobs.models.doors import Doors
from jobs.models.retries import RetryPolicy
from jobs.values import Model
from tests.builders import some_limits

AT_ONCE = RetryPolicy(first_s=0.0, most_s=0.0)
"""As patient as the real policy, but it waits for nothing."""

ECHO = Tool(
    name="Bash",
    description="Runs a command.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}},
)


@dataclass
class Sink:
    """A transcript kept in memory."""

    events: list[TranscriptEvent] = field(default_factory=list)

    def write(self, event: TranscriptEvent) -> None:
        self.events.append(event)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event.content for event in self.events if event.kind == kind]


@dataclass
class Recorder:
    """A tool box that remembers its calls, and whether two ever ran at once."""

    run: Callable[[dict[str, object]], Awaitable[ToolOutcome]] | None = None
    tools: Sequence[Tool] = (ECHO,)
    calls: list[dict[str, object]] = field(default_factory=list)
    running: int = 0
    overlapped: bool = False

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        self.calls.append(arguments)
        self.running += 1
        self.overlapped |= self.running > 1
        try:
            await asyncio.sleep(0)
            return await self.run(arguments) if self.run else ToolOutcome("ok")
        finally:
            self.running -= 1


@dataclass
class Talker:
    """Holds conversations of one vendor's protocol with one scripted API."""

    vendor: str
    api: ScriptedModelApi
    server: ModelServer
    retries: RetryPolicy = AT_ONCE
    sink: Sink = field(default_factory=Sink)

    def settings(self, **changes: Any) -> Settings:
        defaults: dict[str, Any] = {
            "anthropic_api_key": "a-key",
            "anthropic_base_url": self.server.anthropic_url,
            "openai_api_key": "a-key",
            "openai_base_url": self.server.openai_url,
        }
        return Settings(_env_file=None, **(defaults | changes))

    def model(self, sent: str = "claude-sonnet-4-6") -> Model:
        return Model(asked=sent, sent=sent, identity=sent, provider=self.vendor)

    async def converse(
        self,
        *,
        tools: Recorder | None = None,
        limits: dict[str, Any] | None = None,
        settings: Settings | None = None,
        **changes: Any,
    ) -> ConversationEnd:
        spec: dict[str, Any] = {
            "model": self.model(),
            "system": "You work.",
            "prompt": "Do it.",
            "toolbox": tools,
            "limits": some_limits(**(limits or {})),
            "max_answer_tokens": 4_000,
        }
        agent = ModelAgent(Doors(settings or self.settings()), retries=self.retries)
        async with asyncio.timeout(20):
            return await agent.converse(ConversationSpec(**(spec | changes)), self.sink)
