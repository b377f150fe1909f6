"""The launcher `api`: one session by our own agent loop, from staging to its bundle.

A session always ends in a result. What the agent did is its own; what the platform did to
it (a silent stream, an outage, a sandbox that cannot start) is tried once more in a fresh
workspace, and is never scored. Nothing here reads a vendor's words.
"""

import asyncio
import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from jobs.errors import Transient, UserError
from jobs.ports import Agent, Clock, ConversationEnd, ConversationSpec, SandboxMaker
from jobs.sessions.bundle import write_bundle
from jobs.sessions.collect import collect_output
from jobs.sessions.session_result import (
    Attempt,
    broken,
    get_limits_left,
    make_result,
    no_conversation,
    save_response,
)
from jobs.sessions.session_spec import SessionSpec
from jobs.sessions.task import SYSTEM, render_prompt
from jobs.sessions.tools import SessionTools
from jobs.sessions.transcript import JsonlTranscript
from jobs.sessions.workspace import Workspace
from jobs.values import SessionEnd, SessionResult

log = logging.getLogger(__name__)

MAX_ANSWER_TOKENS = 32_000
"""Of one answer: room for a long file that is written in one call."""
PLATFORM_ENDS = frozenset({SessionEnd.STALLED, SessionEnd.RATE_LIMITED, SessionEnd.ERROR})
_DEFECT = "the session failed on our side; the log says why"


def _now() -> datetime:
    return datetime.now(UTC)


class ApiLauncher:
    """Runs sessions by an `Agent` with tools in a sandbox; implements `jobs.world.Launcher`."""

    def __init__(
        self,
        agent: Agent,
        sandboxes: SandboxMaker,
        *,
        memory_mb: int,
        clock: Clock = _now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory_mb` is for all processes of one session together."""
        self._agent = agent
        self._sandboxes = sandboxes
        self._memory_mb = memory_mb
        self._clock = clock
        self._monotonic = monotonic

    async def run(self, session: SessionSpec) -> SessionResult:
        """One session, once more where the platform failed; its bundle is at `session.bundle`.

        Usage and retries count both attempts, everything else is of the last one; the
        transcript holds both. Raises nothing but `CancelledError`.
        """
        transcript = session.bundle.with_suffix(".jsonl")
        try:
            first = await self._attempt(session, transcript, None)
            left = get_limits_left(session.limits, first.usage)
            if first.end not in PLATFORM_ENDS or left is None:
                return first
            return await self._attempt(replace(session, limits=left), transcript, first)
        finally:
            transcript.unlink(missing_ok=True)

    async def _attempt(
        self, session: SessionSpec, transcript: Path, earlier: SessionResult | None
    ) -> SessionResult:
        """A session in a workspace of its own, which is gone when this returns."""
        started_at = self._clock()
        end = no_conversation(_DEFECT)
        workspace: Workspace | None = None
        try:
            workspace = await asyncio.to_thread(Workspace.make, session.scratch)
            attempt = await self._work(session, workspace, transcript, started_at)
            end = broken(attempt.end, _DEFECT)  # if packing fails, this is what remains
            result = make_result(session, attempt, earlier)
            folder = workspace.collected
            await asyncio.to_thread(write_bundle, session.bundle, result, transcript, folder)
        except UserError as refusal:  # no such sandbox on this machine; the text is for people
            end = no_conversation(str(refusal))
        except Transient:
            end = no_conversation("the session's sandbox could not be started")
        except Exception:  # the other arm and the report must go on
            log.exception("session_failed")
        else:
            return result
        finally:
            if workspace is not None:
                await workspace.remove()
        nothing = Attempt(started_at=started_at, ended_at=self._clock(), end=end)
        result = make_result(session, nothing, earlier)
        await asyncio.to_thread(_write_empty_bundle, session.bundle, result, transcript)
        return result

    async def _work(
        self, session: SessionSpec, workspace: Workspace, transcript: Path, started_at: datetime
    ) -> Attempt:
        """The conversation and what it left. No process of the session is alive after it."""
        await asyncio.to_thread(_stage, session, workspace)
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


def _stage(session: SessionSpec, workspace: Workspace) -> None:
    """Copies of its own for each session: what one writes to, no other may see."""
    if session.skill_folder is not None:
        shutil.copytree(session.skill_folder, workspace.skill)
    if session.inputs_folder is not None:
        shutil.copytree(session.inputs_folder, workspace.input, dirs_exist_ok=True)


def _write_empty_bundle(target: Path, result: SessionResult, transcript: Path) -> None:
    """The bundle of a session without outputs; on a full disk there is none."""
    try:
        write_bundle(target, result, transcript, transcript.parent)
    except OSError:
        log.exception("bundle_not_written")
