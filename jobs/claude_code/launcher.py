"""The launcher `claude-code`: a session in the real Claude Code, inside the sandbox.

Puts a session's files in place, lets it be held, and collects what it left. The arms differ
in one folder, or with the mode `forced` in one part of the prompt, and in nothing else.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from jobs.claude_code.command import TOOLS
from jobs.claude_code.conversation import CliConversations, Met, Talk
from jobs.claude_code.heard import Heard
from jobs.claude_code.installed_skill import TAKEN_NAMES
from jobs.claude_code.readiness import try_out
from jobs.errors import Refused
from jobs.models.prices import price_known
from jobs.models.tally import Tally
from jobs.ports import Clock
from jobs.proxy.connect import HostGate
from jobs.sessions.attempts import Attempts, utc_now
from jobs.sessions.collect import collect_output
from jobs.sessions.given_skill import (
    check_mode,
    find_offered,
    is_in_prompt,
    look_for_skill,
    make_watch,
    stage_session,
)
from jobs.sessions.prepared import Prepared, Proven
from jobs.sessions.reach import MakeGate
from jobs.sessions.session_result import Attempt, save_response
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import render_system
from jobs.sessions.transcript import JsonlTranscript, Overheard
from jobs.sessions.workspace import Workspace
from jobs.values import Mode, RunSpec, SessionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeLauncher:
    """Runs sessions in Claude Code; implements `jobs.world.Launcher`."""

    conversations: CliConversations
    make_gate: MakeGate = HostGate
    clock: Clock = utc_now

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session, once more where the platform failed; its bundle is at `session.bundle`.

        Raises nothing but `CancelledError`.
        """
        return await Attempts(self._work, self.clock).run(session)

    def check(self, run: RunSpec) -> None:
        """Whether a run can be carried out, before anything is spent.

        Raises `Refused` with what to change.
        """
        if run.model.provider != "anthropic":
            raise Refused(
                f"Claude Code cannot run {run.model.asked}: it speaks to Anthropic's API alone. "
                "Choose a Claude model, or the launcher `api`."
            )
        check_mode(run, TAKEN_NAMES)

    def tools(self, _: Mode) -> tuple[str, ...]:
        return tuple(sorted(TOOLS))

    async def prove(self, prepared: Prepared, scratch: Path) -> Proven:
        """Start Claude Code in an environment, for no more than its version.

        Raises `Refused` where it cannot work there, saying what it needs; `Transient` where
        that may pass.
        """
        found = await try_out(
            self.conversations.cli, self.conversations.sandboxes, prepared, scratch
        )
        if isinstance(found, str):
            raise Refused(found)
        return replace(found, memory_mb=self.conversations.memory_mb)

    async def _work(
        self, session: SessionSpec, workspace: Workspace, transcript: Path, started_at: datetime
    ) -> Attempt:
        """The conversation and what it left. No process of the session is alive after it."""
        self.check(session.run)
        model = session.run.model
        # reading the price list takes a third of a second, in which no stream would move on
        await asyncio.to_thread(price_known, model.sent, model.provider)
        prompt = await asyncio.to_thread(stage_session, session, workspace)
        system = render_system(session.prepared.hosts)
        told = f"{system}\n{prompt}"
        traces = await asyncio.to_thread(look_for_skill, session, workspace, told)
        with JsonlTranscript(transcript) as sink:
            heard = Heard(
                tally=Tally(model, session.limits),
                sink=Overheard(sink, session.heard),
                clock=self.clock,
                reads_skill=make_watch(session).sees,
            )
            heard.write("prompt", model=model.sent, system=system, prompt=prompt)
            met = Met(self.make_gate(session.prepared.hosts))
            talk = Talk(
                model=model,
                limits=session.limits,
                system=system,
                prompt=prompt,
                prepared=session.prepared,
                skills=frozenset(one.name for one in find_offered(session)),
            )
            conversation = await self.conversations.converse(talk, workspace, heard, met)
        collected = await collect_output(workspace.output, workspace.collected)
        with_response = await asyncio.to_thread(
            save_response, conversation.last_text, collected, workspace.collected
        )
        return Attempt(
            started_at=started_at,
            ended_at=self.clock(),
            end=conversation,
            collected=with_response,
            skill_loaded=is_in_prompt(session) or heard.skill_read,
            transcript_truncated=sink.truncated,
            launcher_version=heard.started.version if heard.started else "",
            tools=tuple(sorted(heard.started.tools)) if heard.started else (),
            refused_hosts=met.gate.refusals,
            environment=met.environment,
            sandbox=self.conversations.sandboxes.name,
            memory_mb=self.conversations.memory_mb,
            skills_listed=heard.started.skills if heard.started else None,
            skill_traces=traces,
        )
