"""One conversation in Claude Code, inside a sandbox, with the key kept outside of it.

The program has no key and no network: it reaches the model through a socket of ours, where
a proxy adds the key, counts and limits. What Claude Code says of itself decides how the
conversation ended; what the proxy counted is what it used. What the conversation is for is
its caller's to know.
"""

import asyncio
import secrets
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field

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
from jobs.claude_code.installed_skill import find_unnamed
from jobs.claude_code.watch import GRACE_S, Watch
from jobs.conversation import ConversationEnd
from jobs.proxy.connect import HostGate
from jobs.proxy.model_proxy import ModelProxy, Upstream
from jobs.proxy.session_proxy import SessionProxy
from jobs.sessions.box import Bind
from jobs.sessions.prepared import Prepared
from jobs.sessions.program import ProgramSandboxMaker
from jobs.sessions.reach import SOCKET
from jobs.sessions.workspace import Workspace
from jobs.values import Limits, Model

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
class Talk:
    """What a conversation starts from."""

    model: Model
    limits: Limits
    system: str
    """Added to what Claude Code tells the model itself."""
    prompt: str
    prepared: Prepared
    skills: frozenset[str]
    """The skills it is to list, and no others."""
    binds: Sequence[Bind] = ()
    """Shown on top of what the environment shows."""


@dataclass(slots=True)
class Met:
    """What a conversation came upon, known once it is over."""

    gate: HostGate
    environment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CliConversations:
    """Holds conversations in one Claude Code, each in a sandbox of its own."""

    cli: ClaudeCli
    sandboxes: ProgramSandboxMaker
    api: ModelApi
    memory_mb: int
    """For all processes of one conversation together."""
    max_retries: int = MAX_RETRIES
    grace_s: float = GRACE_S
    _tls: ssl.SSLContext = field(default_factory=httpx.create_ssl_context)
    """Made once: to read all certificates takes longer than to start a session."""

    async def converse(
        self, talk: Talk, workspace: Workspace, heard: Heard, met: Met
    ) -> ConversationEnd:
        """One conversation to its end; no process of it is alive after it, or after a cancel.

        Raises `Transient` where no sandbox can start.
        """
        unnamed = await asyncio.to_thread(find_unnamed, workspace.work, talk.skills)
        watch = Watch(
            heard=heard,
            limits=talk.limits,
            find_difference=lambda started: find_difference(started, talk.skills, unnamed),
            grace_s=self.grace_s,
        )
        token = f"session-{secrets.token_urlsafe(24)}"
        timeout = httpx.Timeout(None, connect=_CONNECT_S)  # silence is for the watch to judge
        async with httpx.AsyncClient(verify=self._tls, timeout=timeout) as client:
            upstream = Upstream(client=client, base_url=self.api.base_url, key=self.api.key)
            model = ModelProxy(
                model=talk.model,
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
                    binds=[*talk.prepared.binds, *talk.binds, *own_binds],
                    environment=self._environment(talk, token),
                    image=talk.prepared.image,
                ) as sandbox,
            ):
                met.environment = talk.prepared.identity_in(sandbox.identity)
                arguments = make_cli_arguments(talk.model.sent, talk.limits, talk.system)
                ended, stopped = await watch.run(sandbox, make_program(arguments), talk.prompt)
        outcome = Outcome(
            heard=heard,
            stopped=stopped,
            unlike=watch.unlike,
            exit=ended,
            refused_for=model.refused_for,
            broke_off=model.broke_off,
            limits=talk.limits,
        )
        if not model.answers:
            heard.count_messages()
        return _conclude(outcome)

    def _environment(self, talk: Talk, token: str) -> dict[str, str]:
        own = make_environment(
            talk.model.sent,
            token,
            talk.limits,
            max_answer_tokens=MAX_ANSWER_TOKENS,
            max_retries=self.max_retries,
        )
        return merge_variables(own, talk.prepared)


def find_difference(started: Started, skills: frozenset[str], unnamed: frozenset[str]) -> str:
    """How a conversation that has started differs from the one that was meant; else empty.

    Of its `skills` those that are `unnamed` cannot be looked for.
    """
    if problem := find_version_problem(started.version):
        return problem
    if sorted(started.tools) != sorted(TOOLS):
        return f"Claude Code offered the tools {', '.join(started.tools) or 'none'}"
    if started.extensions:
        return f"Claude Code loaded extensions: {', '.join(started.extensions)}"
    if strays := set(started.skills) - skills:
        return f"Claude Code listed skills that were not installed: {', '.join(sorted(strays))}"
    if missing := skills - unnamed - set(started.skills) - set(started.commands):
        return f"Claude Code did not find the skill {', '.join(sorted(missing))}"
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
