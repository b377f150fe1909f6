"""Sessions of a trigger evaluation by our own agent loop, for models without a program.

Each session has a sandbox of its own with the skills in it; it is stopped as soon as the
skill under test was used, for nothing that comes later can change the answer.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jobs.conversation import Agent, ConversationEnd, ConversationSpec, Tool, ToolOutcome
from jobs.errors import Transient
from jobs.sandbox import SandboxMaker
from jobs.sessions.box import Bind
from jobs.sessions.skill_tools import FOLDER, SkillTools, render_skills
from jobs.sessions.task import SYSTEM
from jobs.sessions.tools import SessionTools
from jobs.sessions.workspace import Workspace
from jobs.triggering.ends import make_observation
from jobs.triggering.evaluation import Ask
from jobs.triggering.observations import Observation
from jobs.triggering.skill_use import SkillUse, make_watches
from jobs.triggering.stopping import until_used
from jobs.triggering.usage_sink import UsageSink

_ANSWER_TOKENS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiObserver:
    """Implements `jobs.triggering.evaluation.Observer`."""

    agent: Agent
    sandboxes: SandboxMaker
    memory_mb: int
    scratch: Path
    monotonic: Callable[[], float] = time.monotonic

    async def observe(self, ask: Ask) -> Observation:
        """One session; a sandbox that cannot start makes it an observation of nothing."""
        workspace = await asyncio.to_thread(Workspace.make, self.scratch)
        noticed = asyncio.Event()
        watches = await asyncio.to_thread(make_watches, ask.installed)
        use = SkillUse(ask.installed.skill.name, watches, noticed.set)
        spent = UsageSink()
        started = self.monotonic()
        try:
            end = await self._converse(ask, workspace, use, spent, noticed)
        except Transient as trouble:
            return Observation(
                query_id=ask.query.id, number=ask.number, fired=None, detail=str(trouble)
            )
        finally:
            await workspace.remove()
        usage = end.usage if end else spent.usage
        return make_observation(ask, use, end, usage=usage, wall_s=self.monotonic() - started)

    async def _converse(
        self,
        ask: Ask,
        workspace: Workspace,
        use: SkillUse,
        spent: UsageSink,
        noticed: asyncio.Event,
    ) -> ConversationEnd | None:
        """The conversation's end; None where it was stopped because the skill was used."""
        (workspace.work / FOLDER).mkdir(parents=True)
        skills = Bind(ask.installed.folder, f"/box/{FOLDER}")
        async with self.sandboxes.open(
            workspace.work, memory_mb=self.memory_mb, binds=[skills]
        ) as sandbox:
            spec = ConversationSpec(
                model=ask.model,
                system=f"{SYSTEM}\n\n{render_skills(ask.installed.offered)}",
                prompt=ask.query.text,
                toolbox=_UntilUsed(
                    SkillTools(SessionTools(sandbox), ask.installed.offered, use.take), noticed
                ),
                limits=ask.limits,
                max_answer_tokens=_ANSWER_TOKENS,
            )
            return await until_used(self.agent.converse(spec, spent), noticed)


@dataclass(slots=True)
class _UntilUsed:
    """Tools that give no answer once the skill was used: the session is about to be stopped.

    With the answer the loop would ask the model once more, and what that costs nobody would see.
    """

    inner: SkillTools
    noticed: asyncio.Event
    tools: Sequence[Tool] = field(init=False)

    def __post_init__(self) -> None:
        self.tools = self.inner.tools

    async def call(self, name: str, arguments: dict[str, object]) -> ToolOutcome:
        outcome = await self.inner.call(name, arguments)
        if self.noticed.is_set():
            await asyncio.Future()  # until the session is cancelled
        return outcome
