"""The launcher `api`: a session by our own agent loop, with tools in a sandbox.

Stages, converses, collects. Nothing here reads a vendor's words, and what the platform
breaks is not mended here: another attempt is `jobs.sessions.attempts`'s to make.
"""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from jobs.conversation import Agent, ConversationEnd, ConversationSpec
from jobs.ports import Clock
from jobs.sandbox import SandboxMaker
from jobs.sessions.attempts import Attempts, stage_inputs, stage_skill, utc_now
from jobs.sessions.collect import collect_output
from jobs.sessions.session_result import Attempt, broken, save_response
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import SYSTEM, render_prompt
from jobs.sessions.tools import SessionTools
from jobs.sessions.transcript import JsonlTranscript
from jobs.sessions.workspace import Workspace
from jobs.values import RunSpec, SessionResult

MAX_ANSWER_TOKENS = 32_000
"""Of one answer: room for a long file that is written in one call."""


class ApiLauncher:
    """Runs sessions by an `Agent` with tools in a sandbox; implements `jobs.world.Launcher`."""

    def __init__(
        self,
        agent: Agent,
        sandboxes: SandboxMaker,
        *,
        memory_mb: int,
        clock: Clock = utc_now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory_mb` is for all processes of one session together."""
        self._agent = agent
        self._sandboxes = sandboxes
        self._memory_mb = memory_mb
        self._clock = clock
        self._monotonic = monotonic

    def check(self, _: RunSpec) -> None:
        """Every model that a provider serves can be run; refuses nothing."""

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session, once more where the platform failed; its bundle is at `session.bundle`.

        Raises nothing but `CancelledError`.
        """
        return await Attempts(self._work, self._clock).run(session)

    async def _work(
        self, session: SessionSpec, workspace: Workspace, transcript: Path, started_at: datetime
    ) -> Attempt:
        """The conversation and what it left. No process of the session is alive after it."""
        await asyncio.to_thread(stage_inputs, session, workspace)
        await asyncio.to_thread(stage_skill, session, workspace)
        prompt = await asyncio.to_thread(render_prompt, session)
        with JsonlTranscript(transcript) as sink:
            async with self._sandboxes.open(workspace.work, memory_mb=self._memory_mb) as sandbox:
                deadline = self._monotonic() + session.limits.wall_s
                tools = SessionTools(sandbox, remaining_s=lambda: deadline - self._monotonic())
                end = await self._converse(session, prompt, tools, sink)
        collected = await collect_output(workspace.output, workspace.collected)
        with_response = await asyncio.to_thread(
            save_response, end.last_text, collected, workspace.collected
        )
        in_prompt = session.skill_text is not None and session.skill_text.strip() in prompt
        return Attempt(
            started_at=started_at,
            ended_at=self._clock(),
            end=end,
            collected=with_response,
            skill_loaded=in_prompt or tools.skill_opened,
            transcript_truncated=sink.truncated,
            tools=tuple(tool.name for tool in tools.tools),
        )

    async def _converse(
        self, session: SessionSpec, prompt: str, tools: SessionTools, sink: JsonlTranscript
    ) -> ConversationEnd:
        end = await self._agent.converse(
            ConversationSpec(
                model=session.run.model,
                system=SYSTEM,
                prompt=prompt,
                toolbox=tools,
                limits=session.limits,
                max_answer_tokens=MAX_ANSWER_TOKENS,
            ),
            sink,
        )
        # An agent that met a dead sandbox worked under conditions that its twin did not.
        return broken(end, "the session's sandbox failed") if tools.broken else end
