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

from jobs.conversation import Agent, ConversationEnd, ConversationSpec, ToolBox, TranscriptSink
from jobs.ports import Clock
from jobs.proxy.connect import HostGate
from jobs.sandbox import SandboxMaker
from jobs.sessions.attempts import Attempts, utc_now
from jobs.sessions.collect import collect_output
from jobs.sessions.given_skill import (
    SkillSight,
    check_mode,
    find_offered,
    is_in_prompt,
    look_for_skill,
    make_watch,
    stage_session,
)
from jobs.sessions.prepared import Prepared, Proven
from jobs.sessions.reach import MakeGate, ReachingSandbox, open_reaching
from jobs.sessions.session_result import Attempt, broken, save_response
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.skill_tools import SkillTools, name_tools, render_skills
from jobs.sessions.task import render_system
from jobs.sessions.tools import SessionTools
from jobs.sessions.transcript import JsonlTranscript, Overheard
from jobs.sessions.workspace import Workspace
from jobs.values import Mode, RunSpec, SessionResult

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

    def check(self, run: RunSpec) -> None:
        """Every model that a provider serves can be run.

        Raises `Refused` where the skill cannot be given in the run's mode.
        """
        check_mode(run)

    def tools(self, mode: Mode) -> tuple[str, ...]:
        return name_tools(mode)

    async def prove(self, prepared: Prepared, scratch: Path) -> Proven:
        """Open a sandbox in an environment, and close it.

        Raises `Refused` where no session could work in it, `Transient` where that may pass.
        """
        workspace = await asyncio.to_thread(Workspace.make, scratch)
        try:
            async with self._open(workspace, prepared) as sandbox:
                return Proven(
                    environment=prepared.identity_in(sandbox.identity),
                    sandbox=self.sandboxes.name,
                    memory_mb=self.memory_mb,
                )
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
        self.check(session.run)
        system = _render_system(session)
        prompt = await asyncio.to_thread(stage_session, session, workspace)
        told = f"{system}\n{prompt}"
        traces = await asyncio.to_thread(look_for_skill, session, workspace, told)
        sight = SkillSight(make_watch(session))
        with JsonlTranscript(transcript) as sink:
            async with self._open(workspace, session.prepared) as sandbox:
                deadline = self.monotonic() + session.limits.wall_s
                tools = SessionTools(sandbox, remaining_s=lambda: deadline - self.monotonic())
                toolbox = _make_toolbox(session, tools, sight)
                told_to = Overheard(sink, session.heard)
                end = await self._converse(session, (system, prompt), toolbox, told_to)
        # An agent that met a dead sandbox worked under conditions that its twin did not.
        end = broken(end, "the session's sandbox failed") if tools.broken else end
        collected = await collect_output(workspace.output, workspace.collected)
        with_response = await asyncio.to_thread(
            save_response, end.last_text, collected, workspace.collected
        )
        return Attempt(
            started_at=started_at,
            ended_at=self.clock(),
            end=end,
            collected=with_response,
            skill_loaded=is_in_prompt(session) or sight.seen,
            transcript_truncated=sink.truncated,
            tools=tuple(tool.name for tool in toolbox.tools),
            refused_hosts=sandbox.refused_hosts,
            environment=session.prepared.identity_in(sandbox.identity),
            sandbox=self.sandboxes.name,
            memory_mb=self.memory_mb,
            skills_listed=tuple(one.name for one in find_offered(session)),
            skill_traces=traces,
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
        self, session: SessionSpec, told: tuple[str, str], toolbox: ToolBox, sink: TranscriptSink
    ) -> ConversationEnd:
        system, prompt = told
        return await self.agent.converse(
            ConversationSpec(
                model=session.run.model,
                system=system,
                prompt=prompt,
                toolbox=toolbox,
                limits=session.limits,
                max_answer_tokens=MAX_ANSWER_TOKENS,
            ),
            sink,
        )


def _make_toolbox(session: SessionSpec, tools: SessionTools, sight: SkillSight) -> ToolBox:
    """The tools of a session, the same in both arms; in mode `installed` there is one more."""
    if session.run.mode == "forced":
        return tools
    return SkillTools(tools, find_offered(session), sight.notice)


def _render_system(session: SessionSpec) -> str:
    """What a session is told before its task: the rules and, if it may find skills, which."""
    system = render_system(session.prepared.hosts)
    if session.run.mode == "forced":
        return system
    return f"{system}\n\n{render_skills(find_offered(session))}"
