"""The launcher `api`: a session by our own agent loop, with tools in a sandbox.

Stages, converses, collects. Nothing here reads a vendor's words, and what the platform
breaks is not mended here: another attempt is `jobs.sessions.attempts`'s to make.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from pathlib import Path

from jobs.conversation import Agent, ConversationEnd, ConversationSpec
from jobs.ports import Clock
from jobs.proxy.connect import HostGate
from jobs.sandbox import SandboxMaker
from jobs.sessions.attempts import Attempts, stage_inputs, stage_skill, utc_now
from jobs.sessions.collect import collect_output
from jobs.sessions.prepared import Prepared
from jobs.sessions.reach import MakeGate, ReachingSandbox, open_reaching
from jobs.sessions.session_result import Attempt, broken, save_response
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import render_prompt, render_system
from jobs.sessions.tools import SessionTools
from jobs.sessions.transcript import JsonlTranscript
from jobs.sessions.workspace import Workspace
from jobs.values import RunSpec, SessionResult

MAX_ANSWER_TOKENS = 32_000
"""Of one answer: room for a long file that is written in one call."""


@dataclass(frozen=True, slots=True)
class ApiLauncher:
    """Runs sessions by an `Agent` with tools in a sandbox; implements `jobs.world.Launcher`."""

    agent: Agent
    sandboxes: SandboxMaker
    _: KW_ONLY
    memory_mb: int
    """For all processes of one session together."""
    make_gate: MakeGate = HostGate
    clock: Clock = utc_now
    monotonic: Callable[[], float] = time.monotonic

    def check(self, _: RunSpec) -> None:
        """Every model that a provider serves can be run; refuses nothing."""

    async def prove(self, prepared: Prepared, scratch: Path) -> None:
        """Open a sandbox in an environment, and close it.

        Raises `Refused` where no session could work in it, `Transient` where that may pass.
        """
        workspace = await asyncio.to_thread(Workspace.make, scratch)
        try:
            async with self._open(workspace, prepared):
                return
        finally:
            await workspace.remove()

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session, once more where the platform failed; its bundle is at `session.bundle`.

        Raises nothing but `CancelledError`.
        """
        return await Attempts(self._work, self.clock).run(session)

    async def _work(
        self, session: SessionSpec, workspace: Workspace, transcript: Path, started_at: datetime
    ) -> Attempt:
        """The conversation and what it left. No process of the session is alive after it."""
        await asyncio.to_thread(stage_inputs, session, workspace)
        await asyncio.to_thread(stage_skill, session, workspace)
        prompt = await asyncio.to_thread(render_prompt, session)
        with JsonlTranscript(transcript) as sink:
            async with self._open(workspace, session.prepared) as sandbox:
                deadline = self.monotonic() + session.limits.wall_s
                tools = SessionTools(sandbox, remaining_s=lambda: deadline - self.monotonic())
                end = await self._converse(session, prompt, tools, sink)
        collected = await collect_output(workspace.output, workspace.collected)
        with_response = await asyncio.to_thread(
            save_response, end.last_text, collected, workspace.collected
        )
        in_prompt = session.skill_text is not None and session.skill_text.strip() in prompt
        return Attempt(
            started_at=started_at,
            ended_at=self.clock(),
            end=end,
            collected=with_response,
            skill_loaded=in_prompt or tools.skill_opened,
            transcript_truncated=sink.truncated,
            tools=tuple(tool.name for tool in tools.tools),
            refused_hosts=sandbox.refused_hosts,
            environment=session.prepared.identity_in(sandbox.identity),
            sandbox=self.sandboxes.name,
        )

    def _open(
        self, workspace: Workspace, prepared: Prepared
    ) -> AbstractAsyncContextManager[ReachingSandbox]:
        return open_reaching(
            self.sandboxes,
            workspace.work,
            memory_mb=self.memory_mb,
            prepared=prepared,
            make_gate=self.make_gate,
        )

    async def _converse(
        self, session: SessionSpec, prompt: str, tools: SessionTools, sink: JsonlTranscript
    ) -> ConversationEnd:
        end = await self.agent.converse(
            ConversationSpec(
                model=session.run.model,
                system=render_system(session.prepared.hosts),
                prompt=prompt,
                toolbox=tools,
                limits=session.limits,
                max_answer_tokens=MAX_ANSWER_TOKENS,
            ),
            sink,
        )
        # An agent that met a dead sandbox worked under conditions that its twin did not.
        return broken(end, "the session's sandbox failed") if tools.broken else end
