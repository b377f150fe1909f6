"""The launcher `claude-code`: a session in the real Claude Code, inside the sandbox.

The program has no key and no network: it reaches the model through a socket of ours, where
a proxy adds the key, counts and limits. What Claude Code says of itself decides how the
session ended; what the proxy counted is what it used. The arms differ in one folder, or
with the mode `forced` in one part of the prompt, and in nothing else.
"""

import asyncio
import secrets
import ssl
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import httpx
from pydantic import SecretStr

from jobs.claude_code.cli import ClaudeCli, find_version_problem
from jobs.claude_code.command import (
    BINARY,
    TOOLS,
    make_cli_arguments,
    make_environment,
    make_program,
    merge_variables,
)
from jobs.claude_code.endings import Outcome, find_end, find_last_text
from jobs.claude_code.events import Started
from jobs.claude_code.heard import Heard
from jobs.claude_code.installed_skill import (
    SkillWatch,
    check_installable,
    folder_name,
    install_skill,
)
from jobs.claude_code.readiness import find_misfit
from jobs.claude_code.watch import GRACE_S, Watch
from jobs.conversation import ConversationEnd
from jobs.errors import Refused
from jobs.models.prices import price_known
from jobs.models.tally import Tally
from jobs.ports import Clock
from jobs.proxy.connect import HostGate
from jobs.proxy.model_proxy import ModelProxy, Upstream
from jobs.proxy.session_proxy import SessionProxy
from jobs.sessions.attempts import Attempts, stage_inputs, stage_skill, utc_now
from jobs.sessions.box import Bind
from jobs.sessions.collect import collect_output
from jobs.sessions.prepared import Prepared
from jobs.sessions.program import ProgramSandboxMaker
from jobs.sessions.reach import SOCKET, MakeGate
from jobs.sessions.session_result import Attempt, save_response
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import render_prompt, render_system, render_task
from jobs.sessions.transcript import JsonlTranscript
from jobs.sessions.workspace import Workspace
from jobs.values import RunSpec, SessionResult

MAX_ANSWER_TOKENS = 32_000
"""Of one answer, as in the other launcher."""
MAX_RETRIES = 8
"""Of one request, by Claude Code itself: its pauses then add up to about two minutes, which
outlives a rate limit that is counted by the minute."""
_CONNECT_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelApi:
    """The real model API: where it is, and the key that opens it."""

    base_url: str
    key: SecretStr


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCodeLauncher:
    """Runs sessions in Claude Code; implements `jobs.world.Launcher`."""

    cli: ClaudeCli
    sandboxes: ProgramSandboxMaker
    api: ModelApi
    memory_mb: int
    """For all processes of one session together."""
    make_gate: MakeGate = HostGate
    clock: Clock = utc_now
    max_retries: int = MAX_RETRIES
    grace_s: float = GRACE_S
    _tls: ssl.SSLContext = field(default_factory=httpx.create_ssl_context)
    """Made once: to read all certificates takes longer than to start a session."""

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
        if run.mode == "installed":
            check_installable(run.skill)

    async def prove(self, prepared: Prepared, scratch: Path) -> None:
        """Start Claude Code in an environment, for no more than its version.

        Raises `Refused` where it cannot work there, saying what it needs; `Transient` where
        that may pass.
        """
        if problem := await find_misfit(self.cli, self.sandboxes, prepared, scratch):
            raise Refused(problem)

    async def _work(
        self, session: SessionSpec, workspace: Workspace, transcript: Path, started_at: datetime
    ) -> Attempt:
        """The conversation and what it left. No process of the session is alive after it."""
        self.check(session.run)
        model = session.run.model
        # reading the price list takes a third of a second, in which no stream would move on
        await asyncio.to_thread(price_known, model.sent, model.provider)
        prompt = await asyncio.to_thread(_stage, session, workspace)
        with JsonlTranscript(transcript) as sink:
            heard = Heard(
                tally=Tally(model, session.limits),
                sink=sink,
                clock=self.clock,
                reads_skill=_skill_watch(session).sees,
            )
            system = render_system(session.prepared.hosts)
            heard.write("prompt", model=model.sent, system=system, prompt=prompt)
            met = _Met(self.make_gate(session.prepared.hosts))
            conversation = await self._converse(session, workspace, heard, prompt, met)
        collected = await collect_output(workspace.output, workspace.collected)
        with_response = await asyncio.to_thread(
            save_response, conversation.last_text, collected, workspace.collected
        )
        in_prompt = session.run.mode == "forced" and session.skill_text is not None
        return Attempt(
            started_at=started_at,
            ended_at=self.clock(),
            end=conversation,
            collected=with_response,
            skill_loaded=in_prompt or heard.skill_read,
            transcript_truncated=sink.truncated,
            launcher_version=heard.started.version if heard.started else "",
            tools=tuple(sorted(heard.started.tools)) if heard.started else (),
            refused_hosts=met.gate.refusals,
            environment=met.environment,
            sandbox=self.sandboxes.name,
        )

    async def _converse(
        self, session: SessionSpec, workspace: Workspace, heard: Heard, prompt: str, met: "_Met"
    ) -> ConversationEnd:
        limits, prepared = session.limits, session.prepared
        watch = Watch(
            heard=heard,
            limits=limits,
            find_difference=lambda started: _difference(session, started),
            grace_s=self.grace_s,
        )
        token = f"session-{secrets.token_urlsafe(24)}"
        timeout = httpx.Timeout(None, connect=_CONNECT_S)  # silence is for the watch to judge
        async with httpx.AsyncClient(verify=self._tls, timeout=timeout) as client:
            upstream = Upstream(client=client, base_url=self.api.base_url, key=self.api.key)
            model = ModelProxy(
                model=session.run.model,
                token=token,
                upstream=upstream,
                tally=heard.tally,
                heard=watch.sign_of_life,
                spent=lambda tokens: heard.write("usage", **tokens),
            )
            socket = workspace.root / "proxy.sock"
            own_binds = Bind(self.cli.binary, BINARY), Bind(socket, SOCKET)
            async with (
                SessionProxy(model, met.gate).listen(socket),
                self.sandboxes.open(
                    workspace.work,
                    memory_mb=self.memory_mb,
                    binds=[*prepared.binds, *own_binds],
                    environment=self._environment(session, token),
                    image=prepared.image,
                ) as sandbox,
            ):
                met.environment = prepared.identity or sandbox.identity
                system = render_system(prepared.hosts)
                arguments = make_cli_arguments(session.run.model.sent, limits, system)
                ended, stopped = await watch.run(sandbox, make_program(arguments), prompt)
        outcome = Outcome(
            heard=heard,
            stopped=stopped,
            unlike=watch.unlike,
            exit=ended,
            refused_for=model.refused_for,
            broke_off=model.broke_off,
            limits=limits,
        )
        if not model.answers:
            heard.count_messages()
        return _conclude(outcome)

    def _environment(self, session: SessionSpec, token: str) -> dict[str, str]:
        own = make_environment(
            session.run.model.sent,
            token,
            session.limits,
            max_answer_tokens=MAX_ANSWER_TOKENS,
            max_retries=self.max_retries,
        )
        return merge_variables(own, session.prepared)


@dataclass(slots=True)
class _Met:
    """What a session came upon, known once it is over."""

    gate: HostGate
    environment: str = ""


def _stage(session: SessionSpec, workspace: Workspace) -> str:
    """Put inputs and skill in place, and give the prompt. Blocks."""
    stage_inputs(session, workspace)
    if session.run.mode == "forced":
        stage_skill(session, workspace)
        return render_prompt(session)
    if session.skill_folder is not None:
        install_skill(session.skill_folder, workspace.work, folder_name(session.run.skill))
    return render_task(session.run.eval_case, session.inputs_folder)


def _skill_watch(session: SessionSpec) -> SkillWatch:
    installed = session.run.mode == "installed"
    folder = f".claude/skills/{folder_name(session.run.skill)}" if installed else "skill"
    return SkillWatch.make(session.run.skill, folder, session.skill_text or "")


def _difference(session: SessionSpec, started: Started) -> str:
    """How a session that has started differs from the one that was meant."""
    if problem := find_version_problem(started.version):
        return problem
    if sorted(started.tools) != sorted(TOOLS):
        return f"Claude Code offered the tools {', '.join(started.tools) or 'none'}"
    if started.extensions:
        return f"Claude Code loaded extensions: {', '.join(started.extensions)}"
    meant = set()
    if session.run.mode == "installed" and session.skill_folder is not None:
        meant = {folder_name(session.run.skill)}
    if strays := set(started.skills) - meant:
        return f"Claude Code listed skills that are not part of the run: {', '.join(strays)}"
    if missing := meant - set(started.skills) - set(started.commands):
        return f"Claude Code did not find the skill {', '.join(missing)}"
    return ""


def _conclude(outcome: Outcome) -> ConversationEnd:
    """The end of the conversation, written to the transcript as its last word."""
    heard = outcome.heard
    end, detail = find_end(outcome)
    notes: dict[str, object] = {}
    if heard.unreadable:
        notes["unreadable_lines"] = heard.unreadable
        notes["unreadable"] = heard.noted
    if outcome.exit is not None:
        notes["exit_code"] = outcome.exit.exit_code
        notes["errors"] = outcome.exit.errors.decode("utf-8", "replace")
    heard.write("end", end=end, detail=detail, **notes)
    return heard.tally.end(end, detail, find_last_text(outcome, end))
